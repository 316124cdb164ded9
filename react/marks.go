package react

import (
	"strings"
	"unicode/utf8"
)

// This file tells what a line is: a marker, a label, a fence, a reasoning tag.
// The funcs that end in "At" read the beginning of a text and never look past
// its first line, so that calling them for every line is linear.

const (
	nbsp      = "\u00a0"
	blanks    = " \t" + nbsp
	wideColon = "：" // the full-width colon of Chinese and Japanese keyboards
)

// trimBlanks returns s without the blanks it begins with.
func trimBlanks(s string) string {
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

// trimBlanksEnd returns s without the blanks it ends in, and without carriage
// returns between them.
func trimBlanksEnd(s string) string {
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

// trimEnd returns s without the blanks and newlines it ends in.
func trimEnd(s string) string {
	for {
		t := strings.TrimRight(trimBlanksEnd(s), "\n")
		if len(t) == len(s) {
			return s
		}
		s = t
	}
}

// cutLine returns the line of s that begins at pos, without its newline, and
// where the next line begins.
func cutLine(s string, pos int) (line string, next int) {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return s[pos : pos+i], pos + i + 1
	}
	return s[pos:], len(s)
}

// firstLine returns s up to its first newline.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func isBlank(line string) bool { return trimBlanks(line) == "" }

// atLineEnd reports whether nothing but blanks stands before the end of the
// first line of s.
func atLineEnd(s string) bool {
	s = trimBlanks(s)
	return s == "" || s[0] == '\n'
}

// cutColon cuts a colon, ASCII or full-width, and the blanks before it.
func cutColon(s string) (rest string, ok bool) {
	s = trimBlanks(s)
	if rest, ok = strings.CutPrefix(s, ":"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, wideColon)
}

// cutMarkup cuts what may stand before a marker: blanks, heading marks, bold or
// one backtick. The last two are returned, for they want closing.
func cutMarkup(s string) (rest, open string) {
	s = trimBlanks(s)
	if after := strings.TrimLeft(s, "#"); len(after) < len(s) {
		s = trimBlanks(after)
	}
	for _, open := range [...]string{"**", "__", "`"} {
		if rest, ok := strings.CutPrefix(s, open); ok {
			return rest, open
		}
	}
	return s, ""
}

// A marker is ACT: or DONE: at the start of a line.
type marker struct {
	kind Kind
	bare bool   // DONE alone on its line, without a colon
	open string // markup opened before the label and not closed yet
	rest string // the text after the marker, to the end of the reply
}

// markerAt reads the marker that s begins with.
func markerAt(s string) (marker, bool) {
	s, open := cutMarkup(s)
	m := marker{kind: Act}
	s, ok := strings.CutPrefix(s, "ACT")
	if !ok {
		m.kind = Done
		if s, ok = strings.CutPrefix(s, "DONE"); !ok {
			return marker{}, false
		}
	}
	s, open = cutClosing(s, open)
	if m.rest, ok = cutColon(s); !ok {
		m.rest, m.bare = trimBlanks(s), true
		if m.kind == Done && turnEnds(m.rest) {
			m.bare = false // whatever follows
			return m, true
		}
		return m, m.kind == Done && atLineEnd(s)
	}
	m.rest, m.open = cutClosing(m.rest, open)
	return m, true
}

// turnEnds reports whether nothing but turn-end tokens stands before the end of
// the first line of s. It looks no further than a few tokens.
func turnEnds(s string) bool {
	if !strings.HasPrefix(s, "<") {
		return false
	}
	line := s[:min(len(s), 4*longestToken)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	} else if len(line) < len(s) {
		return false
	}
	rest, ended := cutTurnEnd(line)
	return ended && isBlank(rest)
}

// cutClosing cuts the markup that closes open, if s begins with it, and
// returns what is still open.
func cutClosing(s, open string) (rest, still string) {
	if open == "" {
		return s, ""
	}
	if rest, ok := strings.CutPrefix(s, open); ok {
		return rest, ""
	}
	return s, open
}

// hasMarker reports whether a line of s is a marker with a colon.
func hasMarker(s string) bool {
	for pos := 0; pos < len(s); _, pos = cutLine(s, pos) {
		if m, ok := markerAt(s[pos:]); ok && !m.bare {
			return true
		}
	}
	return false
}

// nearMarker reports whether a line of s would be a marker in upper case, or
// without the list mark or quote before it.
func nearMarker(s string) bool {
	for pos := 0; pos < len(s); _, pos = cutLine(s, pos) {
		line := strings.TrimLeft(s[pos:min(len(s), pos+32)], " \t>-*0123456789.)")
		for _, word := range []string{"ACT", "DONE"} {
			if len(line) > len(word) && strings.EqualFold(line[:len(word)], word) {
				if _, ok := cutColon(line[len(word):]); ok {
					return true
				}
			}
		}
	}
	return false
}

// labelAt reports whether s begins with an observation label, and returns the
// text after it.
func labelAt(s string) (rest string, ok bool) {
	s, open := cutMarkup(s)
	for _, label := range []string{"observation", "obs"} {
		if len(s) >= len(label) && strings.EqualFold(s[:len(label)], label) {
			rest, open = cutClosing(s[len(label):], open)
			if rest, ok = cutColon(rest); ok {
				rest, _ = cutClosing(rest, open)
				return rest, true
			}
		}
	}
	return "", false
}

// openTagAt returns the text after the reasoning tag that s begins with, or
// false.
func openTagAt(s string) (rest string, ok bool) {
	s = trimBlanks(s)
	if rest, ok = strings.CutPrefix(s, "<think>"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, "<thinking>")
}

// cutClosingTag cuts s round its first closing reasoning tag.
func cutClosingTag(s string) (before, after string, ok bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], "</think")
		if i < 0 {
			return s, "", false
		}
		start := from + i
		from = start + len("</think")
		if after, ok = strings.CutPrefix(strings.TrimPrefix(s[from:], "ing"), ">"); ok {
			return s[:start], after, true
		}
	}
}

// endsInClosingTag reports whether line ends in a closing reasoning tag.
func endsInClosingTag(line string) bool {
	line = trimBlanksEnd(line)
	return strings.HasSuffix(line, "</think>") || strings.HasSuffix(line, "</thinking>")
}

// longestToken is how far back a turn-end token is looked for, in bytes.
const longestToken = 64

// cutTurnEnd returns s without the turn-end tokens it ends in and the white
// space around them; without any, s as it is.
func cutTurnEnd(s string) (rest string, cut bool) {
	for rest = s; ; cut = true {
		trimmed := trimEnd(rest)
		n := turnEndLen(trimmed)
		if n == 0 {
			return rest, cut
		}
		rest = trimEnd(trimmed[:len(trimmed)-n])
	}
}

// turnEndLen returns the length of the turn-end token that s ends in, or 0.
func turnEndLen(s string) int {
	for _, token := range []string{"</s>", "<end_of_turn>"} {
		if strings.HasSuffix(s, token) {
			return len(token)
		}
	}
	if !strings.HasSuffix(s, "|>") {
		return 0
	}
	near := s[max(0, len(s)-longestToken):]
	i := strings.LastIndex(near, "<|")
	if i < 0 || len(near)-i <= len("<||>") || strings.ContainsAny(near[i:], blanks+"\n") {
		return 0
	}
	return len(near) - i
}

// unwrap takes equal runs of backticks from both ends of a line of input, where
// the run stands nowhere inside. What would be read differently without them
// keeps them.
func unwrap(s string) string {
	inner := s
	for range 3 { // nobody packs deeper, and it bounds the work
		var ok bool
		if inner, ok = unwrapOnce(inner); !ok {
			return inner
		}
	}
	if _, deeper := unwrapOnce(inner); deeper {
		return s
	}
	return inner
}

func unwrapOnce(s string) (inner string, ok bool) {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	if n == 0 || len(s) <= 2*n || len(s)-len(strings.TrimRight(s, "`")) != n {
		return s, false
	}
	inner = trimBlanksEnd(trimBlanks(s[n : len(s)-n]))
	if inner == "" || holdsRun(inner, n) || turnEndLen(inner) > 0 {
		return s, false
	}
	return inner, true
}

// holdsRun reports whether s holds a run of exactly n backticks.
func holdsRun(s string, n int) bool {
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '`' {
			run++
			continue
		}
		if run == n {
			return true
		}
		run = 0
	}
	return false
}

// normalize makes s valid UTF-8, and drops a byte order mark at its start and
// the carriage returns that end its lines.
func normalize(s string) string {
	s = strings.TrimPrefix(strings.ToValidUTF8(s, string(utf8.RuneError)), "\ufeff")
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for pos := 0; pos < len(s); {
		line, next := cutLine(s, pos)
		b.WriteString(strings.TrimRight(line, "\r"))
		if pos+len(line) < next {
			b.WriteByte('\n')
		}
		pos = next
	}
	return b.String()
}
