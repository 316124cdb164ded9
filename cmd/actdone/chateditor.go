package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// prompt is what a question is typed behind.
const prompt = "> "

// lines are questions of a line each.
type lines struct {
	in     *input
	prompt string
	out    io.Writer // gets the prompt, if there is one
}

func (l *lines) next(ctx context.Context) (string, error) {
	if l.prompt != "" {
		io.WriteString(l.out, l.prompt)
	}
	line, err := l.in.line(ctx)
	if l.prompt != "" && err != nil {
		io.WriteString(l.out, "\n")
	}
	return line, err
}

// An editor takes questions that are edited on a terminal. It has the keys of
// x/term and draws the line itself, on one row that shows the part round the
// cursor: so characters of any width stand where they belong, and a window may
// change its size.
//
// To learn of each change of the line, it types a mark behind what the user
// types, which the terminal hands to changed.
type editor struct {
	part     []byte // of a character, still to be completed
	in       *input
	fd       int
	out      io.Writer
	width    func() int
	lead     string // the prompt, styled
	terminal *term.Terminal
	recall   *recall
	paste    paste
}

// mostTyped is how many characters x/term takes for a line.
const mostTyped = 4096

// mark is a character that nobody types.
const mark = '\uf8ff'

func newEditor(in *input, terminal *os.File, out io.Writer) *editor {
	e := &editor{in: in, fd: int(terminal.Fd()), out: out, width: widthOf(out), lead: prompt, recall: &recall{}}
	if coloured(out) {
		e.lead = strong + prompt + reset
	}
	e.terminal = term.NewTerminal(e, "")
	e.terminal.History = e.recall
	e.terminal.AutoCompleteCallback = e.changed
	return e
}

// next takes a question. One that is too long is not taken.
func (e *editor) next(ctx context.Context) (string, error) {
	for {
		line, err := e.read(ctx)
		if utf8.RuneCountInString(line) < mostTyped {
			return strings.ReplaceAll(line, newline, "\n"), err
		}
		say(e.out, "more than %d characters are too many to type; put them into a file and ask about that", mostTyped)
	}
}

// read reads a line. The terminal is raw meanwhile, so that Ctrl-C is a key like
// any other: the end of the questions.
func (e *editor) read(ctx context.Context) (string, error) {
	state, err := term.MakeRaw(e.fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(e.fd, state)
	io.WriteString(e.out, pasteOn)
	defer io.WriteString(e.out, pasteOff)
	e.draw("", 0)
	read := make(chan typed, 1)
	go func() {
		line, err := e.terminal.ReadLine()
		read <- typed{line, err}
	}()
	select {
	case t := <-read:
		line := strings.ReplaceAll(t.line, string(mark), "")
		io.WriteString(e.out, "\r"+e.lead+visible(line)+"\x1b[K\r\n")
		return line, t.err
	case <-ctx.Done():
		io.WriteString(e.out, "\r\n")
		return "", ctx.Err()
	}
}

// typed is a line, or why there is none.
type typed struct {
	line string
	err  error
}

// Read reads keys, and marks behind them unless they are parts of one.
func (e *editor) Read(p []byte) (int, error) {
	room := (len(p)-len(string(mark)))/len(newline) - len(pasteEnd) - utf8.UTFMax
	for {
		n, err := e.in.Read(p[:max(1, room)])
		if err != nil {
			return n, err
		}
		keys := e.paste.take([]byte(e.valid(p[:n])))
		if whole(keys) {
			keys += string(mark)
		}
		if keys != "" {
			return copy(p, keys), nil
		}
	}
}

// valid returns the characters that have arrived. What is none is dropped, since
// the terminal stops at it until there is another key; a part of one waits for
// the rest.
func (e *editor) valid(data []byte) string {
	data = append(e.part, data...)
	end := len(data)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(data[i]) && !utf8.FullRune(data[i:]) {
			end = i
		}
	}
	e.part = bytes.Clone(data[end:])
	return strings.ReplaceAll(strings.ToValidUTF8(string(data[:end]), ""), "\ufffd", "")
}

// Write drops what the terminal would draw.
func (e *editor) Write(p []byte) (int, error) { return len(p), nil }

// changed draws the line when the mark comes.
func (e *editor) changed(line string, pos int, key rune) (string, int, bool) {
	if key == mark {
		e.draw(line, pos)
	}
	return line, pos, key == mark
}

// draw prints as much of the line as there is room for, with the cursor at byte
// pos. To bring it there it prints the part before it again: that is right
// however wide the terminal makes the characters.
func (e *editor) draw(line string, pos int) {
	room := e.width() - 1 - cells(prompt)
	before := lastCells(visible(line[:pos]), room)
	after := firstCells(visible(line[pos:]), room-cells(before))
	io.WriteString(e.out, "\r"+e.lead+before+after+"\x1b[K\r"+e.lead+before)
}

// recall is the earlier questions of a session, each once in a row.
type recall struct{ list []string }

// Add, Len and At make recall a [term.History].
func (r *recall) Add(question string) {
	question = strings.ReplaceAll(strings.ReplaceAll(question, "\n", newline), string(mark), "")
	if n := len(r.list); strings.TrimSpace(question) != "" && (n == 0 || r.list[n-1] != question) {
		r.list = append(r.list, question)
	}
}

func (r *recall) Len() int { return len(r.list) }

func (r *recall) At(i int) string { return r.list[len(r.list)-1-i] }
