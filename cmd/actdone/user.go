package main

import (
	"context"
	"io"
	"strings"
)

// A user answers questions on a terminal, one at a time.
type user struct {
	in    *input
	out   *show
	span  string        // what an answer may hold for the rest of
	turns chan struct{} // holds a value while a question is asked
	fresh func()        // drops what was typed before a question; nil if it is no terminal
}

func newUser(in io.Reader, out io.Writer) *user {
	return &user{
		in:    &input{from: in},
		out:   &show{w: out, colour: coloured(out)},
		span:  "run",
		turns: make(chan struct{}, 1),
	}
}

// askable returns the user at the terminal, or nil if there is none to read the
// question or to type the answer.
func askable(in io.Reader, out io.Writer) *user {
	if !isTerminal(in) || !isTerminal(out) {
		return nil
	}
	u := newUser(in, out)
	u.fresh = func() {
		flushTyped(in)
		u.in.drop()
	}
	return u
}

// turn waits until no other question is asked. The caller calls done.
func (u *user) turn(ctx context.Context) error {
	select {
	case u.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (u *user) done() { <-u.turns }

// show shows a question and all that it is about, which cannot be taken for a
// question, behind a bar. What was typed before is no answer to it.
func (u *user) show(question, about string) {
	if u.fresh != nil {
		u.fresh()
	}
	text := strings.TrimSuffix(visible(about), "\n")
	u.out.put(margin, question, "\n"+bar+strings.ReplaceAll(text, "\n", "\n"+bar))
}

// bar stands before each line of what a question is about.
const bar = "│ "

// answer asks for a line and reads it. When ctx ends, the reading goes on, for
// the next answer.
func (u *user) answer(ctx context.Context, lasting bool) (string, error) {
	choices := "[y]es  [n]o REASON  [s]top: "
	if lasting {
		choices = "[y]es  [a]lways in this " + u.span + "  [n]o REASON  [s]top: "
	}
	io.WriteString(u.out.w, margin+choices)
	line, err := u.in.line(ctx)
	if err != nil {
		io.WriteString(u.out.w, "\n")
	}
	return line, err
}
