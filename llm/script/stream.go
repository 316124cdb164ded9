package script

import "net/http"

// A stream is a reply sent in pieces.
type stream struct {
	output
	started bool // whether a piece has been sent, so that the next waits for the gap
}

const endMark = "data: [DONE]\n\n"

// stream sends the reply, or what arrives of it, in pieces.
func (d *delivery) stream() bool {
	s := &stream{output: output{delivery: d, bytewise: d.bytewise()}}
	d.writer.Header().Set("Cache-Control", "no-cache")
	d.header(http.StatusOK, "text/event-stream")
	f := d.answer.step.Fault
	if f != nil && f.Kind == "empty" {
		return s.event(s.chunk()) && s.write([]byte(endMark))
	}
	if !s.opening() || !s.text() {
		return false
	}
	if f != nil {
		return s.breakOff(f)
	}
	return s.calls() && s.closing()
}

// opening sends the piece that says who speaks.
func (s *stream) opening() bool {
	role := &wireDelta{Role: "assistant", Content: ""}
	if s.answer.step.Reply.Text == "" && len(s.answer.calls) > 0 {
		role.Content = null
	}
	return s.piece(role)
}

// text sends the text.
func (s *stream) text() bool {
	for _, piece := range s.answer.pieces() {
		if !s.pause() || !s.piece(&wireDelta{Content: piece}) {
			return false
		}
	}
	return true
}

// calls sends the calls.
func (s *stream) calls() bool {
	for i, call := range s.answer.calls {
		for _, piece := range s.answer.callPieces(i, call) {
			if !s.pause() || !s.piece(&wireDelta{Calls: []wireCall{piece}}) {
				return false
			}
		}
	}
	return true
}

// closing sends the finish reason, the usage if it was asked for, and the end
// mark.
func (s *stream) closing() bool {
	finish := s.chunk()
	finish.Choices = []wireChoice{{Delta: &wireDelta{}, Finish: s.finish()}}
	if !s.event(finish) {
		return false
	}
	if s.asked.usage() {
		usage := s.chunk()
		usage.Usage = s.usage()
		if !s.event(usage) {
			return false
		}
	}
	return s.write([]byte(endMark))
}

// breakOff plays the end of a fault.
func (s *stream) breakOff(f *Fault) bool {
	switch f.Kind {
	case "badjson":
		return s.write([]byte("data: " + brokenPiece + "\n\n" + endMark))
	case "errframe":
		return s.event(errorBody(0, f.words()))
	}
	return s.stop(f)
}

// pause waits between pieces.
func (s *stream) pause() bool {
	wait := s.started
	s.started = true
	return !wait || sleep(s.ctx, s.answer.step.Gap)
}

// piece sends a piece of the message.
func (s *stream) piece(delta *wireDelta) bool {
	chunk := s.chunk()
	chunk.Choices = []wireChoice{{Delta: delta}}
	return s.event(chunk)
}

// chunk returns the frame of a piece.
func (s *stream) chunk() wireReply {
	c := s.reply("chat.completion.chunk")
	c.Choices = []wireChoice{}
	if s.asked.usage() {
		c.Usage = null
	}
	return c
}

// event sends a value as an event.
func (s *stream) event(value any) bool {
	return s.write(append(append([]byte("data: "), encodeJSON(value)...), "\n\n"...))
}
