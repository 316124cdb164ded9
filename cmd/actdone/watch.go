package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A watch shows on the last line of a terminal that a model is being asked: for
// how long, and the end of what it has written so far. The line is erased when
// the reply is there, for then the step is shown. A nil watch shows nothing.
type watch struct {
	w      io.Writer
	width  func() int // of the terminal, in cells
	colour bool

	mu     sync.Mutex
	ask    int
	begun  time.Time
	frame  int
	state  string // before there is text
	bytes  int    // of the reply
	line   string // the last line of it that is not blank, or the end of that
	ticker chan struct{}
	done   chan struct{}
}

// How a watch moves.
const (
	spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
	tick    = 100 * time.Millisecond
)

// eraseLine empties the line that the cursor stands on.
const eraseLine = "\r\x1b[K"

// begin shows the line until end is called.
func (l *watch) begin(ask int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask, l.begun = ask, time.Now()
	l.state, l.bytes, l.line = "asking", 0, ""
	l.ticker, l.done = make(chan struct{}), make(chan struct{})
	l.draw()
	go l.keep(l.ticker, l.done)
}

// keep draws the line again and again until stop is closed.
func (l *watch) keep(stop, done chan struct{}) {
	defer close(done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			l.mu.Lock()
			l.frame++
			l.draw()
			l.mu.Unlock()
		}
	}
}

// end erases the line.
func (l *watch) end() {
	if l == nil || l.ticker == nil {
		return
	}
	close(l.ticker)
	<-l.done
	l.ticker = nil
	io.WriteString(l.w, eraseLine)
}

// text takes a piece of the reply.
func (l *watch) text(piece string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes == 0 {
		l.line = "" // what stands there is reasoning
	}
	l.bytes += len(piece)
	l.line = lastLine(l.line + piece)
}

// reasoning takes a piece of what the model thinks beside the reply.
func (l *watch) reasoning(piece string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes > 0 {
		return
	}
	l.state = "thinking"
	l.line = lastLine(l.line + piece)
}

// again makes place for what tell prints about another try. The text so far is
// void.
func (l *watch) again(tell func()) {
	if l == nil {
		tell()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.w, eraseLine)
	tell()
	l.state, l.bytes, l.line = "asking again", 0, ""
	l.draw()
}

// draw prints the line. Its last cell stays empty, so that it never wraps.
func (l *watch) draw() {
	frames := []rune(spinner)
	status := fmt.Sprintf("%c %.0fs · ", frames[l.frame%len(frames)], time.Since(l.begun).Truncate(time.Second).Seconds())
	switch {
	case l.bytes > 0:
		status += count(l.bytes, "byte")
	default:
		status += l.state
	}
	if l.line != "" {
		status += " · "
	}
	lead := number(l.ask)
	room := l.width() - 1 - cells(lead)
	text := status + lastCells(flat(l.line), room-cells(status))
	text = firstCells(text, room)
	if l.colour {
		text = dim + text + reset
	}
	io.WriteString(l.w, "\r"+lead+text+"\x1b[K")
}

// mostLine is how many bytes of a line are kept.
const mostLine = 1 << 10

// lastLine returns the last line of text that is not blank, or its end.
func lastLine(text string) string {
	text = strings.TrimLeft(text, "\r\n")
	kept := strings.TrimRight(text, " \t\r\n")
	from := strings.LastIndexByte(kept, '\n') + 1
	if len(text)-from > mostLine {
		from = len(text) - mostLine
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	return text[from:]
}

// flat makes text fit for one line of a terminal.
func flat(text string) string { return visible(oneLine(text)) }

// oneLine returns text with every run of white space as one space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cells returns how many cells of a terminal s takes at most.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

// cellsOf is generous: what may be wide counts as wide.
func cellsOf(r rune) int {
	if r >= 0x1100 && (r < 0x2000 || r >= 0x2e80) {
		return 2
	}
	return 1
}

// firstCells returns the beginning of s that fits into n cells.
func firstCells(s string, n int) string {
	for i, r := range s {
		if n -= cellsOf(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

// lastCells returns s, or "…" and its end, so that it fits into n cells.
func lastCells(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	n -= cellsOf('…')
	from := len(s)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if n -= cellsOf(r); n < 0 {
			break
		}
		from -= size
	}
	return "…" + s[from:]
}
