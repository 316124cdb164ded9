package workspace

import (
	"bytes"
	"unicode/utf8"
)

// maxLine is how much of a line the cleaner holds back, so that a carriage
// return or a backspace can still take it away.
const maxLine = 4 << 10

// A cleaner is a filter that turns what a program wrote for a terminal into
// text, in bounded memory, however the writes are cut:
//
//   - terminal sequences and controls other than tab and newline are dropped;
//   - of a line only the text after its last carriage return is kept, and
//     backspaces take away what stands before them;
//   - invalid bytes are shown as \xNN, marks that deceive as \u{...};
//   - many equal lines in a row become one, see [repeats].
//
// A terminal sequence that never ends is dropped up to the end of its line.
type cleaner struct {
	lines repeats
	state func(*cleaner, rune) // what to do with a rune inside a sequence; nil in text
	part  []byte               // an incomplete rune
	line  []byte               // the part of the line that is not written yet
	cr    bool                 // a carriage return is waiting for what follows
	long  bool                 // the beginning of the line is written already
}

// Write cleans p and passes it on. It never fails.
func (c *cleaner) Write(p []byte) (int, error) {
	n := len(p)
	if len(c.part) > 0 {
		p = append(c.part, p...)
		c.part = nil
	}
	for len(p) > 0 {
		if plain := c.plain(p); plain > 0 {
			c.line = append(c.line, p[:plain]...)
			c.limit()
			p = p[plain:]
			continue
		}
		if !utf8.FullRune(p) {
			c.part = bytes.Clone(p)
			break
		}
		r, size := utf8.DecodeRune(p)
		c.take(r, p[:size])
		p = p[size:]
	}
	return n, nil
}

// plain returns how many bytes of p may be taken as they are.
func (c *cleaner) plain(p []byte) int {
	if c.state != nil || c.cr {
		return 0
	}
	p = p[:min(len(p), maxLine-len(c.line))]
	for i, b := range p {
		if b < 0x20 || b >= 0x7f {
			return i
		}
	}
	return len(p)
}

// Close passes on what was held back: the last line and an incomplete rune. It
// is called once.
func (c *cleaner) Close() {
	for _, b := range c.part {
		c.take(utf8.RuneError, []byte{b})
	}
	c.lines.settle()
	c.lines.out.Write(c.line)
}

// take handles one rune, whose bytes are text.
func (c *cleaner) take(r rune, text []byte) {
	if c.state != nil {
		c.state(c, r)
		return
	}
	c.text(r, text)
}

func (c *cleaner) text(r rune, text []byte) {
	switch {
	case r == '\n':
		c.endLine()
	case r == '\r':
		c.cr = true
	case r == '\b':
		c.eraseRune()
	case control(r):
		c.state = introduced(r)
	case deceptive(r), r == utf8.RuneError && len(text) == 1:
		c.put(appendEscape(nil, r, text))
	default:
		c.put(text)
	}
}

// put adds visible text to the line.
func (c *cleaner) put(text []byte) {
	if c.cr {
		c.line, c.cr = c.line[:0], false
	}
	c.line = append(c.line, text...)
	c.limit()
}

// eraseRune applies a backspace. After a carriage return there is nothing
// before it.
func (c *cleaner) eraseRune() {
	if c.cr {
		return
	}
	_, size := utf8.DecodeLastRune(c.line)
	c.line = c.line[:len(c.line)-size]
}

// limit writes the line out when it has become too long to hold back.
func (c *cleaner) limit() {
	if len(c.line) < maxLine {
		return
	}
	c.lines.pass(c.line)
	c.line, c.long = c.line[:0], true
}

func (c *cleaner) endLine() {
	if c.long {
		c.lines.pass(append(c.line, '\n'))
	} else {
		c.lines.add(c.line)
	}
	c.line, c.cr, c.long = c.line[:0], false, false
}
