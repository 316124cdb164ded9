package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/actdone/actdone/llm"
)

// A wire stands between the library and HTTP. It sends the request's own body,
// and hands on any answer as a clean stream of chunks, or as one of the errors
// of package llm.
type wire struct {
	attempt *attempt
	head    []byte
	heard   func() // called when the server sends anything
	whole   bool   // the answer had its end: an end mark, or it was no stream
	body    io.Reader
}

// mostBody is how much is read of an answer that is not a stream.
const mostBody = 64 << 20

// mostBegin is how much of an answer that cannot be read is kept.
const mostBegin = 4 << 10

// mostErrorBody is how much is read of the answer that goes with a status.
const mostErrorBody = 64 << 10

// Do sends the request. It is called once.
func (w *wire) Do(req *http.Request) (*http.Response, error) {
	w.setBody(req)
	req.Header.Del("Connection")
	req.Header.Set("User-Agent", "actdone")
	for name, value := range w.attempt.client.Header {
		req.Header.Set(name, string(value))
	}
	resp, err := w.attempt.settings.http.Do(req)
	if err != nil {
		return nil, w.unsent(req, err)
	}
	w.heard()
	body := &heardBody{resp.Body, w.heard}
	w.body = body
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		defer body.Close()
		return nil, statusError(req, resp, body)
	}
	clean, err := w.clean(resp, body)
	if err != nil {
		body.Close()
		return nil, err
	}
	resp.Body = clean
	return resp, nil
}

// drain reads what stands behind the end mark, so that the connection can serve
// the next ask. A server that does not end its answer there is given up.
func (w *wire) drain(giveUp func()) {
	timer := time.AfterFunc(mostDrain, giveUp)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, w.body, 4<<10) // an error costs the connection only
}

// mostDrain is how long the end of an answer is waited for.
const mostDrain = 100 * time.Millisecond

// setBody gives the request its body: the head, the messages, the end.
func (w *wire) setBody(req *http.Request) {
	parts := [][]byte{w.head, w.attempt.messages(), []byte(w.attempt.request.end + "}")}
	req.ContentLength = 0
	for _, p := range parts {
		req.ContentLength += int64(len(p))
	}
	req.GetBody = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(parts[0]), bytes.NewReader(parts[1]), bytes.NewReader(parts[2]))), nil
	}
	req.Body, _ = req.GetBody()
}

// unsent is the error of a request that got no answer. Of the address it tells
// what cannot be secret.
func (w *wire) unsent(req *http.Request, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if req.Context().Err() != nil {
		return err
	}
	return &llm.ConnectionError{Host: w.attempt.settings.host, Err: err}
}

// unreachable reports whether err is a failure to reach the server at all, which
// trying again at once does not mend.
func unreachable(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	return untrusted || noTLS || errors.Is(err, http.ErrSchemeMismatch)
}

// A heardBody tells when something was read.
type heardBody struct {
	io.ReadCloser
	heard func()
}

func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.heard()
	}
	return n, err
}

// statusError reads what the server says beside a status.
func statusError(req *http.Request, resp *http.Response, body io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, mostErrorBody))
	e := &llm.StatusError{Code: resp.StatusCode, Message: message(text), RetryAfter: retryAfter(resp.Header, time.Now())}
	if e.Message == "" {
		e.Message = http.StatusText(resp.StatusCode)
	}
	if to, err := resp.Location(); err == nil && resp.StatusCode < 400 {
		e.Message += "; it points to " + to.Scheme + "://" + to.Host + strings.TrimSuffix(to.Path, "/chat/completions")
	}
	if resp.StatusCode == http.StatusNotFound && !strings.Contains(req.URL.Path, "/v1/") {
		e.Message += `; does the base URL end in "/v1"?`
	}
	return e
}

// message returns the server's words, in whatever shape: an error object, a
// text, or something else altogether.
func message(body []byte) string {
	if text := words(body); text != "" {
		return text
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(body), "\ufffd"))
}

// words returns the text in an error's value: a string, the strings of a list,
// the message of an object, with the place that a "loc" beside it names.
func words(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	return wordsOf(value)
}

func wordsOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var all []string
		for _, e := range v {
			if text := wordsOf(e); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, ", ")
	case map[string]any:
		for _, name := range []string{"message", "msg", "error", "detail", "code", "type"} {
			if text := wordsOf(v[name]); text != "" {
				if place := wordsOf(v["loc"]); place != "" {
					text = place + ": " + text
				}
				return text
			}
		}
	}
	return ""
}

// clean returns the answer as a stream, whatever it is: a stream of any shape, or
// a whole reply.
func (w *wire) clean(resp *http.Response, body io.ReadCloser) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(body, 512) // for the first bytes; longer reads pass it by
	first, err := firstByte(buffered)
	switch {
	case err == io.EOF && isStream(resp):
		return &readCloser{strings.NewReader(""), body}, nil // it was cut before it began
	case err == io.EOF:
		return nil, &llm.DecodeError{Code: resp.StatusCode, Err: errors.New("empty answer")}
	case err != nil:
		return nil, &llm.TruncatedError{Reason: broke, Err: unexpectedEOF(err)}
	case first == '{':
		return w.plain(resp, buffered, body)
	case first == '<' || first == '[' || !isStream(resp) && !startsEvent(buffered):
		text, _ := io.ReadAll(io.LimitReader(buffered, mostErrorBody))
		return nil, &llm.DecodeError{Code: resp.StatusCode, Body: string(text), Err: errors.New("neither JSON nor a stream of events")}
	}
	return newEvents(w, buffered, body), nil
}

func isStream(resp *http.Response) bool {
	return strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream")
}

// firstByte returns the first byte that is no white space, and leaves it.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n\xef\xbb\xbf", b) < 0 {
			return b, r.UnreadByte()
		}
	}
}

// startsEvent reports whether what r reads next looks like a stream of events.
func startsEvent(r *bufio.Reader) bool {
	start, _ := r.Peek(len("retry:"))
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(start, []byte(field)) {
			return true
		}
	}
	return false
}

// plain hands on a whole reply as a stream of one chunk.
func (w *wire) plain(resp *http.Response, from io.Reader, body io.Closer) (io.ReadCloser, error) {
	text, err := io.ReadAll(io.LimitReader(from, mostBody+1))
	if err != nil {
		return nil, &llm.TruncatedError{Reason: broke, Err: unexpectedEOF(err)}
	}
	begin := string(text[:min(len(text), mostBegin)])
	if len(text) > mostBody {
		return nil, &llm.DecodeError{Code: resp.StatusCode, Body: begin, Err: fmt.Errorf("longer than %d MiB", mostBody>>20)}
	}
	chunk, err := normalize(text)
	if err != nil {
		return nil, &llm.DecodeError{Code: resp.StatusCode, Body: begin, Err: err}
	}
	if chunk.err != nil {
		return nil, chunk.err
	}
	w.whole = true
	for i := range chunk.Choices {
		chunk.Choices[i].Finish = cmp.Or(chunk.Choices[i].Finish, "stop")
	}
	return &readCloser{bytes.NewReader(append(chunk.line(), endMark...)), body}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}
