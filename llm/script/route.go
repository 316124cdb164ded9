package script

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/actdone/actdone/llm"
)

// route returns the conversation that a request belongs to.
func (p *Player) route(r *request) (*talk, error) {
	if !p.Script.hasLanes() {
		t := p.talks[0]
		if t.asks > 0 && !t.again(r) && !p.Script.Concurrent {
			p.shares(t, r)
		}
		return t, nil
	}
	if t := p.repeated(r); t != nil {
		return t, nil
	}
	if p.Script.Concurrent {
		return p.byContent(r)
	}
	if t := p.longest(r); t != nil {
		return t, nil
	}
	return p.fresh(r)
}

// repeated returns the conversation in which r is asked once more: behind an
// answer that did not arrive, behind a fault, or because the client says so.
func (p *Player) repeated(r *request) *talk {
	for _, t := range p.talks {
		if t.last != nil && r.prompt == t.prompt && (t.undone || t.last.step.Fault != nil) {
			return t
		}
	}
	for _, t := range p.talks {
		if t.again(r) {
			return t
		}
	}
	return nil
}

// byContent returns the first lane with steps left whose when holds.
func (p *Player) byContent(r *request) (*talk, error) {
	for _, t := range p.talks {
		if t.step < len(t.lane.Steps) && t.lane.takes(r) {
			return t, nil
		}
	}
	return nil, p.noLane(r, "")
}

// longest returns the conversation whose last prompt is the longest that r goes
// on from. Where several have that prompt, each prompt after it holds the reply
// to its own.
func (p *Player) longest(r *request) *talk {
	var found *talk
	for _, t := range p.talks {
		if t.asks == 0 || !extends(r, t.prompt) {
			continue
		}
		switch {
		case found == nil || len(t.prompt) > len(found.prompt):
			found = t
		case len(t.prompt) == len(found.prompt) && t.echoed(r).better(found.echoed(r)):
			found = t
		}
	}
	return found
}

// fresh returns the conversation that begins with r: the first lane that has not
// begun and takes it, or one whose next prompt is to be cut down. Where both could
// be, only a lane with a when is sure.
func (p *Player) fresh(r *request) (*talk, error) {
	var first, own, shrinking *talk
	var could []string
	for _, t := range p.talks {
		switch {
		case t.shrinks():
			shrinking, could = t, append(could, t.lane.Name)
		case t.asks > 0 || !t.lane.takes(r):
		case own == nil && t.lane.When.Line > 0:
			own = t
			fallthrough
		case first == nil:
			first = cmp.Or(first, t)
		}
	}
	switch {
	case shrinking == nil && first != nil:
		return first, nil
	case shrinking != nil && own != nil:
		return own, nil
	case shrinking != nil && first == nil && len(could) == 1:
		return shrinking, nil
	case shrinking == nil:
		return nil, p.noLane(r, "")
	case first != nil:
		could = append(could, first.lane.Name)
	}
	return nil, p.noLane(r, fmt.Sprintf("it could belong to any of the lanes %s; give the one that is cut down a lane of its own, with a when", strings.Join(could, ", ")))
}

// takes reports whether a first prompt may begin the lane.
func (l *Lane) takes(r *request) bool {
	for _, c := range l.When.List {
		if !c.holdsFor(r, r.prompt) {
			return false
		}
	}
	return true
}

// shrinks reports whether the next prompt is one that was cut down.
func (t *talk) shrinks() bool {
	return t.asks > 0 && t.step < len(t.lane.Steps) && t.lane.Steps[t.step].Expect.has("shrinks")
}

// extends reports whether r is old and more. A task is not gone on with by a
// longer task that begins with the same words: where it is not known where parts
// end, what follows a task begins with a new line.
func extends(r *request, old string) bool {
	added, ok := strings.CutPrefix(r.prompt, old)
	if !ok || added == "" || old == "" {
		return false
	}
	for _, part := range r.parts {
		if part.End == len(old) {
			return true
		}
	}
	if len(r.parts) > 0 && !r.joined {
		return false
	}
	lastLine := old[strings.LastIndexByte(old, '\n')+1:]
	return added[0] == '\n' || !strings.HasPrefix(lastLine, "TASK:")
}

// An echo is how much of a reply a prompt repeats, in lines.
type echo struct{ found, missing int }

func (e echo) better(than echo) bool {
	return e.found > than.found || e.found == than.found && e.missing < than.missing
}

// echoed returns how much r repeats of the last answer, so that two
// conversations that began alike can be told apart.
func (t *talk) echoed(r *request) echo {
	lines := map[string]bool{}
	for line := range strings.Lines(r.prompt[len(t.prompt):]) {
		lines[squeezed(line)] = true
	}
	var e echo
	for _, line := range t.last.lines() {
		switch line = squeezed(line); {
		case line == "":
		case lines[line]:
			e.found++
		default:
			e.missing++
		}
	}
	return e
}

// lines returns the lines by which a prompt may repeat an answer.
func (a *answer) lines() []string {
	lines := strings.Split(a.step.Reply.Text, "\n")
	for _, call := range a.calls {
		lines = append(lines, "[call "+call.ID+" "+call.Name+"]")
		lines = append(lines, strings.Split(call.Arguments, "\n")...)
	}
	return lines
}

// squeezed returns a line without what changes when a prompt repeats it.
func squeezed(line string) string {
	for strings.HasPrefix(line, "| ") {
		line = line[2:]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

// shares notices that a script without lanes serves two conversations that take
// turns: r goes on from an earlier prompt, not from the last.
func (p *Player) shares(t *talk, r *request) {
	if p.shared != nil || strings.HasPrefix(r.prompt, t.prompt) || t.last.standsIn(r.prompt) {
		return
	}
	for i := len(t.earlier) - 1; i >= 0; i-- {
		if extends(r, t.earlier[i]) && !p.answered(i) {
			p.shared = &llm.ConcurrentAskError{Ask: t.asks + 1, Prompt: r.prompt, Extends: i + 1, Latest: t.prompt}
			t.failed = true
			return
		}
	}
}

// standsIn reports whether a prompt repeats the whole answer: then it is of the
// same conversation, cut down.
func (a *answer) standsIn(prompt string) bool {
	if a == nil || a.step.Reply.Text == "" && len(a.calls) == 0 {
		return false
	}
	prompt = "\n" + squeezedLines(prompt)
	for _, line := range a.lines() {
		if line = squeezed(line); line != "" && !strings.Contains(prompt, "\n"+line+"\n") {
			return false
		}
	}
	return true
}

// squeezedLines squeezes each line of a text.
func squeezedLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(squeezed(line) + "\n")
	}
	return b.String()
}

// answered reports whether the reply to ask i ended its run: who goes on from
// there has it as history.
func (p *Player) answered(i int) bool {
	for _, step := range p.talks[0].lane.Steps {
		if i -= max(step.Times, 1); i < 0 {
			return strings.HasPrefix(step.Reply.Text, "DONE:") || strings.Contains(step.Reply.Text, "\nDONE:")
		}
	}
	return true
}
