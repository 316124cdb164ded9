package script

import (
	"cmp"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/actdone/actdone/llm"
)

// The shapes of answers, as the API has them.

type wireReply struct {
	ID          string       `json:"id"`
	Object      string       `json:"object"`
	Created     int64        `json:"created"`
	Model       string       `json:"model"`
	Fingerprint string       `json:"system_fingerprint"`
	Choices     []wireChoice `json:"choices"`
	Usage       any          `json:"usage,omitempty"` // null in the pieces of a stream that ends with it
}

type wireChoice struct {
	Index    int          `json:"index"`
	Message  *wireMessage `json:"message,omitempty"`
	Delta    *wireDelta   `json:"delta,omitempty"`
	Logprobs any          `json:"logprobs"`
	Finish   any          `json:"finish_reason"`
}

type wireMessage struct {
	Role    string     `json:"role"`
	Content any        `json:"content"`
	Refusal any        `json:"refusal"` // see afterText
	Calls   []wireCall `json:"tool_calls,omitempty"`
}

type wireDelta struct {
	Role    string     `json:"role,omitempty"`
	Content any        `json:"content,omitempty"`
	Calls   []wireCall `json:"tool_calls,omitempty"`
}

type wireCall struct {
	Index    *int         `json:"index,omitempty"` // in streams
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type wireUsage struct {
	Prompt  int `json:"prompt_tokens"`
	Reply   int `json:"completion_tokens"`
	Total   int `json:"total_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// null is a JSON null, also where none would be left out.
var null = json.RawMessage("null")

// reply returns the frame of an answer.
func (d *delivery) reply(object string) wireReply {
	return wireReply{
		ID: d.id(), Object: object, Created: created, Fingerprint: "fp_script",
		Model: cmp.Or(d.answer.step.Model, d.asked.Model),
	}
}

// message returns a whole reply.
func (d *delivery) message(text string) wireReply {
	m := &wireMessage{Role: "assistant", Content: text}
	if text == "" && len(d.answer.calls) > 0 {
		m.Content = nil
	}
	for _, c := range d.answer.calls {
		m.Calls = append(m.Calls, wireCall{ID: c.ID, Type: "function", Function: wireFunction{c.Name, c.Arguments}})
	}
	reply := d.reply("chat.completion")
	reply.Choices = []wireChoice{{Message: m, Finish: d.finish()}}
	reply.Usage = d.usage()
	return reply
}

// finish returns the finish reason.
func (d *delivery) finish() string {
	fitting := "stop"
	if len(d.answer.calls) > 0 {
		fitting = "tool_calls"
	}
	return cmp.Or(d.answer.step.Finish, fitting)
}

func (d *delivery) usage() wireUsage {
	step := d.answer.step
	u := wireUsage{Prompt: step.In, Reply: step.Out, Total: step.In + step.Out}
	u.Details.Cached = step.Cached
	return u
}

// callPieces returns the pieces of call i in a stream: first its id and name, then
// its arguments in two pieces or more.
func (a *answer) callPieces(i int, call llm.ToolCall) []wireCall {
	pieces := []wireCall{{Index: &i, ID: call.ID, Type: "function", Function: wireFunction{Name: call.Name}}}
	for _, part := range a.cutArguments(call.Arguments) {
		pieces = append(pieces, wireCall{Index: &i, Function: wireFunction{Arguments: part}})
	}
	return pieces
}

func (a *answer) cutArguments(arguments string) []string {
	if parts := cutUp(arguments, a.chunk()); len(parts) > 1 {
		return parts
	}
	half := max(1, len(arguments)/2)
	for half < len(arguments) && !utf8.RuneStart(arguments[half]) {
		half++
	}
	return []string{arguments[:half], arguments[half:]}
}

// errorBody returns the body of an error with an HTTP status, or without one.
func errorBody(code int, message string) any {
	type body struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Param   any    `json:"param"`
		Code    any    `json:"code"`
	}
	e := body{Message: message, Type: "invalid_request_error"}
	switch {
	case code == http.StatusTooManyRequests:
		e.Type, e.Code = "requests", "rate_limit_exceeded"
	case code == 0 || code >= 500:
		e.Type = "server_error"
	}
	return map[string]body{"error": e}
}
