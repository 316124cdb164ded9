package main

import (
	"regexp"
	"strconv"
	"strings"
)

// A screen is what a terminal of some width shows, as text: enough of one for
// what this program writes.
type screen struct {
	width    int
	rows     [][]rune // a wide character is followed by a zero
	row, col int
}

// control finds what a terminal obeys.
var control = regexp.MustCompile("\x1b\\[([?0-9;]*)([A-Za-z])|[\r\n]")

func (s *screen) write(text string) {
	for text != "" {
		at := control.FindStringSubmatchIndex(text)
		if at == nil {
			at = []int{len(text), len(text), -1, -1, -1, -1}
		}
		for _, r := range text[:at[0]] {
			s.put(r)
		}
		switch order := text[at[0]:at[1]]; {
		case order == "\r":
			s.col = 0
		case order == "\n":
			s.row++
		case strings.HasSuffix(order, "K"):
			s.line(s.row)
			s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
		case strings.HasSuffix(order, "D"):
			n, _ := strconv.Atoi(text[at[2]:at[3]])
			s.col -= max(n, 1)
		}
		text = text[at[1]:]
	}
}

// line makes sure that there is a row.
func (s *screen) line(n int) {
	for len(s.rows) <= n {
		s.rows = append(s.rows, nil)
	}
}

func (s *screen) put(r rune) {
	if s.col+cellsOf(r) > s.width {
		s.row, s.col = s.row+1, 0
	}
	s.line(s.row)
	row := s.rows[s.row]
	for len(row) < s.col+cellsOf(r) {
		row = append(row, ' ')
	}
	row[s.col] = r
	if cellsOf(r) == 2 {
		row[s.col+1] = 0
	}
	s.rows[s.row], s.col = row, s.col+cellsOf(r)
}

// String returns the rows, without the blanks at their ends.
func (s *screen) String() string {
	var b strings.Builder
	for _, row := range s.rows {
		text := strings.ReplaceAll(string(row), "\x00", "")
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

// screenOf returns what is on a terminal to which text was written.
func screenOf(width int, text string) string {
	s := screen{width: width}
	s.write(text)
	return s.String()
}
