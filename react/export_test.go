package react

import "strings"

// Unquote takes away the "| " that a line of a thought or answer was given.
func Unquote(line string) string {
	if rest, ok := strings.CutPrefix(line, "| "); ok && structural(line) {
		return rest
	}
	return line
}

// Shown is what a prompt shows of a refused reply.
func Shown(reply string) string { return shorten(clean(reply), refusedLen) }

// Inline reports whether the input of a Block stands on the line of its act.
func Inline(input string) bool { return inline(input) }
