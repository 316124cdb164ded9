package main

import (
	"bytes"
	"context"
	"io"
)

// An input is a reader for which one can wait without being bound to it: when the
// wait ends early, what arrives later is for the next who asks. One may ask at a
// time.
type input struct {
	from   io.Reader
	rest   []byte        // read and not taken
	err    error         // behind rest
	coming chan delivery // what comes of the read under way; nil if there is none
}

// A delivery is what a read returned.
type delivery struct {
	data []byte
	err  error
}

// Read waits as long as it takes.
func (in *input) Read(p []byte) (int, error) {
	for len(in.rest) == 0 {
		if err := in.more(context.Background()); err != nil {
			return 0, err
		}
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// line reads a line, with its end. One that does not end in a newline comes with
// an error.
func (in *input) line(ctx context.Context) (string, error) {
	for {
		if end := bytes.IndexByte(in.rest, '\n') + 1; end > 0 {
			line := string(in.rest[:end])
			in.rest = in.rest[end:]
			return line, nil
		}
		if err := in.more(ctx); err != nil {
			if ctx.Err() != nil {
				return "", err
			}
			line := string(in.rest)
			in.rest = nil
			return line, err
		}
	}
}

// more waits for more to take. An error is told once: a terminal goes on behind
// the end of input.
func (in *input) more(ctx context.Context) error {
	if err := in.err; err != nil {
		in.err = nil
		return err
	}
	if in.coming == nil {
		in.coming = make(chan delivery, 1)
		go in.read(in.coming)
	}
	select {
	case d := <-in.coming:
		in.coming = nil
		in.rest, in.err = append(in.rest, d.data...), d.err
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (in *input) read(to chan<- delivery) {
	buffer := make([]byte, 4<<10)
	n, err := in.from.Read(buffer)
	to <- delivery{buffer[:n], err}
}

// drop drops what has been read and not taken. A read under way goes on.
func (in *input) drop() {
	in.rest = nil
	select {
	case d := <-in.coming:
		in.coming, in.err = nil, d.err
	default:
	}
}
