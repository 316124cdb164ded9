package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/sashabaranov/go-openai"

	"github.com/actdone/actdone/llm"
)

// An attempt is one request and the reading of its answer.
type attempt struct {
	client   *Client
	settings *settings
	messages *messages
	trace    llm.Trace

	sent    features // what the request asked for
	arrived bool     // whether anything of the reply has
	carried func()   // called when something of it has
}

// keepAlives is how many times Client.MaxSilence a server may send comments and
// empty chunks only.
const keepAlives = 6

// mostReply is the longest reply that is read, with its reasoning, in bytes.
const mostReply = 32 << 20

// features are the parts of a request that a server may refuse.
type features struct {
	usage, stop bool
	limit       string // the name of the token limit
}

// The names of the token limit: OpenAI's, and the older one that other servers
// know.
const (
	newLimit = "max_completion_tokens"
	oldLimit = "max_tokens"
)

// run sends the request and reads the reply.
func (a *attempt) run(ctx context.Context) (string, error) {
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet, idle := a.settings.maxSilence, keepAlives*a.settings.maxSilence
	silence := time.AfterFunc(quiet, func() { cancel(&silentError{"nothing", quiet}) })
	defer silence.Stop()
	// A server may say that it is still there, but not for ever.
	patience := time.AfterFunc(idle, func() { cancel(&silentError{"nothing of a reply", idle}) })
	defer patience.Stop()
	a.carried = func() { patience.Reset(idle) }
	head, err := a.head()
	if err != nil {
		return "", err
	}
	w := &wire{attempt: a, head: head, heard: func() { silence.Reset(quiet) }}
	config := openai.DefaultConfig(a.settings.key)
	config.BaseURL, config.HTTPClient = a.settings.base, w
	// The wire sends a body of its own: the library's has no temperature of
	// zero and no further fields, and refuses some models by their name.
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(own, openai.ChatCompletionRequest{Model: "-"})
	if err != nil {
		return "", a.silent(own, err, "")
	}
	defer stream.Close()
	reply, err := a.read(stream, w)
	if err == nil {
		w.drain(func() { cancel(nil) })
	}
	return reply, a.silent(own, err, reply)
}

// A silentError is the cause of a request that was given up.
type silentError struct {
	what string
	time time.Duration
}

func (e *silentError) Error() string { return fmt.Sprintf("server sent %s for %v", e.what, e.time) }

// silent says that the server was given up, where that is why err came about.
func (a *attempt) silent(ctx context.Context, err error, text string) error {
	cause, ok := context.Cause(ctx).(*silentError)
	switch {
	case err == nil || !ok:
		return err
	case a.arrived:
		return &llm.TruncatedError{Text: text, Reason: cause.Error()}
	}
	return &llm.ConnectionError{Host: a.settings.host, Err: cause}
}

// head returns the request's body up to its messages.
func (a *attempt) head() ([]byte, error) {
	c := a.client
	body := map[string]any{"model": a.settings.model, "stream": !c.Plain}
	if a.sent.usage = !c.Plain && !c.learned.noUsage.Load(); a.sent.usage {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	if a.sent.stop = len(c.Stop) > 0 && !c.learned.noStop.Load(); a.sent.stop {
		body["stop"] = c.Stop
	}
	if c.Temperature != nil {
		body["temperature"] = *c.Temperature
	}
	if c.MaxTokens > 0 {
		a.sent.limit = c.limitField(a.settings.base)
		body[a.sent.limit] = c.MaxTokens
	}
	for name, value := range c.Extra {
		body[name] = value
	}
	head, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("openai: Client.Extra or Temperature cannot be sent: %w", err)
	}
	head = append(head[:len(head)-1], `,"messages":[`...)
	if c.System != "" {
		head = append(appendEscaped(append(head, `{"role":"system","content":"`...), c.System), `"},`...)
	}
	return head, nil
}

// limitField returns the name of the token limit.
func (c *Client) limitField(base string) string {
	if c.TokensField != "" {
		return c.TokensField
	}
	if (base == DefaultBaseURL) != c.learned.swapLimit.Load() {
		return newLimit
	}
	return oldLimit
}

// adapt reports whether err is the refusal of something that the request can do
// without; the next one does.
func (a *attempt) adapt(err error) bool {
	status, ok := errors.AsType[*llm.StatusError](err)
	if !ok || status.Code != 400 && status.Code != 422 {
		return false
	}
	text := strings.ToLower(status.Message)
	learned := &a.client.learned
	switch {
	case a.sent.usage && (names(text, "stream_options") || names(text, "include_usage")):
		learned.noUsage.Store(true)
	case a.sent.stop && refuses(text, "stop"):
		learned.noStop.Store(true)
	case a.sent.limit != "" && refuses(text, a.sent.limit):
		learned.swapLimit.Store(true)
		return a.client.limitField(a.settings.base) != a.sent.limit
	default:
		return false
	}
	return true
}

// refuses reports whether a server's words, in lower case, say that it does not
// know a field. What it says against the field's value is not meant.
func refuses(text, field string) bool {
	if !names(text, field) {
		return false
	}
	for _, words := range []string{"unsupported", "not support", "n't support", "unknown", "unrecogni",
		"unexpected", "not permitted", "not allowed", "extra fields", "instead"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// names reports whether text holds a field's name as a word.
func names(text, field string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if word == field {
			return true
		}
	}
	return false
}

// read reads the stream to its end.
func (a *attempt) read(stream *openai.ChatCompletionStream, w *wire) (string, error) {
	r := reading{attempt: a, hold: a.client.ReasoningOpen}
	for {
		chunk, err := stream.Recv()
		if err == io.EOF {
			return r.end(w)
		}
		if err != nil {
			return r.text.String(), r.broken(err)
		}
		if r.take(chunk); r.size > mostReply {
			return r.text.String(), &llm.TruncatedError{Text: r.text.String(), Reason: fmt.Sprintf("longer than %d MiB", mostReply>>20)}
		}
	}
}

// A reading is what has been read of a reply.
type reading struct {
	*attempt
	text    strings.Builder
	held    strings.Builder // reasoning without an opening tag
	hold    bool            // whether text still is that
	refusal strings.Builder
	finish  string
	late    bool // whether there was text after the finish reason
	size    int
	choices bool // whether there was any
	usage   llm.Usage
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
		d := choice.Delta
		r.refusal.WriteString(d.Refusal)
		if d.ReasoningContent != "" {
			r.trace.Reasoning(d.ReasoningContent)
		}
		if d.Content != "" {
			r.late = r.late || r.finish != ""
			r.say(d.Content)
		}
		if n := len(d.Refusal) + len(d.ReasoningContent) + len(d.Content); n > 0 {
			r.arrived, r.size = true, r.size+n
			r.carried()
		}
		// A reason that does not mean a whole reply stands, whatever follows.
		if choice.FinishReason != "" && (r.finish == "" || complete(r.finish)) {
			r.finish = string(choice.FinishReason)
		}
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
	r.trace.Reasoning(held[:from+i])
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
func (r *reading) end(w *wire) (string, error) {
	text := r.text.String()
	if r.hold && r.held.Len() > 0 {
		r.trace.Reasoning(r.held.String()) // it never closed
	}
	if r.usage != (llm.Usage{}) {
		r.trace.Usage(r.usage)
	}
	switch {
	case r.refusal.Len() > 0:
		return text, &llm.RefusedError{Text: r.refusal.String(), Reason: "refusal"}
	case r.finish == "content_filter":
		return text, &llm.RefusedError{Text: text, Reason: r.finish}
	case r.finish == "" && !r.choices && w.whole:
		return text, llm.ErrNoReply
	case r.finish == "":
		return text, &llm.TruncatedError{Text: text, Reason: noFinish}
	case !complete(r.finish):
		return text, &llm.TruncatedError{Text: text, Reason: r.finish}
	case r.late:
		return text, &llm.TruncatedError{Text: text, Reason: "text after the finish reason"}
	case text == "":
		return text, llm.ErrNoReply
	}
	return text, nil
}

// complete reports whether a finish reason says that the reply is whole. What is
// not known to mean that does not.
func complete(finish string) bool {
	switch strings.ToLower(finish) {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "done", "tool_calls", "function_call":
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
