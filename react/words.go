package react

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// What a loop itself says to the model, in notes and about tools that do
// not exist.

func (p *progress) lastReply() string {
	return "one reply is left: " + p.ending.answer
}

// whyCut tells a model why its reply was cut, and what to do: only a limit of
// length is its own to mend.
func whyCut(reason string) (why, cure string) {
	reason = strings.Join(strings.Fields(clean(clipTo(reason, 80))), " ")
	why, cure = "the reply was cut off", "write the reply again"
	if reason != "" {
		why += " (" + reason + ")"
	}
	if reason == "length" || strings.HasPrefix(reason, "max_") || strings.HasPrefix(reason, "longer") {
		cure = "write a shorter reply"
	}
	return why, cure
}

// addNote adds a line to note unless it is there.
func addNote(note, line string) string {
	switch {
	case note == "":
		return line
	case slices.Contains(strings.Split(note, "\n"), line):
		return note
	}
	return note + "\n" + line
}

// repeated reports whether s is the third step in a row with its act and its
// observation.
func (p *progress) repeated(s Step) bool {
	same := 0
	for i := len(p.steps) - 1; i >= 0 && same < 3; i-- {
		o := p.steps[i]
		if o.Move.Kind != Act || o.Task != s.Task || o.Move.Tool != s.Move.Tool || o.Move.Input != s.Move.Input || o.Observation != s.Observation {
			break
		}
		same++
	}
	return s.Move.Kind == Act && same == 2
}

// finishers are names under which models look for a tool that ends the run.
var finishers = []string{"done", "finish", "finished", "final", "final_answer", "answer", "respond", "response", "reply",
	"say", "speak", "message", "none", "null", "nil", "n/a", "no_tool", "submit", "stop", "end", "exit", "complete"}

// unknown is the error of an act whose tool does not exist.
func (p *progress) unknown(name string) error {
	text := "unknown tool " + printable(name)
	if near := suggest(p.tools, name); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	if slices.Contains(finishers, plainName(name)) {
		text += "; " + p.ending.stop
	}
	if len(p.tools) == 0 {
		return errors.New(text + "; there are no tools; " + p.ending.answer)
	}
	names := make([]string, len(p.tools))
	for i, known := range p.tools {
		names[i] = known.Name
	}
	return errors.New(text + "; tools: " + strings.Join(names, ", "))
}

// printable returns name, quoted if it holds what does not show, and not too
// long.
func printable(name string) string {
	name = clip(name)
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToASCII(name)
	}
	return name
}
