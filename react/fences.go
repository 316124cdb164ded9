package react

import "strings"

// A fence is a line that opens or closes a fenced block.
type fence struct {
	char byte // '`' or '~'
	n    int  // how many of them
	info string
}

// fenceAt reads the fence that s begins with.
func fenceAt(s string) (fence, bool) {
	s = trimBlanks(s)
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return fence{}, false
	}
	s = firstLine(s)
	f := fence{char: s[0]}
	for f.n < len(s) && s[f.n] == f.char {
		f.n++
	}
	f.info = trimBlanksEnd(trimBlanks(s[f.n:]))
	return f, f.char == '~' || !strings.Contains(f.info, "`")
}

// closes reports whether f ends a block that open began.
func (f fence) closes(open fence) bool {
	return f.info == "" && f.char == open.char && f.n >= open.n
}

// A span is the inside of a closed fence, and where the line after it begins.
type span struct{ start, end, next int }

// closings finds the end of closed fences in linear time.
type closings struct {
	ready bool
	at    []closing
}

// A closing is a line that may close a block: it and those after it close
// blocks of up to max[0] backticks, max[1] tildes.
type closing struct {
	pos int
	max [2]int
}

// block returns the inside of the block that open began on the line before pos,
// if it is closed.
func (c *closings) block(text string, open fence, pos int) (span, bool) {
	if !c.ready {
		c.collect(text, pos)
	}
	for len(c.at) > 0 && c.at[0].pos < pos {
		c.at = c.at[1:]
	}
	if len(c.at) == 0 || c.at[0].max[kindOf(open)] < open.n {
		return span{}, false
	}
	for _, at := range c.at {
		line, next := cutLine(text, at.pos)
		if f, _ := fenceAt(line); f.closes(open) {
			return span{start: pos, end: max(pos, at.pos-1), next: next}, true
		}
	}
	return span{}, false // unreachable: max says that one closes it
}

// collect lists the lines from pos on that may close a block.
func (c *closings) collect(text string, pos int) {
	c.ready = true
	for pos < len(text) {
		line, next := cutLine(text, pos)
		if f, ok := fenceAt(line); ok && f.info == "" {
			at := closing{pos: pos}
			at.max[kindOf(f)] = f.n
			c.at = append(c.at, at)
		}
		pos = next
	}
	for i := len(c.at) - 2; i >= 0; i-- {
		for k := range c.at[i].max {
			c.at[i].max[k] = max(c.at[i].max[k], c.at[i+1].max[k])
		}
	}
}

func kindOf(f fence) int {
	if f.char == '~' {
		return 1
	}
	return 0
}
