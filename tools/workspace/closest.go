package workspace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

const (
	maxCandidates = 1000 // places with the first line of a search that are compared
	maxCompared   = 100  // lines compared at each
	shortText     = 100  // bytes of a line that an error quotes
)

// notFound is the error of a search that nothing matches. It leads the model to
// the lines it may have meant.
func (e *edit) notFound(flat []byte, search []string) error {
	name := quotePath(e.asked)
	line, text := closest(flat, search)
	if line == 0 {
		return fmt.Errorf("not found in %s; copy the lines from read_file %s", name, name)
	}
	first := max(1, line-3)
	last := min(line+max(5, min(len(search), maxCompared)), lineCount(flat))
	return fmt.Errorf("not found in %s; line %d is closest: %s; copy the lines from read_file %s %d-%d",
		name, e.before(line), shortQuote(e.hidden.hide(text)), name, e.before(first), e.before(last))
}

// closest returns the first line that differs from search at the place where
// most lines are equal to it from its first on. If there is no such place, it is
// the line most like the first one, or 0 if none is much like it.
func closest(flat []byte, search []string) (line int, text string) {
	for len(search) > 1 && isBlank(search[0]) {
		search = search[1:]
	}
	var equal, candidates int
	likeness := 0.5
	n := 0
	for pos := 0; pos < len(flat); {
		n++
		end := skipLines(flat, pos, 1)
		here := bytes.TrimSuffix(flat[pos:end], lf)
		if string(here) == search[0] {
			if candidates++; candidates <= maxCandidates {
				if k, next := equalLines(flat[pos:], search); k > equal {
					equal, line, text = k, n+k, next
				}
			}
		} else if l := similar(here, search[0]); equal == 0 && l > likeness {
			likeness, line, text = l, n, string(here)
		}
		pos = end
	}
	if line > n {
		line, text = n, "" // the file ends where the search goes on
	}
	return line, text
}

// equalLines counts the lines at the start of flat that are those of search, and
// returns the line that follows them.
func equalLines(flat []byte, search []string) (n int, next string) {
	for ; n < min(len(search), maxCompared); n++ {
		end := skipLines(flat, 0, 1)
		if end == 0 || string(flat[:end]) != search[n]+"\n" {
			break
		}
		flat = flat[end:]
	}
	here, _, _ := bytes.Cut(flat, lf)
	return n, string(here)
}

// similar says how much of two lines is equal at their starts and ends, without
// the blanks around them: from 0 to 1.
func similar(line []byte, wanted string) float64 {
	a, b := bytes.TrimSpace(line), strings.TrimSpace(wanted)
	longer, shorter := max(len(a), len(b)), min(len(a), len(b))
	if shorter == 0 {
		return 0
	}
	start := 0
	for start < shorter && a[start] == b[start] {
		start++
	}
	end := 0
	for end < shorter-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return float64(start+end) / float64(longer)
}

// shortQuote quotes the beginning of a text.
func shortQuote(s string) string {
	if len(s) <= shortText {
		return strconv.Quote(s)
	}
	return strconv.Quote(string(wholeRunes([]byte(s[:shortText]))) + "...")
}
