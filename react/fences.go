package react

import "github.com/actdone/actdone/react/internal/lex"

// A span is the inside of a closed lex.Fence, and where the line after it begins.
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
func (c *closings) block(text string, open lex.Fence, pos int) (span, bool) {
	if !c.ready {
		c.collect(text, pos)
	}
	for len(c.at) > 0 && c.at[0].pos < pos {
		c.at = c.at[1:]
	}
	if len(c.at) == 0 || c.at[0].max[kindOf(open)] < open.N {
		return span{}, false
	}
	for _, at := range c.at {
		line, next := lex.CutLine(text, at.pos)
		if f, _ := lex.FenceAt(line); f.Closes(open) {
			return span{start: pos, end: max(pos, at.pos-1), next: next}, true
		}
	}
	return span{}, false // unreachable: max says that one closes it
}

// collect lists the lines from pos on that may close a block.
func (c *closings) collect(text string, pos int) {
	c.ready = true
	for pos < len(text) {
		line, next := lex.CutLine(text, pos)
		if f, ok := lex.FenceAt(line); ok && f.Info == "" {
			at := closing{pos: pos}
			at.max[kindOf(f)] = f.N
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

func kindOf(f lex.Fence) int {
	if f.Char == '~' {
		return 1
	}
	return 0
}
