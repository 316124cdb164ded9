package llm

import (
	"context"
	"encoding/json"
)

// A Chatter sends a conversation to a model that may call tools, and returns
// its reply.
//
// Rules for implementers, beside those of [Asker], which hold likewise:
//
//   - Messages and tools are sent as they are and in their order.
//   - The reply is an [Assistant] message with text, calls, or both. One with
//     neither is [ErrNoReply].
//   - A reply that was cut is a [*TruncatedError], also if the cut fell into the
//     arguments of a call: none of its calls is returned.
//   - Arguments are returned as the model wrote them, also where they are not
//     the JSON they should be.
//   - Every call has an ID, and no two of a reply the same: where a server sends
//     none, the Chatter makes one up.
//
// The real one is openai.Client; react.AsChatter makes one of an Asker.
type Chatter interface {
	Chat(ctx context.Context, r ChatRequest) (Message, error)
}

// A ChatFunc is a func used as a [Chatter].
type ChatFunc func(ctx context.Context, r ChatRequest) (Message, error)

// Chat calls f.
func (f ChatFunc) Chat(ctx context.Context, r ChatRequest) (Message, error) { return f(ctx, r) }

// A ChatRequest is a conversation to be continued. The Chatter must not change
// or keep its slices.
type ChatRequest struct {
	Messages []Message
	Tools    []ToolSpec

	// ToolChoice says whether tools are to be called. The zero value leaves it
	// to the model.
	ToolChoice ToolChoice
}

// A ToolChoice says whether a reply is to call tools.
type ToolChoice string

// The choices; a server that does not know one answers with a [*StatusError].
const (
	ToolsAuto     ToolChoice = ""         // the model decides
	ToolsNone     ToolChoice = "none"     // it must answer in words
	ToolsRequired ToolChoice = "required" // it must call a tool
)

// ToolResult is the [Role] of a message that answers a tool call.
const ToolResult Role = "tool"

// A Message is one turn of a conversation. It is plain data and survives JSON
// unchanged.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`

	// Reasoning is what the model thought before an [Assistant] message. Some
	// servers want it back with the message; others ignore or refuse it, so
	// that the client decides.
	Reasoning string `json:"reasoning,omitempty"`

	// Calls are the tools an Assistant message calls, in order. Each must be
	// answered by one [ToolResult] before the next message of another role.
	Calls []ToolCall `json:"calls,omitempty"`

	// CallID is the call that a ToolResult answers.
	CallID string `json:"callID,omitempty"`
}

// A ToolCall is a tool that a model calls.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object, if the model wrote one
}

// A ToolSpec tells a model of a tool.
type ToolSpec struct {
	Name        string
	Description string

	// Schema is the JSON Schema of the arguments, an object. Nil means that
	// the tool takes none.
	Schema json.RawMessage
}
