package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	request  request
	trace    llm.Trace

	sent    features // what the request asked for
	arrived bool     // whether anything of the reply has
	carried func()   // called when something of it has
}

// A request is what an attempt sends beside what the Client's fields say.
type request struct {
	messages []byte         // as JSON, without the end
	end      string         // of the last message and the array
	fields   map[string]any // of the body
	chat     bool           // whether the reply may call tools
	called   int            // how many calls the conversation holds
}

// keepAlives is how many times Client.MaxSilence a server may send comments and
// empty chunks only.
const keepAlives = 6

// mostReply is the longest reply that is read, with its reasoning, in bytes.
const mostReply = 32 << 20

// features are the parts of a request that a server may refuse.
type features struct {
	usage, stop bool
	null        bool   // null as a content
	limit       string // the name of the token limit
}

// The names of the token limit: OpenAI's, and the older one that other servers
// know.
const (
	newLimit = "max_completion_tokens"
	oldLimit = "max_tokens"
)

// run sends the request and reads the reply.
func (a *attempt) run(ctx context.Context) (llm.Message, error) {
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
		return llm.Message{}, err
	}
	w := &wire{attempt: a, head: head, heard: func() { silence.Reset(quiet) }}
	config := openai.DefaultConfig(a.settings.key)
	config.BaseURL, config.HTTPClient = a.settings.base, w
	// The wire sends a body of its own: the library's has no temperature of
	// zero and no further fields, and refuses some models by their name.
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(own, openai.ChatCompletionRequest{Model: "-"})
	if err != nil {
		return llm.Message{}, a.silent(own, err, "")
	}
	defer stream.Close()
	reply, err := a.read(stream, w)
	if err == nil {
		w.drain(func() { cancel(nil) })
	}
	return reply, a.silent(own, err, reply.Text)
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
	a.sent.null = !c.learned.noNull.Load()
	if c.MaxTokens > 0 {
		a.sent.limit = c.limitField(a.settings.base)
		body[a.sent.limit] = c.MaxTokens
	}
	maps.Copy(body, a.request.fields)
	maps.Copy(body, c.Extra)
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

// messages returns the request's messages. A server that refuses a null gets a
// copy without it, every time: there are few of them.
func (a *attempt) messages() []byte {
	if a.sent.null {
		return a.request.messages
	}
	return bytes.ReplaceAll(a.request.messages, nullContent, emptyContent)
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
	case a.sent.null && bytes.Contains(a.request.messages, nullContent) && refusesNull(text):
		learned.noNull.Store(true)
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

// refusesNull reports whether a server's words, in lower case, say that it wants
// a text as the content of a message.
func refusesNull(text string) bool {
	if !names(text, "content") {
		return false
	}
	for _, words := range []string{"null", "nil", "none", "nonetype", "string"} {
		if names(text, words) {
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
