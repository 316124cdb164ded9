package llm

import "strings"

// Render returns the text that stands for a conversation where one text is
// wanted: in traces, and in the checks and goldens of scripts. Its form is
// frozen, since it stands in goldens. Each message is
//
//	[ROLE]
//	TEXT
//
// and each of its calls
//
//	[call ID NAME]
//	ARGUMENTS
//
// where the message that answers a call begins with [tool ID]. Text and
// arguments end in a newline, which is added; empty ones have no line. A line of
// them that looks like one of these in brackets has "| " before it. Reasoning is
// left out. The rendering of a conversation is the beginning of that of any
// longer one.
func Render(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		m.render(&b)
	}
	return b.String()
}

func (m Message) render(b *strings.Builder) {
	label := string(m.Role)
	if m.CallID != "" {
		label += " " + m.CallID
	}
	renderText(b, label, m.Text)
	for _, call := range m.Calls {
		renderText(b, "call "+call.ID+" "+call.Name, call.Arguments)
	}
}

func renderText(b *strings.Builder, label, text string) {
	b.WriteString("[" + label + "]\n")
	for line := range strings.Lines(text) {
		if isLabel(line) {
			b.WriteString("| ")
		}
		b.WriteString(line)
	}
	if text != "" {
		b.WriteByte('\n')
	}
}

// isLabel reports whether line, behind any number of "| ", is a label.
func isLabel(line string) bool {
	line = strings.TrimSuffix(line, "\n")
	for strings.HasPrefix(line, "| ") {
		line = line[2:]
	}
	inner, opened := strings.CutPrefix(line, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed {
		return false
	}
	first, _, _ := strings.Cut(inner, " ")
	switch first {
	case "system", "developer", "user", "assistant", "tool", "call", "function":
		return true
	}
	return false
}
