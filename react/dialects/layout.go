package dialects

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// This file writes prompts. Structure stands at column 0 and only there.

// A layout is what the prompts of a dialect are made of. All of them have the
// labels Thought, Observation, Note and Refused.
type layout struct {
	task string   // the label of the task
	own  []string // labels of its own
}

// labelled reports whether line begins with a label that a model writes when it
// goes on after its move.
func (l layout) labelled(line string) bool {
	if _, _, ok := labelAt(line, l.own...); ok || observationAt(line) {
		return true
	}
	_, _, ok := labelAt(line, l.task, "Thought")
	return ok
}

// structural reports whether line, behind blanks and any number of "| ", begins
// with what Parse or the reader of a prompt could take for structure.
func (l layout) structural(line string) bool {
	line = lex.TrimQuotes(line)
	_, _, own := readLabel(line, hasFold, l.own)
	_, _, ok := readLabel(line, hasFold, []string{l.task, "Thought", "Note", "Refused"})
	return own || ok || observationAt(line) || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") ||
		strings.HasPrefix(line, "<think") || strings.Contains(line, "</think")
}

// quote writes s behind a label: on its line, and its other lines under it, with
// "| " before each that could be taken for structure.
func (l layout) quote(b *strings.Builder, s string) {
	if s == "" {
		return
	}
	b.WriteByte(' ')
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
			if l.structural(line) {
				b.WriteString("| ")
			}
		}
		b.WriteString(line)
	}
}

// observation writes the observation and the notes of a step.
func (l layout) observation(b *strings.Builder, label string, s react.Step) {
	b.WriteString("\n" + label + ":")
	l.quote(b, s.Observation)
	for note := range strings.SplitSeq(s.Note, "\n") {
		if note != "" {
			b.WriteString("\nNote: " + note)
		}
	}
}

// refused writes a refused reply, shortened.
func (l layout) refused(b *strings.Builder, s react.Step) {
	b.WriteString("\nRefused:")
	l.quote(b, shown(s.Reply))
}

// shown is what a prompt shows of a refused reply: 1 KiB, without control
// characters.
func shown(reply string) string {
	const most = 1024
	text := strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, lex.Normalize(reply)), "\n")
	if len(text) <= most {
		return text
	}
	n := most
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "\n[the rest is cut off]"
}

var takes = [...]string{tools.One: "one line", tools.Block: "one or more lines", tools.Body: "a first line, then more lines"}

// instructions writes the rules, the tools in the order given, and the example.
// A line of them that begins with the label of the task is quoted: the first
// one in a prompt must be the task's own.
func (l layout) instructions(list []tools.Tool, rules, example string) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(rules, "\n") + "\n\nTools:")
	for _, t := range list {
		b.WriteString("\n- " + t.Name)
		if t.Usage != "" {
			b.WriteString(" " + strings.ReplaceAll(strings.TrimRight(t.Usage, "\n"), "\n", "\n  "))
		}
		b.WriteString(" (" + takes[max(tools.One, min(t.Lines, tools.Body))] + ")")
	}
	if len(list) == 0 {
		b.WriteString(" none")
	}
	if example = strings.Trim(example, "\n"); example != react.NoExample && example != "" {
		b.WriteString("\n\n" + example)
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, l.task+":") {
			lines[i] = "| " + line
		}
	}
	return strings.Join(lines, "\n")
}

func orDefault(s, zero string) string {
	if s == "" {
		return zero
	}
	return s
}
