package script

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A delivery is the answering of one HTTP request.
type delivery struct {
	server *Server
	writer http.ResponseWriter
	ctx    context.Context // of the HTTP request: it ends when the client goes away
	served *Served

	asked  *chatRequest
	answer *answer
}

// chat answers a request for a reply.
func (d *delivery) chat(r *http.Request, body []byte) {
	asked, err := readChat(r, body, !d.server.player.Script.Lenient)
	if err != nil {
		d.refuse(http.StatusBadRequest, err.Error())
		return
	}
	own, err := asked.request(d.server.player.Script.API)
	if err != nil {
		d.refuse(http.StatusBadRequest, err.Error())
		return
	}
	own.retry = d.server.again(body, d.served.Retry)
	d.asked = asked
	d.answer, err = d.server.player.next(own)
	d.note(func(s *Served) { s.Call = own.call })
	if err != nil {
		d.fail(http.StatusBadRequest, err.Error())
		return
	}
	if !d.deliver() {
		d.brokeOff()
	}
}

// again reports whether a client says that it asks once more: with the same
// request and a count of tries that has risen.
func (s *Server) again(body []byte, count int) bool {
	key := sha256.Sum256(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	last, seen := s.tries[key]
	s.tries[key] = count
	return seen && count > last
}

// brokeOff says that the client went away.
func (d *delivery) brokeOff() {
	d.note(func(s *Served) { s.BrokeOff = true })
	if d.answer != nil {
		d.answer.undelivered()
	}
}

// deliver sends the answer. It reports whether the client was there to the end.
func (d *delivery) deliver() bool {
	step := d.answer.step
	if !sleep(d.ctx, step.Delay) {
		return false
	}
	if step.Fault != nil && !step.Fault.arrives() && step.Fault.Kind != "empty" {
		return d.fault(step.Fault)
	}
	if d.asked.Stream {
		return d.stream()
	}
	return d.whole()
}

// fault plays a fault that is no reply at all.
func (d *delivery) fault(f *Fault) bool {
	switch f.Kind {
	case "timeout":
		<-d.ctx.Done()
		return false
	case "raw":
		d.send(http.StatusOK, f.Type, []byte(f.Text))
	case "status":
		if f.RetryAfter > 0 {
			d.writer.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
		}
		d.fail(f.Status, f.words())
	}
	return d.ctx.Err() == nil
}

// whole sends the reply, or what arrives of it, as one JSON text.
func (d *delivery) whole() bool {
	f := d.answer.step.Fault
	if f == nil {
		return d.json(http.StatusOK, d.message(d.answer.step.Reply.Text))
	}
	reply := d.message(strings.Join(d.answer.pieces(), ""))
	switch f.Kind {
	case "empty":
		reply.Choices = []wireChoice{}
		return d.json(http.StatusOK, reply)
	case "errframe":
		return d.json(http.StatusOK, errorBody(0, f.words()))
	case "badjson":
		return d.send(http.StatusOK, jsonType, []byte(brokenPiece))
	}
	begin, _, _ := bytes.Cut(encodeJSON(reply), []byte(afterText))
	return d.send(http.StatusOK, jsonType, begin) && d.stop(f)
}

// afterText is what stands behind the text of a whole reply.
const afterText = `","refusal":`

// stop plays the end of a fault that comes after some text. It reports whether the
// client was there.
func (d *delivery) stop(f *Fault) bool {
	switch f.Kind {
	case "hang":
		<-d.ctx.Done()
		return false
	case "reset":
		panic(http.ErrAbortHandler) // the way to break a connection
	}
	return d.ctx.Err() == nil
}

const jsonType = "application/json"

// json sends a value.
func (d *delivery) json(code int, value any) bool {
	return d.send(code, jsonType, encodeJSON(value))
}

// send sends a body, all of it. It reports whether the client was there.
func (d *delivery) send(code int, mediaType string, body []byte) bool {
	if mediaType == "" {
		mediaType = "text/plain; charset=utf-8"
	}
	d.header(code, mediaType)
	out := output{delivery: d, bytewise: d.bytewise()}
	return out.write(body)
}

// header sends the header.
func (d *delivery) header(code int, mediaType string) {
	d.note(func(s *Served) { s.Code = code })
	d.writer.Header().Set("Content-Type", mediaType)
	if d.answer != nil {
		d.writer.Header().Set("X-Request-Id", d.id())
	}
	d.writer.WriteHeader(code)
}

// id names the answer.
func (d *delivery) id() string {
	return fmt.Sprintf("chatcmpl-%s-%d", d.answer.talk.lane.Name, d.answer.ask)
}

// bytewise reports whether what is sent is broken inside characters.
func (d *delivery) bytewise() bool {
	return d.answer != nil && (d.answer.step.Split == "bytes" || d.server.player.Script.Split == "bytes")
}

// refuse sends an error, and tells the script's Check why, once.
func (d *delivery) refuse(code int, reason string) {
	s := d.server
	s.mu.Lock()
	told := s.refused[reason]
	s.refused[reason] = true
	d.served.Refused, d.served.Status = reason, "refused"
	n := len(s.served)
	s.mu.Unlock()
	if !told {
		s.player.report(&RefusedError{At: s.player.Script.Name, Request: n, Code: code, Reason: Environ().Scrub(reason)})
	}
	d.fail(code, reason)
}

// A RefusedError is a request that a [Server] refused.
type RefusedError struct {
	At      string // the script, "FILE"
	Request int    // which one it was, from 1
	Code    int    // the HTTP status that it got
	Reason  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: request %d was refused with status %d: %s", e.At, e.Request, e.Code, e.Reason)
}

// fail sends an error.
func (d *delivery) fail(code int, message string) { d.json(code, errorBody(code, message)) }

// An output writes to the client at once.
type output struct {
	*delivery
	bytewise bool
}

// write sends data. It reports whether the client was there.
func (o *output) write(data []byte) bool {
	step := max(len(data), 1)
	if o.bytewise {
		step = 1
	}
	flusher := http.NewResponseController(o.writer)
	for len(data) > 0 && o.ctx.Err() == nil {
		n := min(step, len(data))
		if _, err := o.writer.Write(data[:n]); err != nil {
			return false
		}
		_ = flusher.Flush() // a writer that cannot is flushed at the end
		data = data[n:]
	}
	return o.ctx.Err() == nil
}

// encodeJSON returns a value as JSON.
func encodeJSON(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // unreachable: it holds texts and numbers only
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
