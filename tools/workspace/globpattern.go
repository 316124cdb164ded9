package workspace

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxGlob         = 256 // bytes of a pattern
	maxAlternatives = 32  // patterns that the braces of one stand for
)

// A globPattern is a pattern for paths, such as pkg/**/*_test.{go,txt}.
type globPattern struct {
	alternatives []string // without braces, so that matching takes bounded time
	deep         bool     // ** stands for any number of directories
	depth        int      // slashes in a path that matches; more if deep
}

// newGlob reads a pattern relative to a directory, which it does not lead out
// of.
func newGlob(pattern string) (*globPattern, error) {
	switch {
	case pattern == "":
		return nil, errors.New("no pattern; use glob PATTERN, such as **/*_test.go")
	case len(pattern) > maxGlob:
		return nil, fmt.Errorf("the pattern has %s bytes (max %d); use a shorter one", comma(len(pattern)), maxGlob)
	case path.IsAbs(pattern), slices.Contains(strings.Split(pattern, "/"), ".."):
		return nil, fmt.Errorf("%s is %w; use a pattern under the workspace root", inLine(pattern), ErrOutside)
	case !doublestar.ValidatePattern(pattern):
		return nil, fmt.Errorf(`bad pattern %s; the special characters are * ** ? [a-z] {a,b}, and \ before one makes it plain`, inLine(pattern))
	}
	g := &globPattern{alternatives: alternatives(nil, trimPattern(pattern))}
	if len(g.alternatives) > maxAlternatives {
		return nil, fmt.Errorf("the braces of %s stand for too many patterns (max %d); use fewer", inLine(pattern), maxAlternatives)
	}
	for _, a := range g.alternatives {
		g.deep = g.deep || strings.Contains(a, "**")
		g.depth = max(g.depth, strings.Count(a, "/"))
	}
	return g, nil
}

// trimPattern takes from a pattern what says nothing: ./ at the start, / at the end.
func trimPattern(pattern string) string {
	for strings.HasPrefix(pattern, "./") {
		pattern = strings.TrimLeft(pattern[1:], "/")
	}
	return strings.TrimRight(pattern, "/")
}

// match reports whether the path rel matches.
func (g *globPattern) match(rel string) bool {
	return slices.ContainsFunc(g.alternatives, func(a string) bool { return doublestar.MatchUnvalidated(a, rel) })
}

// reaches reports whether paths with more slashes than depth may match.
func (g *globPattern) reaches(depth int) bool { return g.deep || depth < g.depth }

// base cuts off the directories with which every path that matches begins.
func (g *globPattern) base() string {
	if len(g.alternatives) > 1 {
		return "."
	}
	base, rest := doublestar.SplitPattern(g.alternatives[0])
	g.alternatives[0] = rest
	g.depth = strings.Count(rest, "/")
	return base
}

// alternatives adds to list the patterns that the braces of a valid pattern
// stand for. It stops when there are too many.
func alternatives(list []string, pattern string) []string {
	open := indexSpecial(pattern, 0, "{")
	if open < 0 {
		return append(list, pattern)
	}
	for start, depth, i := open+1, 0, open+1; len(list) <= maxAlternatives; i++ {
		if i = indexSpecial(pattern, i, "{,}"); i < 0 {
			return append(list, pattern) // unreachable unless the pattern is not valid
		}
		switch {
		case pattern[i] == '{':
			depth++
		case depth > 0 && pattern[i] == '}':
			depth--
		case depth == 0:
			list = alternatives(list, pattern[:open]+pattern[start:i]+pattern[closing(pattern, i)+1:])
			start = i + 1
			if pattern[i] == '}' {
				return list
			}
		}
	}
	return list
}

// closing returns the index of the brace that ends the alternative in which
// pattern[from] is the comma or the brace behind it.
func closing(pattern string, from int) int {
	for depth, i := 0, from; ; i++ {
		if i = indexSpecial(pattern, i, "{}"); i < 0 {
			return len(pattern) - 1 // unreachable unless the pattern is not valid
		}
		switch {
		case pattern[i] == '{':
			depth++
		case depth == 0:
			return i
		default:
			depth--
		}
	}
}

// indexSpecial returns the index of the first of the special characters at or
// behind from, or -1. Behind a \ and inside [] no character is special.
func indexSpecial(pattern string, from int, special string) int {
	class := false
	for i := from; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case strings.IndexByte(special, c) >= 0:
			return i
		}
	}
	return -1
}

// inLine returns a pattern as a message of one line shows it.
func inLine(pattern string) string { return strings.ReplaceAll(visible(pattern), "\n", `\n`) }
