// Package lex reads what text protocols are made of: lines, fences,
// here-documents, reasoning tags, turn-end tokens and names. The rules are those
// of package react; its dialects share them.
//
// The funcs that end in "At" read the beginning of a text and never look past
// its first line, so that calling them for every line is linear.
package lex

import (
	"strings"
	"unicode/utf8"
)

const (
	nbsp      = "\u00a0"
	wideColon = "：" // the full-width colon of Chinese and Japanese keyboards

	// Blanks are the signs that may stand between words.
	Blanks = " \t" + nbsp
)

// TrimBlanks returns s without the blanks it begins with.
func TrimBlanks(s string) string {
	for s != "" {
		switch {
		case s[0] == ' ' || s[0] == '\t':
			s = s[1:]
		case strings.HasPrefix(s, nbsp):
			s = s[len(nbsp):]
		default:
			return s
		}
	}
	return s
}

// TrimBlanksEnd returns s without the blanks it ends in, and without carriage
// returns between them.
func TrimBlanksEnd(s string) string {
	for s != "" {
		switch c := s[len(s)-1]; {
		case c == ' ' || c == '\t' || c == '\r':
			s = s[:len(s)-1]
		case strings.HasSuffix(s, nbsp):
			s = s[:len(s)-len(nbsp)]
		default:
			return s
		}
	}
	return s
}

// Trim returns s without the blanks round it.
func Trim(s string) string { return TrimBlanksEnd(TrimBlanks(s)) }

// TrimEnd returns s without the blanks and newlines it ends in.
func TrimEnd(s string) string {
	for {
		t := strings.TrimRight(TrimBlanksEnd(s), "\n")
		if len(t) == len(s) {
			return s
		}
		s = t
	}
}

// CutLine returns the line of s that begins at pos, without its newline, and
// where the next line begins.
func CutLine(s string, pos int) (line string, next int) {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return s[pos : pos+i], pos + i + 1
	}
	return s[pos:], len(s)
}

// FirstLine returns s up to its first newline.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// IsBlank reports whether line is empty or holds only blanks.
func IsBlank(line string) bool { return TrimBlanks(line) == "" }

// AtLineEnd reports whether nothing but blanks stands before the end of the
// first line of s.
func AtLineEnd(s string) bool {
	s = TrimBlanks(s)
	return s == "" || s[0] == '\n'
}

// CutColon cuts a colon, ASCII or full-width, and the blanks before it.
func CutColon(s string) (rest string, ok bool) {
	s = TrimBlanks(s)
	if rest, ok = strings.CutPrefix(s, ":"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, wideColon)
}

// Normalize makes s valid UTF-8, and drops a byte order mark at its start and
// the carriage returns that end its lines.
func Normalize(s string) string {
	s = strings.TrimPrefix(strings.ToValidUTF8(s, string(utf8.RuneError)), "\ufeff")
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for pos := 0; pos < len(s); {
		line, next := CutLine(s, pos)
		b.WriteString(strings.TrimRight(line, "\r"))
		if pos+len(line) < next {
			b.WriteByte('\n')
		}
		pos = next
	}
	return b.String()
}

// NonBlank returns the first line from pos that is not blank, where it begins,
// and where the one after it does.
func NonBlank(s string, pos int) (line string, at, next int) {
	for next = pos; next < len(s); {
		at = next
		if line, next = CutLine(s, at); !IsBlank(line) {
			return line, at, next
		}
	}
	return "", next, next
}

// TrimQuotes returns line without the blanks, and any number of "| ", that it
// begins with.
func TrimQuotes(line string) string {
	for {
		line = TrimBlanks(line)
		rest, ok := strings.CutPrefix(line, "| ")
		if !ok {
			return line
		}
		line = rest
	}
}

// A Stream reads the lines of a growing text, each once.
type Stream struct {
	start int // of the first line not read yet
	seen  int // how far its end has been looked for
}

// Next returns the next line that has ended, as [Normalize] would leave it, and
// where it ends. The text is the same as before, or longer.
func (s *Stream) Next(soFar string) (line string, end int, ok bool) {
	i := strings.IndexByte(soFar[s.seen:], '\n')
	if i < 0 {
		s.seen = len(soFar)
		return "", 0, false
	}
	end = s.seen + i
	line = strings.TrimRight(soFar[s.start:end], "\r")
	if s.start == 0 {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	s.start, s.seen = end+1, end+1
	return line, end, true
}
