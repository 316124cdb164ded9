package react

import (
	"strings"

	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// Rendering keeps one rule: structure stands at column 0 and only there. What
// users, models and tools wrote stands on the line of its label, in a fence
// longer than any inside it, or behind "| ".

// refusedLen is how much of a refused reply is shown again, in bytes.
const refusedLen = 1024

// Task appends the label TASK: and the task.
func (ActDone) Task(prompt *strings.Builder, task string) {
	prompt.WriteString("\n\nTASK:")
	writeText(prompt, "task", task)
}

// Move appends the thought and the act or answer, or the refused reply.
func (ActDone) Move(prompt *strings.Builder, s Step, _ int) {
	prompt.WriteString("\n\n")
	if s.Move.Kind != "" && s.Move.Thought != "" {
		writeQuoted(prompt, s.Move.Thought)
		prompt.WriteByte('\n')
	}
	switch s.Move.Kind {
	case Act:
		writeAct(prompt, s.Move)
	case Done:
		writeAnswer(prompt, s.Move.Answer)
	default:
		prompt.WriteString("REFUSED:")
		writeText(prompt, "reply", shorten(clean(s.Reply), refusedLen))
	}
}

// Observation appends the observation and the notes.
func (ActDone) Observation(prompt *strings.Builder, s Step, _ int) {
	prompt.WriteString("\nOBS:")
	writeText(prompt, "obs", s.Observation)
	for note := range strings.SplitSeq(s.Note, "\n") {
		if note != "" {
			prompt.WriteString("\nNOTE: ")
			prompt.WriteString(note)
		}
	}
}

// writeText writes s behind a label: on its line, or in a fence under it.
func writeText(b *strings.Builder, info, s string) {
	switch {
	case s == "":
	case strings.IndexByte(s, '\n') < 0:
		b.WriteByte(' ')
		b.WriteString(s)
	default:
		lex.WriteFence(b, info, s)
	}
}

func writeAct(b *strings.Builder, m Move) {
	b.WriteString("ACT: ")
	b.WriteString(strings.ReplaceAll(m.Tool, "\n", " "))
	head, body, lines := m.Input, "", false
	switch {
	case m.Lines == tools.Body:
		head, body, lines = strings.Cut(m.Input, "\n")
	case m.Lines == tools.Block && !inline(m.Input) || strings.Contains(m.Input, "\n"):
		head, body, lines = "", m.Input, true
	}
	if head != "" {
		b.WriteByte(' ')
		b.WriteString(head)
	}
	if lines {
		lex.WriteFence(b, "", body)
	}
}

// inline reports whether Parse reads s on the marker's line as it is.
func inline(s string) bool {
	if s == "" {
		return true
	}
	return !strings.Contains(s, "\n") && lex.TrimBlanks(s) == s && unwrapLine(s) == s &&
		lex.TurnEndLen(lex.TrimBlanksEnd(s)) == 0 && !lex.OpensHeredoc(s)
}

// writeAnswer writes the answer behind DONE:, or under it where its first line
// would not be read back as it is.
func writeAnswer(b *strings.Builder, answer string) {
	b.WriteString("DONE:")
	if answer == "" {
		return
	}
	first, rest, more := strings.Cut(answer, "\n")
	if lex.TrimBlanks(first) != first || lex.TurnEndLen(lex.TrimBlanksEnd(first)) > 0 {
		b.WriteByte('\n')
		writeQuoted(b, answer)
		return
	}
	b.WriteByte(' ')
	b.WriteString(first)
	if more {
		b.WriteByte('\n')
		writeQuoted(b, rest)
	}
}

// writeQuoted writes the lines of s, with "| " before each that could be taken
// for structure. The reader takes one "| " away.
func writeQuoted(b *strings.Builder, s string) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		if structural(line) {
			b.WriteString("| ")
		}
		b.WriteString(line)
		if !more {
			return
		}
		b.WriteByte('\n')
		s = rest
	}
}

// labels are the words at column 0 of a prompt.
var labels = [...]string{"TASK", "ACT", "OBS", "NOTE", "DONE", "REFUSED"}

// structural reports whether line, behind blanks and any number of "| ", begins
// with what Parse or the reader of a prompt could take for structure.
func structural(line string) bool {
	line = lex.TrimQuotes(line)
	if line == "" {
		return false
	}
	if _, ok := markerAt(line); ok {
		return true
	}
	if _, ok := labelAt(line); ok {
		return true
	}
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		return true
	}
	if _, ok := lex.OpenTagAt(line); ok || lex.EndsInClosingTag(line) || strings.HasPrefix(line, "</think") {
		return true
	}
	return hasLabel(line)
}

// hasLabel reports whether line begins with one of the labels, in any case, and
// a colon.
func hasLabel(line string) bool {
	line, _ = cutMarkup(line)
	for _, label := range labels {
		if len(line) > len(label) && strings.EqualFold(line[:len(label)], label) {
			if _, ok := lex.CutColon(strings.TrimLeft(line[len(label):], "*_`")); ok {
				return true
			}
		}
	}
	return false
}
