package react

import (
	"slices"
	"strings"

	"github.com/actdone/actdone/tools"
)

// match returns the index of the tool that a model meant by name, or -1: the
// one of exactly that name, else the only one that has it without regard to
// case, - and _, invisible signs, and the marks that models put round names.
func match(list []tools.Tool, name string) int {
	for i := range list {
		if list[i].Name == name {
			return i
		}
	}
	plain, found := plainName(name), -1
	for i := range list {
		if plainName(list[i].Name) == plain {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

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
	return editDistance(a, b)
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

// editDistance is the Levenshtein distance of a and b, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
