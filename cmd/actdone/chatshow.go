package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/actdone/actdone/react"
)

// previewChars is how many characters of an output a session shows.
const previewChars = 200

// A chatShow prints the steps of a session for a person, as they happen: what
// the model says, each command, and the beginning of what came of it. The answer
// is not among it.
type chatShow struct {
	w      io.Writer
	colour bool
	begun  bool // the command of the next step is printed
}

// move prints what the model says and the command that it is about to run.
func (p *chatShow) move(_ int, m react.Move) {
	p.begun = true
	if m.Thought != "" {
		p.put("", "", shortened(m.Thought, showLines))
	}
	if m.Kind == react.Act {
		p.put("$ ", strong, shortened(commandOf(m), actLines))
	}
}

// step prints what of a step is not printed yet.
func (p *chatShow) step(s react.Step) {
	if !p.begun {
		p.move(s.Ask, s.Move)
	}
	p.begun = false
	switch s.Move.Kind {
	case react.Act:
		p.put("", dim, preview(s.Observation))
	case "":
		p.put("", dim, "(refused: "+s.Refused+") "+preview(s.Reply))
	}
	if s.Note != "" {
		p.put("", dim, visible(s.Note))
	}
}

// put prints a text behind a lead, and its further lines below.
func (p *chatShow) put(lead, style, text string) {
	begin, end := "", ""
	if p.colour && style != "" {
		begin, end = style, reset
	}
	under := strings.Repeat(" ", len(lead))
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			lead = under
		}
		fmt.Fprintln(p.w, strings.TrimRight(begin+lead+line, " ")+end)
	}
}

// commandOf returns a move as a command to read: what bash runs, else the tool
// and its input.
func commandOf(m react.Move) string {
	if m.Tool != "bash" {
		return strings.TrimSpace(visible(m.Tool) + " " + m.Input)
	}
	var call struct{ Command string }
	if json.Unmarshal([]byte(m.Input), &call) == nil && call.Command != "" {
		return call.Command
	}
	return m.Input
}

// preview returns the beginning of an output.
func preview(text string) string {
	text = strings.TrimRight(text, "\n")
	shown, n := text, 0
	for i := range text {
		if n++; n > previewChars {
			shown = text[:i] + "…"
			break
		}
	}
	return visible(shown)
}
