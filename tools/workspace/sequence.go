package workspace

// The states of a cleaner inside a terminal sequence (ECMA-48). Each takes a
// rune that belongs to the sequence, and sets the next state; a rune that does
// not is given back to the text, so a line end is never lost.

// introduced returns the state after a control. Most stand alone: the state is
// text again.
func introduced(r rune) func(*cleaner, rune) {
	switch r {
	case 0x1b:
		return (*cleaner).afterEscape
	case 0x9b:
		return (*cleaner).inParameters
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return (*cleaner).inString
	}
	return nil
}

func (c *cleaner) afterEscape(r rune) {
	switch {
	case r == '[':
		c.state = (*cleaner).inParameters
	case r == ']', r == 'P', r == 'X', r == '^', r == '_':
		c.state = (*cleaner).inString
	case r == 0x1b:
	default:
		c.afterIntermediate(r)
	}
}

// afterIntermediate follows the first bytes of sequences such as ESC ( B.
func (c *cleaner) afterIntermediate(r rune) {
	switch {
	case r >= 0x20 && r <= 0x2f:
		c.state = (*cleaner).afterIntermediate
	case r >= 0x30 && r <= 0x7e:
		c.state = nil
	default:
		c.giveBack(r)
	}
}

func (c *cleaner) inParameters(r rune) {
	switch {
	case r >= 0x20 && r <= 0x3f:
	case r >= 0x40 && r <= 0x7e:
		c.state = nil
	default:
		c.giveBack(r)
	}
}

// inString follows OSC, DCS, SOS, PM and APC, which hold text up to BEL or ST.
func (c *cleaner) inString(r rune) {
	switch r {
	case 0x07, 0x9c, 0x18, 0x1a:
		c.state = nil
	case 0x1b:
		c.state = (*cleaner).afterStringEscape
	case '\n':
		c.giveBack(r)
	}
}

func (c *cleaner) afterStringEscape(r rune) {
	if r == '\\' {
		c.state = nil
		return
	}
	c.afterEscape(r)
}

// giveBack ends a broken sequence; r is text or begins another one.
func (c *cleaner) giveBack(r rune) {
	c.state = nil
	c.text(r, []byte(string(r)))
}
