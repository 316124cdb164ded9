package main

// maxChanges is how many files are named at the end of a run.
const maxChanges = 20

// changes names the files that the run created or changed and that something
// executes later, for the user to look at before that.
func (p *play) changes() {
	if p.changed == nil {
		return
	}
	changes, err := p.changed()
	for _, c := range changes[:min(len(changes), maxChanges)] {
		say(p.stderr, "the run changed %q (%s), which is executed later: look at it first", c.Path, c.Why)
	}
	if more := len(changes) - maxChanges; more > 0 {
		say(p.stderr, "and %s more that are executed later", count(more, "file"))
	}
	if err != nil {
		say(p.stderr, "%v", err)
	}
}
