package openai

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sashabaranov/go-openai"

	"github.com/actdone/actdone/llm"
)

// read reads the stream to its end.
func (a *attempt) read(stream *openai.ChatCompletionStream, w *wire) (llm.Message, error) {
	r := reading{attempt: a, hold: a.client.ReasoningOpen}
	for {
		chunk, err := stream.Recv()
		if err == io.EOF {
			return r.end(w)
		}
		if err != nil {
			return r.message(nil), r.broken(err)
		}
		if r.take(chunk); r.size > mostReply {
			return r.message(nil), &llm.TruncatedError{Text: r.text.String(), Reason: fmt.Sprintf("longer than %d MiB", mostReply>>20)}
		}
	}
}

// A reading is what has been read of a reply.
type reading struct {
	*attempt
	text      strings.Builder
	reasoning strings.Builder
	calls     calls
	held      strings.Builder // reasoning without an opening tag
	hold      bool            // whether text still is that
	refusal   strings.Builder
	finish    string
	late      string // what there was after the finish reason
	size      int
	choices   bool // whether there was any
	usage     llm.Usage
}

// take takes a piece of the reply.
func (r *reading) take(chunk openai.ChatCompletionStreamResponse) {
	if u := chunk.Usage; u != nil {
		r.usage = r.client.learned.usage(u)
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		r.choices = true
		r.piece(choice.Delta)
		// A reason that does not mean a whole reply stands, whatever follows.
		if choice.FinishReason != "" && (r.finish == "" || complete(r.finish)) {
			r.finish = string(choice.FinishReason)
		}
	}
}

// piece takes what a piece holds of the reply.
func (r *reading) piece(d openai.ChatCompletionStreamChoiceDelta) {
	n := len(d.Refusal) + len(d.ReasoningContent) + len(d.Content)
	r.refusal.WriteString(d.Refusal)
	r.think(d.ReasoningContent)
	if d.Content != "" {
		r.tooLate("text")
		r.say(d.Content)
	}
	if !r.request.chat {
		d.ToolCalls = nil // whoever asks for a text offers no tools
	}
	for i, p := range d.ToolCalls {
		r.tooLate("a call")
		r.calls.add(p, i > 0)
		n += len(p.ID) + len(p.Function.Name) + len(p.Function.Arguments)
	}
	if n > 0 {
		r.arrived, r.size = true, r.size+n
		r.carried()
	}
}

// tooLate notes what comes after the finish reason.
func (r *reading) tooLate(what string) {
	if r.finish != "" {
		r.late = cmp.Or(r.late, what)
	}
}

// think adds text to the reasoning.
func (r *reading) think(text string) {
	if text != "" {
		r.reasoning.WriteString(text)
		r.trace.Reasoning(text)
	}
}

// say adds text to the reply.
func (r *reading) say(text string) {
	if r.hold {
		text = r.release(text)
	}
	if text != "" {
		r.text.WriteString(text)
		r.trace.Delta(text)
	}
}

// release returns what of text stands behind the tag that closes the reasoning.
func (r *reading) release(text string) string {
	from := max(0, r.held.Len()-len("</thinking>"))
	r.held.WriteString(text)
	held := r.held.String()
	i, length := closingTag(held[from:])
	if i < 0 {
		return ""
	}
	r.hold = false
	r.think(held[:from+i])
	return held[from+i+length:]
}

// closingTag returns where the first closing tag stands in text, and its length.
func closingTag(text string) (at, length int) {
	at = -1
	for _, tag := range []string{"</think>", "</thinking>"} {
		if i := strings.Index(text, tag); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(tag)
		}
	}
	return at, length
}

// end says what a stream that has ended amounts to.
func (r *reading) end(w *wire) (llm.Message, error) {
	if r.hold {
		r.think(r.held.String()) // it never closed
	}
	if r.usage != (llm.Usage{}) {
		r.trace.Usage(r.usage)
	}
	if err := r.cut(w); err != nil {
		return r.message(nil), err
	}
	calls, err := r.calls.done(r.request.called)
	if err == nil && r.text.Len() == 0 && len(calls) == 0 {
		err = llm.ErrNoReply
	}
	return r.message(calls), err
}

// cut returns the error of a reply that is not whole, or that is none.
func (r *reading) cut(w *wire) error {
	text := r.text.String()
	switch {
	case r.refusal.Len() > 0:
		return &llm.RefusedError{Text: r.refusal.String(), Reason: "refusal"}
	case r.finish == "content_filter":
		return &llm.RefusedError{Text: text, Reason: r.finish}
	case r.finish == "" && !r.choices && w.whole:
		return llm.ErrNoReply
	case r.finish == "":
		return &llm.TruncatedError{Text: text, Reason: noFinish}
	case !complete(r.finish):
		return &llm.TruncatedError{Text: text, Reason: r.finish}
	case r.late != "":
		return &llm.TruncatedError{Text: text, Reason: r.late + " after the finish reason"}
	}
	return nil
}

// message returns the reply with these calls.
func (r *reading) message(calls []llm.ToolCall) llm.Message {
	return llm.Message{Role: llm.Assistant, Text: r.text.String(), Reasoning: r.reasoning.String(), Calls: calls}
}

// complete reports whether a finish reason says that the reply is whole. What is
// not known to mean that does not.
func complete(finish string) bool {
	switch strings.ToLower(finish) {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "done", "tool_calls", "tool_use", "function_call":
		return true
	}
	return false
}

// Reasons of a [llm.TruncatedError], beside the finish reasons of servers.
const (
	noFinish = "stream ended without a finish reason"
	broke    = "connection broke"
)

// broken says what an error in the middle of a stream amounts to.
func (r *reading) broken(err error) error {
	switch err.(type) {
	case *llm.StatusError, *llm.DecodeError:
		return err
	}
	return &llm.TruncatedError{Text: r.text.String(), Reason: broke, Err: unexpectedEOF(err)}
}

// unexpectedEOF makes errors.Is find io.ErrUnexpectedEOF in a broken
// connection.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
}

// usage reads token counts. OpenAI counts cached tokens among those of the
// prompt; who reports more of them than there are, or adds them to the total,
// counts them apart.
func (l *learned) usage(u *openai.Usage) llm.Usage {
	usage := llm.Usage{Prompt: u.PromptTokens, Reply: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		usage.Cached = d.CachedTokens
	}
	if usage.Cached > usage.Prompt || usage.Cached > 0 && u.TotalTokens == usage.Prompt+usage.Cached+usage.Reply {
		l.apart.Store(true)
	}
	if l.apart.Load() {
		usage.Prompt += usage.Cached
	}
	return usage
}
