package e2e

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A screen is what a terminal shows: enough of one for lines of text, colours
// and the erasing of lines. Nothing scrolls out of it.
type screen struct {
	width   int
	rows    [][]cell
	x, y    int
	style   string // such as "2" (dim) or "1;36"
	pending []byte // the beginning of a sequence whose end has not come yet

	// unknown holds the sequences that it does not know, wrapped the lines
	// that did not fit.
	unknown []string
	wrapped int

	// passed holds the lines that were written over or erased.
	passed []string
}

type cell struct {
	r     rune
	style string
}

// Write takes what a program prints.
func (s *screen) Write(p []byte) (int, error) {
	data := append(s.pending, p...)
	for len(data) > 0 {
		n := s.take(data)
		if n == 0 {
			break
		}
		data = data[n:]
	}
	s.pending = append([]byte(nil), data...)
	return len(p), nil
}

// take takes a character or a sequence, and returns its length, or 0 if data
// holds only part of it.
func (s *screen) take(data []byte) int {
	if data[0] == '\x1b' {
		return s.escape(data)
	}
	if !utf8.FullRune(data) {
		return 0
	}
	r, size := utf8.DecodeRune(data)
	switch r {
	case '\r':
		s.keep()
		s.x = 0
	case '\n':
		s.y++
	case '\b':
		s.x = max(0, s.x-1)
	case '\a':
	default:
		s.put(r)
	}
	return size
}

// escape takes a control sequence.
func (s *screen) escape(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	if data[1] != '[' {
		s.unknown = append(s.unknown, string(data[:2]))
		return 2
	}
	end := 2
	for end < len(data) && (data[end] < '@' || data[end] > '~') {
		end++
	}
	if end == len(data) {
		return 0
	}
	s.control(string(data[2:end]), data[end])
	return end + 1
}

// control obeys a control sequence.
func (s *screen) control(args string, final byte) {
	switch {
	case final == 'm':
		s.style = strings.TrimLeft(args, "0")
	case final == 'K' && strings.Trim(args, "0") == "":
		if s.y < len(s.rows) && s.x < len(s.rows[s.y]) {
			s.rows[s.y] = s.rows[s.y][:s.x]
		}
	case final == 'C':
		n, _ := strconv.Atoi(args)
		s.x += max(1, n)
	case (final == 'h' || final == 'l') && strings.HasPrefix(args, "?"):
	default:
		s.unknown = append(s.unknown, "["+args+string(final))
	}
}

// keep notes the line under the cursor, which may be about to change.
func (s *screen) keep() {
	if s.y < len(s.rows) {
		s.passed = append(s.passed, line(s.rows[s.y]))
	}
}

// put prints a character.
func (s *screen) put(r rune) {
	if s.x >= s.width {
		s.x = 0
		s.y++
		s.wrapped++
	}
	for len(s.rows) <= s.y {
		s.rows = append(s.rows, nil)
	}
	for len(s.rows[s.y]) <= s.x {
		s.rows[s.y] = append(s.rows[s.y], cell{r: ' '})
	}
	s.rows[s.y][s.x] = cell{r, s.style}
	s.x++
}

// line returns what can be read on a row, without blanks at its end.
func line(row []cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteRune(c.r)
	}
	return strings.TrimRight(b.String(), " ")
}

// text returns what can be read.
func (s *screen) text() string {
	var lines []string
	for _, row := range s.rows {
		lines = append(lines, line(row))
	}
	return strings.Join(lines, "\n")
}

// styled returns the text in which each stretch of a style is in brackets, such
// as <2:dim words>.
func (s *screen) styled() string {
	var b strings.Builder
	for _, row := range s.rows {
		style := ""
		for _, c := range row {
			if c.style != style {
				if style != "" {
					b.WriteByte('>')
				}
				if c.style != "" {
					b.WriteString("<" + c.style + ":")
				}
				style = c.style
			}
			b.WriteRune(c.r)
		}
		if style != "" {
			b.WriteByte('>')
		}
		b.WriteByte('\n')
	}
	return b.String()
}
