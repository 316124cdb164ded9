package script

import "strings"

// Format returns a script in its canonical form: one blank between the words of
// a marker, options in a fixed order, checks as they are written here, one blank
// line behind the comment, LF, a final newline. What the script says stays as it
// is. The error is that of [Parse].
func Format(name string, data []byte) ([]byte, error) {
	s, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	blocks, err := s.split(newlines(data))
	if err != nil {
		return nil, err // unreachable: Parse has split it
	}
	var b strings.Builder
	b.WriteString(formatComment(blocks[0].body))
	for _, from := range blocks[1:] {
		h, err := s.head(from)
		if err != nil {
			return nil, err // unreachable: Parse has read it
		}
		b.WriteString(h.String())
		b.WriteString(formatBody(h, from.body))
	}
	return []byte(b.String()), nil
}

// formatComment drops blank lines before and after a comment.
func formatComment(text string) string {
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n\n"
}

// formatBody returns the lines of a section.
func formatBody(h head, body string) string {
	switch h.kind {
	case "file", "after":
		return body
	case "script":
		return eachLine(body, strings.TrimSpace)
	case "lane":
		return ""
	case "when", "expect", "error":
		return eachLine(body, formatCheck)
	case "fault":
		if h.words[0] == "timeout" || h.words[0] == "empty" {
			return ""
		}
	}
	if body == "\n" {
		return ""
	}
	return body
}

// eachLine formats the lines that say something. Blank lines at the end go.
func eachLine(body string, format func(string) string) string {
	var b strings.Builder
	blank := ""
	for line := range strings.Lines(body) {
		bare := strings.TrimSpace(line)
		if bare == "" {
			blank += "\n"
			continue
		}
		if bare[0] != '#' {
			bare = format(strings.TrimSuffix(line, "\n"))
		}
		b.WriteString(blank + bare + "\n")
		blank = ""
	}
	return b.String()
}

// formatCheck returns the canonical line of a check.
func formatCheck(line string) string {
	c, err := ParseCheck(line)
	if err != nil {
		return line // unreachable: Parse has read it
	}
	return c.String()
}
