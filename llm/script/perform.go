package script

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/actdone/actdone/llm"
)

// brokenPiece is what the fault badjson sends.
const brokenPiece = `{"choices":[{"del`

// perform gives the answer to an ask in process: the text of its reply.
func (a *answer) perform(ctx context.Context) (string, error) {
	if a.step.Fault != nil {
		return "", a.fail(ctx)
	}
	trace := llm.ContextTrace(ctx)
	if !a.send(ctx, trace, a.pieces()) {
		a.undelivered()
		return "", ctx.Err()
	}
	if s := a.step; s.In+s.Out+s.Cached > 0 {
		trace.Usage(llm.Usage{Prompt: s.In, Reply: s.Out, Cached: s.Cached})
	}
	return a.end()
}

// end returns what the finish reason makes of the reply.
func (a *answer) end() (string, error) {
	text := a.step.Reply.Text
	switch {
	case a.step.Finish == "length":
		return "", &llm.TruncatedError{Text: text, Reason: "length"}
	case a.step.Finish == "content_filter":
		return "", &llm.RefusedError{Text: text, Reason: "content_filter"}
	case text == "" && len(a.calls) == 0:
		return "", llm.ErrNoReply
	}
	return text, nil
}

// send delivers pieces, with the pauses that the step asks for. It reports
// whether ctx lasted.
func (a *answer) send(ctx context.Context, trace llm.Trace, pieces []string) bool {
	if !sleep(ctx, a.step.Delay) {
		return false
	}
	for i, piece := range pieces {
		if i > 0 && !sleep(ctx, a.step.Gap) {
			return false
		}
		trace.Delta(piece)
	}
	return true
}

// sleep waits, and reports whether ctx lasted.
func sleep(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// fail returns the error of a fault, once what arrives before it has.
func (a *answer) fail(ctx context.Context) error {
	f, text := a.step.Fault, ""
	if f.arrives() {
		pieces := a.pieces()
		text = strings.Join(pieces, "")
		a.send(ctx, llm.ContextTrace(ctx), pieces)
	}
	switch f.Kind {
	case "timeout", "hang":
		<-ctx.Done()
		return ctx.Err()
	case "cut":
		return &llm.TruncatedError{Text: text, Reason: "stream ended without a finish reason"}
	case "reset":
		return &llm.TruncatedError{Text: text, Reason: "connection broke", Err: io.ErrUnexpectedEOF}
	case "badjson":
		return &llm.DecodeError{Code: 200, Body: brokenPiece}
	case "errframe":
		return &llm.StatusError{Message: f.words()}
	case "status":
		return &llm.StatusError{Code: f.Status, Message: f.words(), RetryAfter: f.RetryAfter}
	case "empty":
		return llm.ErrNoReply
	case "raw":
		return &llm.DecodeError{Code: 200, Body: f.Text}
	}
	if f.Err != nil {
		return f.Err
	}
	return errors.New(f.Text)
}

// pieces returns the text of a reply, or what arrives of a fault's, as it
// arrives.
func (a *answer) pieces() []string {
	f := a.step.Fault
	if f == nil {
		return cutUp(a.step.Reply.Text, a.chunk())
	}
	pieces := cutUp(f.Text, a.chunk())
	if f.After > all {
		pieces = pieces[:min(f.After, len(pieces))]
	}
	return pieces
}

// chunk returns how the text is cut: "" for not at all. The pieces of a fault
// that counts them are words unless the script says otherwise.
func (a *answer) chunk() string {
	switch f := a.step.Fault; {
	case a.step.Chunk != "":
		return a.step.Chunk
	case a.player.Script.Chunk != "":
		return a.player.Script.Chunk
	case f != nil && f.After > all:
		return "word"
	}
	return ""
}

// cutUp cuts text into pieces. Joined they are the text; none is empty.
func cutUp(text, chunk string) []string {
	var pieces []string
	for text != "" {
		n := pieceLen(text, chunk)
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	return pieces
}

// pieceLen returns how long the first piece of text is.
func pieceLen(text, chunk string) int {
	switch chunk {
	case "":
		return len(text)
	case "line":
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			return i + 1
		}
		return len(text)
	case "word":
		return wordLen(text)
	case "rune":
		chunk = "1"
	}
	n, _ := strconv.Atoi(chunk)
	length := 0
	for ; n > 0 && length < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[length:])
		length += size
	}
	return length
}

// wordLen returns the length of a word with the blanks round it.
func wordLen(text string) int {
	const space = " \t\n\r"
	start := len(text) - len(strings.TrimLeft(text, space))
	end := strings.IndexAny(text[start:], space)
	if end < 0 {
		return len(text)
	}
	rest := text[start+end:]
	return len(text) - len(strings.TrimLeft(rest, space))
}
