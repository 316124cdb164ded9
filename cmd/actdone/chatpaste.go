package main

import (
	"strings"
	"unicode/utf8"
)

// What makes a terminal mark what is pasted, and the marks.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// newline stands for a line end of what is pasted, so that it does not end the
// question.
const newline = "⏎"

// A paste takes the marks out of what is typed, and the line ends out of what is
// pasted.
type paste struct {
	on   bool
	cr   bool   // the last byte of it was a carriage return
	half string // the beginning of what may be a mark
}

// take returns the keys of what has been read.
func (p *paste) take(data []byte) string {
	text := p.half + string(data)
	p.half = ""
	var keys strings.Builder
	for text != "" {
		mark := pasteBegin
		if p.on {
			mark = pasteEnd
		}
		before, after, found := strings.Cut(text, mark)
		if !found {
			before, p.half = cutHalf(text, mark)
		}
		keys.WriteString(p.plain(before))
		p.on = p.on != found
		text = after
	}
	return keys.String()
}

// plain makes what is pasted fit for one line.
func (p *paste) plain(text string) string {
	if !p.on {
		return text
	}
	var b strings.Builder
	for i := range len(text) { // bytes: the last character may be cut
		switch c := text[i]; {
		case c == '\r', c == '\n' && !p.cr:
			b.WriteString(newline)
		case c == '\t':
			b.WriteByte(' ')
		case c >= ' ' && c != 0x7f:
			b.WriteByte(c)
		}
		p.cr = text[i] == '\r'
	}
	return b.String()
}

// cutHalf cuts off the beginning of mark that text ends in.
func cutHalf(text, mark string) (before, half string) {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return text[:len(text)-n], text[len(text)-n:]
		}
	}
	return text, ""
}

// whole reports whether keys end with a whole key.
func whole(keys string) bool {
	if i := strings.LastIndexByte(keys, '\x1b'); i >= 0 && !strings.ContainsFunc(keys[i:], endsKey) {
		return false
	}
	last := len(keys)
	for last > 0 && len(keys)-last < utf8.UTFMax {
		last--
		if utf8.RuneStart(keys[last]) {
			return utf8.FullRuneInString(keys[last:])
		}
	}
	return keys != ""
}

func endsKey(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '~' }
