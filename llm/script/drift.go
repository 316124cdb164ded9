package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/actdone/actdone/llm"
)

// A DriftError is a prompt that is not as the script says. Its text shows where
// it differs; it is the first cause in its conversation.
type DriftError struct {
	At    string // "FILE:LINE" of the golden or the check, or of the reply where the prompt does not grow
	Lane  string
	Ask   int    // which of the conversation, from 1
	Check string // "added", "prompt", "grows", or the check's verb
	Part  string // of the prompt where it differs first, such as "observation 2"; "" if unknown
	Want  string // the golden, the text of the check, or the prompt before
	Got   string // what was asked in its place: what was added, or the prompt; normalized

	text string
}

// Error takes several lines.
func (e *DriftError) Error() string { return e.text }

// compare reports what in a prompt is not as its step says.
func (p *Player) compare(t *talk, a *answer, r *request, g growth) {
	if t.failed {
		return
	}
	v := &view{player: p, talk: t, answer: a, request: r, growth: g}
	e := v.drift()
	if e == nil {
		return
	}
	t.failed = true
	e.Lane, e.Ask = t.lane.Name, a.ask
	e.text = Environ().Scrub(e.text)
	p.faults = append(p.faults, e)
}

// A view is a prompt beside the step it is compared with.
type view struct {
	player  *Player
	talk    *talk
	answer  *answer
	request *request
	growth  growth

	ends []llm.Part // of the normalized prompt; made when needed
}

// drift returns the first of the step's checks that does not hold.
func (v *view) drift() *DriftError {
	if e := v.grows(); e != nil {
		return e
	}
	if !v.player.Update {
		if e := v.golden(); e != nil {
			return e
		}
	}
	for _, c := range v.answer.step.Expect.List {
		if !c.holdsFor(v.request, v.prompt()) {
			return v.check(c)
		}
	}
	return nil
}

// prompt returns the prompt, normalized.
func (v *view) prompt() string { return v.talk.normal.String() }

// failure makes an error at a line of the script.
func (v *view) failure(line int, check, what string) *DriftError {
	at := v.player.Script.At(line)
	return &DriftError{At: at, Check: check, text: fmt.Sprintf("%s: ask %d of lane %s: %s", at, v.answer.ask, v.talk.lane.Name, what)}
}

// grows checks that the prompt begins with the one before, or does not where the
// script says so.
func (v *view) grows() *DriftError {
	step, g := v.answer.step, v.growth
	shrinks := step.Expect.has("shrinks")
	must := step.Added.there() || !v.player.Regrow && !v.player.Script.Concurrent
	switch {
	case g.first || g.extends && !shrinks || !g.extends && (shrinks || !must):
		return nil
	case shrinks:
		e := v.failure(step.Expect.line("shrinks"), "shrinks", "the prompt was to be cut down, but it goes on from the previous one")
		e.Want, e.Got = g.before, v.request.prompt
		return e
	}
	line := step.Added.Line
	if line == 0 {
		line = step.Line()
	}
	before := v.masked(g.before)
	from, _, _ := differ(before, v.prompt())
	what := fmt.Sprintf("the prompt no longer extends the previous one; first change at line %d", lineAt(before, from))
	e := v.failure(line, "grows", what)
	if e.Part = v.partAt(from); e.Part != "" {
		e.text += ", inside " + e.Part
	}
	e.Want, e.Got = before, v.prompt()
	ask := v.answer.ask
	e.text += showDiff(fmt.Sprintf("ask %d", ask-1), before, fmt.Sprintf("ask %d", ask), v.prompt())
	e.text += "\n  if it is cut down on purpose, say so with the check shrinks; if another conversation begins here, give each a lane"
	return e
}

// masked returns a text of the asks, normalized.
func (v *view) masked(text string) string { return v.talk.asked.apply(text) }

// golden compares the prompt or what it adds with the script.
func (v *view) golden() *DriftError {
	step := v.answer.step
	switch {
	case step.Prompt.there():
		return v.compareGolden(step.Prompt, "prompt", "prompt", v.prompt())
	case step.Added.there():
		if e := v.compareGolden(step.Added, "added", "added text", v.growth.lines); e != nil || v.growth.same == step.SameLine {
			return e
		}
		return v.sameLine(step)
	}
	return nil
}

// sameLine returns the error of an addition that begins where it should not.
func (v *view) sameLine(step *Step) *DriftError {
	what := "added text goes on in the last line of the previous prompt; the script has it on a new line: accept it with newline=no"
	if step.SameLine {
		what = "added text begins on a new line; the script has it go on in the last line of the previous prompt: accept it without newline=no"
	}
	e := v.failure(step.Added.Line, "added", what)
	e.Want, e.Got = step.Added.Text, v.growth.lines
	return e
}

func (v *view) compareGolden(golden Section, check, name, got string) *DriftError {
	want := v.talk.wanted.apply(golden.Text)
	base := len(v.prompt()) - len(got)
	if want == got {
		v.verify(base, nil)
		return nil
	}
	from, to, _ := differ(want, got)
	parts := v.changed(want, base+from, base+to)
	where := fmt.Sprintf("at line %d", lineAt(got, from))
	if len(parts) > 0 {
		where = "in " + sentence(parts)
	}
	e := v.failure(golden.Line, check, name+" differs "+where)
	e.Want, e.Got = want, got
	if len(parts) > 0 {
		e.Part = parts[0]
	}
	e.text += showDiff("script", want, "asked", got)
	v.verify(base, parts)
	e.text += v.recorded(parts)
	if names := v.varying(golden.Text, got); names != "" {
		e.text += "\n  it may differ from run to run; to replace that, write into the section script: " + names
	}
	if v.player.Accept != "" {
		e.text += "\n  accept with: " + v.player.Accept
	}
	return e
}

// verify keeps that the parts behind base are as the script says, but for some.
func (v *view) verify(base int, but []string) {
	if v.talk.verified == nil {
		v.talk.verified = map[string]bool{}
	}
	for _, part := range v.parts() {
		if part.End > base {
			v.talk.verified[part.Name] = !slices.Contains(but, part.Name)
		}
	}
}

// recorded says which other parts are as the script says.
func (v *view) recorded(but []string) string {
	var same []string
	whole := true
	for _, part := range v.parts() {
		switch {
		case v.talk.verified[part.Name]:
			same = append(same, part.Name)
		case !slices.Contains(but, part.Name):
			whole = false
		}
	}
	if len(same) == 0 {
		return ""
	}
	text := sentence(joinSteps(same))
	verb := " are as recorded"
	if len(same) == 1 && same[0] != "instructions" {
		verb = " is as recorded"
	}
	if whole {
		return "\n  nothing else changed: " + text + verb
	}
	return "\n  " + text + verb
}

// line returns where the first check with a verb stands.
func (c Checks) line(verb string) int {
	for _, check := range c.List {
		if check.Verb == verb {
			return check.Line
		}
	}
	return c.Line
}

// differ returns where got begins and ends to differ from want, and where it
// ends in want.
func differ(want, got string) (from, to, toWant int) {
	for from < len(want) && from < len(got) && want[from] == got[from] {
		from++
	}
	to, toWant = len(got), len(want)
	for to > from && toWant > from && got[to-1] == want[toWant-1] {
		to, toWant = to-1, toWant-1
	}
	return from, to, toWant
}

// lineAt returns the number of the line that holds the byte at offset.
func lineAt(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
