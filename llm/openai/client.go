// Package openai asks models over the chat completions API that OpenAI defined
// and many servers speak: OpenAI, Ollama, llama.cpp, vLLM, LM Studio and others.
//
//	model := &openai.Client{Model: "gpt-5-mini"}                        // with OPENAI_API_KEY set
//	model := &openai.Client{BaseURL: "http://localhost:11434/v1", Model: "qwen3"}
//
// Whatever a server does, [Client.Ask] returns the text that the model wrote,
// whole, or one error that says what happened: see package llm for its types. A
// stream that ends early is never a reply. [Client.Chat] does the same with
// conversations in which the model calls tools.
//
// API reference: https://platform.openai.com/docs/api-reference/chat
package openai

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actdone/actdone/llm"
)

// A Client is an [llm.Asker] and an [llm.Chatter] for one model on one server. The zero value is
// ready where the environment names server, key and model. Set the fields before
// the first Ask or Chat; a Client may then be used by many goroutines at once. It
// must not be copied after that.
type Client struct {
	// BaseURL is the address of the API, up to and without
	// "/chat/completions". Empty means OPENAI_BASE_URL, or else OpenAI's own.
	BaseURL string

	// Key is sent as a bearer token. Empty means OPENAI_API_KEY; servers at
	// home need none.
	Key Secret

	// Model is the name of the model. Empty means OPENAI_MODEL.
	Model string

	// System is sent as a system message before the prompt. Empty means none.
	System string

	// OneMessage sends the whole prompt as one message of the user, where by
	// default its parts are messages: for servers and models that want one.
	// Chat sends its messages as they are.
	OneMessage bool

	// Plain asks for whole replies instead of streams.
	Plain bool

	// ReasoningOpen is for servers whose template opens a reasoning block
	// that the reply then only closes: everything up to the first closing
	// tag (</think> or </thinking>) is reasoning.
	ReasoningOpen bool

	// ReasoningField is the field in which Chat hands the model's reasoning
	// back, in each of its messages: "reasoning_content" for DeepSeek and Kimi,
	// which refuse a conversation without it; docs/MODELS.md has others. Where
	// the reasoning is not known, a blank is sent, which they take. Empty means
	// that none is sent, which suits servers that want none.
	ReasoningField string

	// Temperature is left to the server if nil. Zero can be sent.
	Temperature *float64

	// MaxTokens limits the reply; zero leaves it to the server. It is sent
	// under the name that the server wants, or under TokensField.
	MaxTokens   int
	TokensField string

	// Stop are texts at which the server is to end the reply. Reasoning models
	// refuse them; where a server does, they are left out from then on.
	Stop []string

	// Header is added to every request. Its values are hidden as Key is.
	Header map[string]Secret

	// Extra are further fields of the request's body. They win over the
	// fields that the Client sets, but for the messages.
	Extra map[string]any

	// Tries is how often an ask is sent at most, while nothing of the reply
	// has arrived: after 408, 409, 429, 5xx, broken connections and streams
	// that end with nothing in them. Zero means 4, one means never again.
	Tries int

	// MaxWait is the longest wait between two tries. A server that asks for
	// more (Retry-After) is not waited for. Zero means a minute.
	MaxWait time.Duration

	// MaxSilence is how long a server may send nothing. Zero means 5 minutes,
	// which lets a local server load a model. Comments and empty chunks, by
	// which a server says that it is still there, are borne six times as long.
	MaxSilence time.Duration

	// Seed makes the jitter of the waits repeatable. Zero means random.
	Seed uint64

	// HTTP sends the requests; nil means a client of its own with the default
	// transport. Its Timeout would cut long streams. A redirect to another
	// host is not followed, whatever its CheckRedirect says.
	HTTP *http.Client

	prompts prompts
	chats   chats
	learned learned

	mu     sync.Mutex
	random *rand.Rand // made at the first retry
}

// learned is what a server has turned out not to take.
type learned struct {
	noUsage   atomic.Bool // stream_options
	noStop    atomic.Bool
	noNull    atomic.Bool // as the content of a message that only calls tools
	swapLimit atomic.Bool // the first name of the token limit
	apart     atomic.Bool // counts cached tokens beside prompt tokens
}

var _ llm.Asker = (*Client)(nil)

// Ask sends prompt and returns the reply. Text, reasoning, usage and retries go
// to the [llm.Trace] in ctx as they come; the parts in ctx become messages.
//
// Errors: [*llm.TruncatedError] for a reply that was cut, by the token limit or
// on its way; [*llm.StatusError] if the server says no; [*llm.DecodeError] if it
// answers something else than the API; [*llm.ConnectionError] if it cannot be
// reached or goes away before the reply; [*llm.RefusedError]; [llm.ErrNoReply].
// When ctx has ended, errors.Is(err, ctx.Err()) holds. None of them holds the
// key.
func (c *Client) Ask(ctx context.Context, prompt string) (string, error) {
	messages := c.prompts.take(prompt, llm.ContextParts(ctx), c.OneMessage)
	defer c.prompts.put(messages)
	reply, err := c.send(ctx, request{messages: messages.body, end: closing})
	return reply.Text, err
}

// Format prints the model's name. For some verbs fmt would else print the fields
// of a *Client without asking a Secret.
func (c *Client) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "openai.Client{Model: %q}", c.Model) }

// A Secret is a text that prints as "[secret]". In an unexported field package
// fmt does not ask it and prints the text.
type Secret string

const hidden = "[secret]"

// Format prints "[secret]", or nothing for an empty Secret.
func (s Secret) Format(f fmt.State, _ rune) {
	if s != "" {
		fmt.Fprint(f, hidden)
	}
}

// LogValue hides the secret from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// MarshalText hides the secret from JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return fmt.Append(nil, s), nil }
