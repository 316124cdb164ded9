package openai

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/tmaxmax/go-sse"

	"github.com/actdone/actdone/llm"
)

// endMark is the event that ends a stream.
const endMark = "data: [DONE]\n\n"

// mostEvent is the longest event that is read, in bytes.
const mostEvent = 16 << 20

// events reads a stream of server-sent events and hands it on with one chunk a
// line, in the library's own shape: no comments, no other fields, no chunk over
// several lines.
type events struct {
	wire  *wire
	body  io.Closer
	next  func() (sse.Event, error, bool)
	stop  func()
	ready []byte
	said  bool // whether there was any text
	calls bool // whether there were any
	err   error
}

func newEvents(w *wire, from io.Reader, body io.Closer) *events {
	e := &events{wire: w, body: body}
	// The blank line lets an event count that the server forgot to end.
	whole := io.MultiReader(from, strings.NewReader("\n\n"))
	e.next, e.stop = iter.Pull2(iter.Seq2[sse.Event, error](sse.Read(whole, &sse.ReadConfig{MaxEventSize: mostEvent})))
	return e
}

// Read gives the next bytes of the clean stream.
func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.advance()
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// Close ends the request.
func (e *events) Close() error {
	err := e.body.Close()
	e.stop()
	return err
}

// advance reads the next event.
func (e *events) advance() {
	event, err, ok := e.next()
	switch {
	case !ok:
		e.err = io.EOF
	case err != nil:
		e.err = tooLong(err)
	case event.Type == "error" && words([]byte(event.Data)) != "":
		e.err = eventError([]byte(event.Data))
	default:
		e.take(strings.TrimSpace(event.Data))
	}
}

// eventError reads an event of the type error: an error object, or what stands in
// one.
func eventError(data []byte) error {
	if c, err := normalize(data); err == nil && c.err != nil {
		return c.err
	}
	return reported(data)
}

// tooLong makes the error of an event that is too long that of a server which
// does not speak the API.
func tooLong(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &llm.DecodeError{Code: 200, Err: fmt.Errorf("an event of the stream is longer than %d MiB", mostEvent>>20)}
	}
	return err
}

// take makes the chunks of an event ready. Some servers put every chunk on a
// line of its own without a blank one between, so an event that is no chunk as a
// whole is taken line by line.
func (e *events) take(data string) {
	if e.chunk(data) {
		return
	}
	for line := range strings.SplitSeq(data, "\n") {
		if line = strings.TrimSpace(line); e.err == nil && !e.chunk(line) {
			e.unread(line)
		}
	}
}

// chunk makes one chunk ready. It reports whether data is one.
func (e *events) chunk(data string) bool {
	switch data {
	case "":
		return true
	case "[DONE]":
		e.wire.whole = true
		e.ready = append(e.ready, endMark...)
		return true
	}
	chunk, err := normalize([]byte(data))
	if err != nil {
		return false
	}
	if chunk.err != nil {
		e.err = chunk.err
		return true
	}
	for i := range chunk.Choices {
		said := &chunk.Choices[i].Delta
		if chunk.whole && e.said {
			said.Content, said.Reasoning = "", "" // the whole message once more
		}
		if chunk.whole && e.calls {
			said.Calls = nil
		}
		e.said, e.calls = e.said || said.Content != "", e.calls || len(said.Calls) > 0
	}
	e.ready = append(e.ready, chunk.line()...)
	return true
}

// unread is the end of a stream with an event that cannot be read: if nothing
// follows, the stream was cut in it.
func (e *events) unread(data string) {
	_, err, ok := e.next()
	switch {
	case !ok:
		e.err = io.EOF
	case err != nil:
		e.err = err
	default:
		e.err = &llm.DecodeError{Code: 200, Body: data, Err: errors.New("an event of the stream is no JSON of the API")}
	}
}
