package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/actdone/actdone/react"
)

// How much a trace shows of one text.
const (
	showLines = 12  // lines of a thought or observation
	actLines  = 40  // lines of an act, which one wants to see whole
	showChars = 300 // characters of a line
)

// The styles of a trace on a terminal.
const (
	dim    = "\x1b[2m"
	strong = "\x1b[1;36m"
	reset  = "\x1b[0m"
)

// margin is where the text of a trace begins, behind the number of the ask.
const margin = "    "

// A show prints the steps of a run for a person, as they happen.
type show struct {
	w      io.Writer
	colour bool
	begun  bool // the move of the next step is printed
}

// task prints what the agent is asked.
func (p *show) task(task string) { p.put("", "TASK:", shortened(task, actLines)+"\n") }

// move prints the thought and the move of a step that is not complete yet.
func (p *show) move(ask int, m react.Move) {
	p.begun = true
	lead := number(ask)
	if m.Thought != "" {
		p.put(lead, "", p.styled(dim, shortened(m.Thought, showLines)))
		lead = margin
	}
	if m.Kind == react.Done {
		p.put(lead, "DONE:", "")
		return
	}
	input := under(shortened(m.Input, actLines))
	if input != "" && input[0] != '\n' {
		input = " " + input
	}
	p.put(lead, "ACT:", visible(m.Tool)+input)
}

// step prints what of a step is not printed yet.
func (p *show) step(s react.Step) {
	begun := p.begun
	p.begun = false
	if s.Move.Kind == "" {
		p.put(number(s.Ask), "REFUSED:", under(shortened(s.Reply, showLines)))
	} else if !begun {
		p.move(s.Ask, s.Move)
		p.begun = false
	}
	if s.Move.Kind == react.Done {
		return
	}
	p.put(margin, "OBS:", under(shortened(s.Observation, showLines)))
	if s.Note != "" {
		p.put(margin, "NOTE:", under(visible(s.Note)))
	}
	fmt.Fprintln(p.w)
}

func number(ask int) string { return fmt.Sprintf("%2d. ", ask) }

// put prints a label and a text, whose lines after the first are indented.
func (p *show) put(lead, label, text string) {
	if label != "" && text != "" && text[0] != '\n' {
		text = " " + text
	}
	text = strings.ReplaceAll(p.styled(strong, label)+text, "\n", "\n"+margin)
	fmt.Fprintln(p.w, lead+strings.TrimRight(text, " "))
}

func (p *show) styled(style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return style + text + reset
}

// under puts a text of several lines below its label.
func under(text string) string {
	if strings.Contains(text, "\n") {
		return "\n" + text
	}
	return text
}

// shortened makes text fit for a trace: visible, cut to a number of lines, and
// those in length.
func shortened(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	shown := all[:min(lines, len(all))]
	for i, line := range shown {
		if runes := []rune(line); len(runes) > showChars {
			shown[i] = string(runes[:showChars]) + "…"
		}
	}
	if hidden := len(all) - len(shown); hidden > 0 {
		shown = append(shown, "… ("+count(hidden, "more line")+")")
	}
	return visible(strings.Join(shown, "\n"))
}
