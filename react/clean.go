package react

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/actdone/actdone/react/internal/lex"
)

// clean makes the output of a tool fit to stand in a prompt: valid UTF-8,
// without terminal escapes and control characters but tab and newline, without
// trailing newlines. A carriage return before a newline goes, any other becomes
// one.
func clean(s string) string {
	if dirty(s) {
		s = scrub(s)
	}
	return strings.TrimRight(s, "\n")
}

// dirty reports whether s has anything to clean but trailing newlines.
func dirty(s string) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\t':
		case c < 0x80:
			return true
		default:
			ascii = false
			if c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0 {
				return true // U+0080 to U+009F, the second set of controls
			}
		}
	}
	return !ascii && !utf8.ValidString(s)
}

func scrub(s string) string {
	s = lex.Normalize(s)
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\x1b':
			n = escapeLen(s[i:])
		case r == '\r':
			b.WriteByte('\n')
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f || r >= 0xa0:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// escapeLen returns the length of the escape sequence that s begins with
// (ECMA-48, section 5.3 and 5.4). A command string that has no end is taken to
// end with its line.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		n := 2
		for n < len(s) && s[n] >= 0x20 && s[n] <= 0x3f {
			n++
		}
		if n < len(s) && s[n] >= 0x40 && s[n] <= 0x7e {
			n++
		}
		return n
	case ']', 'P', 'X', '^', '_':
		return commandLen(s)
	}
	n := 1
	for n < len(s) && s[n] >= 0x20 && s[n] <= 0x2f {
		n++
	}
	if n < len(s) && s[n] >= 0x30 && s[n] <= 0x7e {
		n++
	}
	return n
}

// commandLen returns the length of a command string: up to BEL or ESC \, or to
// the end of the line.
func commandLen(s string) int {
	for n := 2; n < len(s); n++ {
		switch s[n] {
		case '\a':
			return n + 1
		case '\n':
			return n
		case '\x1b':
			if strings.HasPrefix(s[n:], "\x1b\\") {
				return n + 2
			}
			return n
		}
	}
	return len(s)
}

// shorten keeps the head and the tail of s if it has more than limit bytes, and
// says between them how much is missing. It cuts at the end of a line where one
// is near.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := limit / 2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	if i := strings.LastIndexByte(s[:head], '\n'); i > head*3/4 {
		head = i
	}
	tail := len(s) - limit/2
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	if i := strings.IndexByte(s[tail:], '\n'); i >= 0 && i < (len(s)-tail)/4 {
		tail += i + 1
	}
	note := fmt.Sprintf("[cut: %d of %d bytes are missing here]", tail-head, len(s))
	return strings.Trim(s[:head]+"\n"+note+"\n"+s[tail:], "\n")
}
