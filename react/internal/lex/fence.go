package lex

import "strings"

// A fence is a line that opens or closes a fenced block.
type Fence struct {
	Char byte // '`' or '~'
	N    int  // how many of them
	Info string
}

// FenceAt reads the fence that s begins with.
func FenceAt(s string) (Fence, bool) {
	s = TrimBlanks(s)
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return Fence{}, false
	}
	s = FirstLine(s)
	f := Fence{Char: s[0]}
	for f.N < len(s) && s[f.N] == f.Char {
		f.N++
	}
	f.Info = Trim(s[f.N:])
	return f, f.Char == '~' || !strings.Contains(f.Info, "`")
}

// Closes reports whether f ends a block that open began.
func (f Fence) Closes(open Fence) bool {
	return f.Info == "" && f.Char == open.Char && f.N >= open.N
}

// Inside returns the inside of the block that f opened on the line before pos,
// and where the line after it begins. It reports whether a line inside would open
// another such block, which makes it a guess which of the two the next closing
// line ends, and whether the block is closed.
func (f Fence) Inside(text string, pos int) (inside string, next int, nested, closed bool) {
	for start := pos; pos < len(text); pos = next {
		var line string
		line, next = CutLine(text, pos)
		in, ok := FenceAt(line)
		if ok && in.Closes(f) {
			return text[start:max(start, pos-1)], next, nested, true
		}
		nested = nested || ok && in.Char == f.Char && in.N >= f.N
	}
	return "", pos, nested, false
}

// WriteFence writes a newline and s in a fence longer than any run of backticks
// in it.
func WriteFence(b *strings.Builder, info, s string) {
	marks := "```"
	if n := longestRun(s); n >= len(marks) {
		marks = strings.Repeat("`", n+1)
	}
	b.WriteByte('\n')
	b.WriteString(marks)
	b.WriteString(info)
	b.WriteByte('\n')
	if s != "" {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	b.WriteString(marks)
}

// longestRun returns the length of the longest run of backticks in s, or 0 if
// none has three.
func longestRun(s string) int {
	longest := 0
	for {
		i := strings.Index(s, "```")
		if i < 0 {
			return longest
		}
		after := strings.TrimLeft(s[i:], "`")
		longest = max(longest, len(s)-i-len(after))
		s = after
	}
}
