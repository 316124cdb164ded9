package react

import (
	"strings"

	"github.com/actdone/actdone/react/internal/lex"
)

// This file tells markers and labels. The funcs that end in "At" read the
// beginning of a text and never look past its first line, so that calling them
// for every line is linear.

// cutMarkup cuts what may stand before a marker: blanks, heading marks, bold or
// one backtick. The last two are returned, for they want closing.
func cutMarkup(s string) (rest, open string) {
	s = lex.TrimBlanks(s)
	if after := strings.TrimLeft(s, "#"); len(after) < len(s) {
		s = lex.TrimBlanks(after)
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
	if m.rest, ok = lex.CutColon(s); !ok {
		m.rest, m.bare = lex.TrimBlanks(s), true
		if m.kind == Done && turnEnds(m.rest) {
			m.bare = false // whatever follows
			return m, true
		}
		return m, m.kind == Done && lex.AtLineEnd(s)
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
	line := s[:min(len(s), 4*lex.LongestToken)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	} else if len(line) < len(s) {
		return false
	}
	rest, ended := lex.CutTurnEnd(line)
	return ended && lex.IsBlank(rest)
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
	for pos := 0; pos < len(s); _, pos = lex.CutLine(s, pos) {
		if m, ok := markerAt(s[pos:]); ok && !m.bare {
			return true
		}
	}
	return false
}

// nearMarker reports whether a line of s would be a marker in upper case, or
// without the list mark or quote before it.
func nearMarker(s string) bool {
	for pos := 0; pos < len(s); _, pos = lex.CutLine(s, pos) {
		line := strings.TrimLeft(s[pos:min(len(s), pos+32)], " \t>-*0123456789.)")
		for _, word := range []string{"ACT", "DONE"} {
			if len(line) > len(word) && strings.EqualFold(line[:len(word)], word) {
				if _, ok := lex.CutColon(line[len(word):]); ok {
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
			if rest, ok = lex.CutColon(rest); ok {
				rest, _ = cutClosing(rest, open)
				return rest, true
			}
		}
	}
	return "", false
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
	inner = lex.Trim(s[n : len(s)-n])
	if inner == "" || holdsRun(inner, n) || lex.TurnEndLen(inner) > 0 {
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
