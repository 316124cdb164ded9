package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrNoReply means that the model answered with no text at all, whether or not
// it sent reasoning beside it.
var ErrNoReply = errors.New("the model sent no text")

// A TruncatedError is a reply that was cut before its end: nothing in it may be
// acted on, however complete it looks.
type TruncatedError struct {
	Text   string // what arrived
	Reason string // such as "length", or "stream ended without a finish reason"
	Err    error  // the cause if there is one, such as io.ErrUnexpectedEOF; may be nil
}

func (e *TruncatedError) Error() string {
	return withCause(fmt.Sprintf("reply cut (%s) after %q", e.Reason, tail(e.Text)), e.Err)
}

func (e *TruncatedError) Unwrap() error { return e.Err }

// A StatusError is an answer of the server that says no: an HTTP status, or an
// error object in its place.
type StatusError struct {
	Code       int           // HTTP status; 0 if the error came without one
	Message    string        // the server's words
	RetryAfter time.Duration // how long the server asked to wait; 0 if it did not say
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("server answered %d", e.Code)
	if e.Code == 0 {
		text = "server reported an error"
	}
	if e.Message != "" {
		text += ": " + clip(e.Message)
	}
	switch {
	case e.RetryAfter > 365*24*time.Hour:
		text += " (retry after more than a year)"
	case e.RetryAfter > 0:
		text += fmt.Sprintf(" (retry after %v)", e.RetryAfter.Round(time.Millisecond))
	}
	return text
}

// A ConnectionError is a server that could not be reached, or a connection that
// broke before anything of the reply had arrived.
type ConnectionError struct {
	Host string // scheme, name and port
	Err  error
}

func (e *ConnectionError) Error() string { return "connection to " + e.Host + ": " + e.Err.Error() }
func (e *ConnectionError) Unwrap() error { return e.Err }

// A DecodeError is an answer that is not the API's: HTML, an empty body, JSON
// of another shape.
type DecodeError struct {
	Code int    // HTTP status; 0 if unknown
	Body string // its beginning
	Err  error  // what the decoder said; may be nil
}

func (e *DecodeError) Error() string {
	return withCause(fmt.Sprintf("server's answer cannot be read: %q", clip(e.Body)), e.Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }

// A RefusedError means that the provider or the model declined to answer, such
// as a content filter.
type RefusedError struct {
	Text   string // what arrived, or the refusal's words
	Reason string // such as "content_filter"
}

func (e *RefusedError) Error() string {
	if e.Text == "" {
		return "reply refused (" + e.Reason + ")"
	}
	return fmt.Sprintf("reply refused (%s): %q", e.Reason, clip(e.Text))
}

func withCause(text string, err error) string {
	if err == nil {
		return text
	}
	return text + ": " + err.Error()
}

// clipped is the longest text, in bytes, that an error message quotes.
const clipped = 200

// clip returns the beginning of s, for a message.
func clip(s string) string {
	if len(s) <= clipped {
		return s
	}
	n := clipped
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// tail returns the end of s, for a message.
func tail(s string) string {
	if len(s) <= clipped {
		return s
	}
	n := len(s) - clipped
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return "…" + strings.TrimLeft(s[n:], " ")
}
