package script

import (
	"fmt"
	"strings"
)

// A NoLaneError is an ask that belongs to none of the conversations of a script.
type NoLaneError struct {
	At     string // the script, "FILE"
	Ask    int    // which of all asks, from 1
	Prompt string

	text string
}

// Error takes several lines: for each lane why it is not the one.
func (e *NoLaneError) Error() string { return e.text }

// noLane returns the error of a request that no lane takes, or that several
// could take.
func (p *Player) noLane(r *request, hint string) error {
	e := &NoLaneError{At: p.Script.Name, Ask: len(p.calls) + 1, Prompt: r.prompt}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ask %d of all belongs to no lane", e.At, e.Ask)
	for _, t := range p.talks {
		fmt.Fprintf(&b, "\n  lane %s (line %d): %s", t.lane.Name, t.lane.Line, t.why(r, p.Script.Concurrent))
	}
	if near := p.nearest(r); hint == "" && near != nil && !p.Script.Concurrent {
		fmt.Fprintf(&b, "\n  the closest is lane %s:%s", near.lane.Name, showDiff("its last prompt", near.prompt, "asked", r.prompt))
	}
	if hint == "" && !p.Script.Concurrent {
		hint = "a prompt goes on from the last one of its lane, or begins a lane that has not begun; one that was cut down says so with the check shrinks"
	}
	if hint != "" {
		b.WriteString("\n  " + hint)
	}
	e.text = Environ().Scrub(b.String())
	return e
}

// nearest returns the conversation that has begun whose last prompt has the
// longest beginning in common with r.
func (p *Player) nearest(r *request) *talk {
	var near *talk
	longest := -1
	for _, t := range p.talks {
		if from, _, _ := differ(t.prompt, r.prompt); t.asks > 0 && from > longest && t.prompt != r.prompt {
			near, longest = t, from
		}
	}
	return near
}

// why says why a request does not belong to t.
func (t *talk) why(r *request, byContent bool) string {
	for _, c := range t.lane.When.List {
		if (t.asks == 0 || byContent) && !c.holdsFor(r, r.prompt) {
			return "the prompt does not fit its when: " + c.String()
		}
	}
	switch {
	case t.asks == 0:
		return "has not begun"
	case byContent:
		return "has no step left"
	case t.step >= len(t.lane.Steps) && r.prompt == t.prompt:
		return "has this prompt as its last, and no step left"
	case r.prompt == t.prompt:
		return "has this prompt as its last, and it was answered"
	case t.shrinks():
		return "waits for a prompt that is cut down"
	}
	from, _, _ := differ(t.prompt, r.prompt)
	where := fmt.Sprintf("its last prompt is left at line %d", lineAt(t.prompt, from))
	for _, part := range r.parts {
		if from < part.End {
			where += ", in " + part.Name
			break
		}
	}
	return where
}
