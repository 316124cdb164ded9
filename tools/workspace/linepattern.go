package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

const (
	maxPattern = 1000    // bytes of a regular expression
	maxStates  = 10_000  // what it may come to when its repeats are written out
	maxSteps   = 4 << 20 // states times bytes of a line that is matched in one go
)

// A linePattern tells which lines of a text match. Its time is linear in the
// length of the text.
type linePattern struct {
	re     *regexp.Regexp
	states int

	// literal is in every line that matches; it may be empty. If it is folded,
	// that holds for the line in lower case.
	literal []byte
	folded  bool
	enough  bool // and every line with the literal matches
}

// newLinePattern compiles a regular expression, or a plain text.
func newLinePattern(pattern string, fixed, ignoreCase bool) (*linePattern, error) {
	switch {
	case len(pattern) > maxPattern:
		return nil, fmt.Errorf("the pattern has %s bytes (max %s); use a part of it", comma(len(pattern)), comma(maxPattern))
	case strings.Contains(pattern, "\n"):
		return nil, errors.New("the pattern has several lines, but grep looks at one line at a time; use one of them and context=")
	case fixed:
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := syntax.Perl
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("bad pattern at %q: %s; use fixed=1 for plain text", bad.Expr, strings.Replace(bad.Code.String(), "missing closing", "missing", 1))
	}
	if err != nil {
		return nil, err
	}
	p := &linePattern{states: states(tree)}
	if p.states > maxStates {
		return nil, fmt.Errorf("the repeats of the pattern come to %s states (max %s); use smaller ones", comma(p.states), comma(maxStates))
	}
	if p.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, err
	}
	p.literal, p.folded = literal(tree)
	p.enough = tree.Op == syntax.OpLiteral && !p.folded && len(p.literal) > 0
	return p, nil
}

// states estimates the size of the program for a regular expression.
func states(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += states(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}

// literal returns the longest text that is in all that re matches, and whether
// it is there in lower case only when the rest is made so.
func literal(re *syntax.Regexp) (text []byte, folded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return longestASCII(re.Rune), true
		}
		if strings.ContainsRune(string(re.Rune), utf8.RuneError) {
			return nil, false // it matches bytes that are not UTF-8 as well
		}
		return []byte(string(re.Rune)), false
	case syntax.OpCapture, syntax.OpPlus:
		return literal(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literal(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t, f := literal(sub); len(t) > len(text) {
				text, folded = t, f
			}
		}
	}
	return text, folded
}

// longestASCII returns the longest piece of a text in which each letter is,
// but for its case, one byte: k is also the sign of the kelvin, and s a long s.
func longestASCII(text []rune) []byte {
	longest := ""
	for piece := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }) {
		if len(piece) > len(longest) {
			longest = piece
		}
	}
	return []byte(strings.ToLower(longest))
}

// next returns the start of the first line at or behind from that may match, or
// -1. The text is folded if the literal is.
func (p *linePattern) next(text []byte, from int) int {
	if len(p.literal) == 0 {
		if from < len(text) {
			return from
		}
		return -1
	}
	i := bytes.Index(text[from:], p.literal)
	if i < 0 {
		return -1
	}
	return from + bytes.LastIndexByte(text[from:from+i], '\n') + 1
}

// match reports whether a line that next has found does match. It gives up when
// ctx ends.
func (p *linePattern) match(ctx context.Context, line []byte) bool {
	switch {
	case p.enough:
		return true
	case len(line)*p.states <= maxSteps:
		return p.re.Match(line)
	}
	return p.re.MatchReader(&interruptible{ctx: ctx, text: line})
}

// find returns where in the line the match begins and ends.
func (p *linePattern) find(ctx context.Context, line []byte) (start, end int) {
	at := p.re.FindReaderIndex(&interruptible{ctx: ctx, text: line})
	if at == nil {
		return 0, 0
	}
	return at[0], at[1]
}

// An interruptible is a text that ends when its context does, so that matching
// it can be stopped.
type interruptible struct {
	ctx  context.Context
	text []byte
	read int // runes
}

// ReadRune implements [io.RuneReader].
func (t *interruptible) ReadRune() (rune, int, error) {
	if t.read++; len(t.text) == 0 || t.read%64 == 0 && t.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRune(t.text)
	t.text = t.text[size:]
	return r, size, nil
}

// foldASCII puts text in lower case into dst, byte by byte, and returns it.
func foldASCII(dst, text []byte) []byte {
	dst = append(dst[:0], text...)
	for i, c := range dst {
		if 'A' <= c && c <= 'Z' {
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst
}
