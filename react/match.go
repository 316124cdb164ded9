package react

import (
	"slices"
	"strings"

	"github.com/actdone/actdone/internal/levenshtein"
	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// match returns the index of the tool that a model meant by name, or -1: names
// are the same without regard to case, - and _, invisible signs, and the marks
// that models put round names.
func match(list []tools.Tool, name string) int { return lex.Match(list, name, plainName) }

// invisible signs cannot be part of a name that a model sees.
var invisible = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "-", "_")

// around are the marks that models put round names. A mark that opens before a
// name and does not close behind it belongs to something longer.
var around = [...][2]string{{"**", "**"}, {"*", "*"}, {"`", "`"}, {`"`, `"`}, {"'", "'"}, {"[", "]"}, {"(", ")"}, {"{", "}"}}

func plainName(s string) string {
	s = strings.ToLower(invisible.Replace(s))
	for again := true; again; {
		s, again = strings.TrimSuffix(s, ":"), false
		for _, marks := range around {
			if inner, ok := strings.CutPrefix(s, marks[0]); ok && strings.HasSuffix(inner, marks[1]) {
				s, again = strings.TrimSuffix(inner, marks[1]), true
			}
		}
	}
	return s
}

// suggest returns the names that unknown may stand for, nearest first, at most
// three.
func suggest(list []tools.Tool, unknown string) []string {
	if len(unknown) > longestName {
		return nil
	}
	plain := plainName(unknown)
	var at [3][]string // by distance
	for _, t := range list {
		if d := nameDistance(plain, plainName(t.Name)); d < len(at) {
			at[d] = append(at[d], t.Name)
		}
	}
	near := slices.Concat(at[:]...)
	return near[:min(len(near), 3)]
}

// longestName is the longest name that is compared with others, in bytes.
const longestName = 64

// nameDistance is the number of letters to change, at least 3 where the names
// have little in common. A name that holds the other as a word is near: 1. So is
// one that shortens the other, as ls does list: 2.
func nameDistance(a, b string) int {
	const far = 3
	switch {
	case a == b:
		return 0
	case a == "" || b == "":
		return far
	}
	words := func(r rune) bool { return r == '_' || r == '.' || r == '(' || r == '[' || r == '/' }
	for _, word := range strings.FieldsFunc(a, words) {
		if word == b {
			return 1
		}
	}
	switch {
	case len(b) > longestName:
		return far
	case len(a) >= 2 && shortens(a, b):
		return 2
	case min(len(a), len(b)) < far:
		return far
	}
	return levenshtein.Distance(a, b, far-1)
}

// shortens reports whether a is b with letters left out, but not the first.
func shortens(a, b string) bool {
	if a[0] != b[0] {
		return false
	}
	for i := 0; i < len(b) && a != ""; i++ {
		if a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}
