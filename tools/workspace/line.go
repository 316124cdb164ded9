package workspace

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// maxLineBytes caps what is shown of one line, whatever its characters take.
const maxLineBytes = 4 << 10

// A line is one line of a file, as far as it was kept.
type line struct {
	kept  []byte // without the line end
	size  int    // bytes in all, with the line end; 0 at the end of the file
	runes int    // characters in all, without the line end
	open  bool   // there is no line end
	cut   bool   // not all of it was kept
}

// readLine reads a line of any length and keeps enough of it to show chars
// characters. If that is 0, only the size of the line is found out.
func readLine(ctx context.Context, r *bufio.Reader, chars int) (line, error) {
	var l line
	var last byte
	keep := 0
	if chars > 0 {
		keep = 4*chars + 8
	}
	for {
		piece, err := r.ReadSlice('\n')
		if len(piece) > 0 {
			l.take(piece, last, keep)
			last = piece[len(piece)-1]
		}
		switch {
		case err == nil, err == io.EOF:
			l.open = err != nil
			if !l.open && l.size == len(l.kept) {
				l.kept = bytes.TrimSuffix(l.kept[:l.size-1], []byte{'\r'})
			}
			return l, nil
		case err != bufio.ErrBufferFull:
			return l, err
		case ctx.Err() != nil:
			return l, ctx.Err()
		}
	}
}

// take adds a piece of the line that follows the byte last.
func (l *line) take(piece []byte, last byte, keep int) {
	l.size += len(piece)
	if keep == 0 {
		return
	}
	l.runes += runeStarts(piece)
	fits := min(len(piece), keep-len(l.kept))
	l.kept = append(l.kept, piece[:fits]...)
	l.cut = l.cut || fits < len(piece)
	body, ended := bytes.CutSuffix(piece, []byte{'\n'})
	if !ended {
		return
	}
	l.runes--
	if len(body) > 0 {
		last = body[len(body)-1]
	}
	if last == '\r' {
		l.runes--
	}
}

// without returns the line without secrets. If not all of it was kept, what
// could be the beginning of a secret is taken from the end of it.
func (l line) without(s *secrets) line {
	if s.longest == 0 {
		return l
	}
	var out bytes.Buffer
	r := redactor{secrets: s, out: &out}
	r.Write(l.kept)
	if l.cut {
		r.decide(max(0, len(r.held)-s.longest+1))
	} else {
		r.Close()
	}
	l.runes += runeStarts(out.Bytes()) - runeStarts(l.kept) + runeStarts(r.held)
	l.kept = out.Bytes()
	return l
}

// show returns up to chars characters of the line, what does not show as
// escapes, and how many characters are left out.
func (l line) show(chars int) (text []byte, rest int, escaped bool) {
	left := l.kept
	for n := 0; len(left) > 0 && n < chars && len(text) < maxLineBytes; n++ {
		var size int
		var hidden bool
		text, size, hidden = appendVisible(text, left)
		left = left[size:]
		escaped = escaped || hidden
	}
	rest = max(0, l.runes-runeStarts(l.kept[:len(l.kept)-len(left)]))
	if len(left) > 0 {
		rest = max(1, rest)
	}
	return text, rest, escaped
}

// runeStarts counts the bytes that begin a rune, which in UTF-8 is the number
// of runes, however the text is cut.
func runeStarts(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}
