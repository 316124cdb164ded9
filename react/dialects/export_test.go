package dialects

import "strings"

// Shown is what a prompt shows of a refused reply.
func Shown(reply string) string { return shown(reply) }

// Unquote takes away the "| " that a line of text was given in a prompt of p.
func Unquote(p any, line string) string {
	l := fencedLayout
	switch p := p.(type) {
	case Classic:
		l = p.layout()
	case Bracket:
		l = bracketLayout
	}
	if rest, ok := strings.CutPrefix(line, "| "); ok && l.structural(line) {
		return rest
	}
	return line
}
