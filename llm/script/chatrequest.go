package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/actdone/actdone/llm"
)

// A chatRequest is a request for a reply, as the API has it.
type chatRequest struct {
	Model         string          `json:"model"`
	Messages      []chatMessage   `json:"messages"`
	Tools         []chatTool      `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	N             *int            `json:"n"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []wireCall      `json:"tool_calls"`
	CallID  string          `json:"tool_call_id"`

	text string // of Content
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// readChat reads a request, and checks it if strict is set.
func readChat(r *http.Request, body []byte, strict bool) (*chatRequest, error) {
	c := &chatRequest{}
	if err := json.Unmarshal(body, c); err != nil {
		return nil, fmt.Errorf("the request is not the JSON of the API: %w", err)
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		text, err := readContent(m.Content)
		if err != nil && strict {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		m.text = text
	}
	if !strict {
		return c, nil
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != jsonType {
		return nil, fmt.Errorf("the Content-Type is %q, want %s", r.Header.Get("Content-Type"), jsonType)
	}
	return c, c.check()
}

// readContent returns the text of a message: a text, null, or a list of parts.
func readContent(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var text string
	if raw[0] == '"' {
		return text, json.Unmarshal(raw, &text)
	}
	var parts []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", errors.New("the content is neither a text nor a list of parts")
	}
	var b strings.Builder
	var odd error
	for _, p := range parts {
		b.WriteString(p.Text + p.Refusal)
		if p.Type != "text" && p.Type != "refusal" {
			odd = fmt.Errorf("a part of the content is of the type %q; a script takes text only", p.Type)
		}
	}
	return b.String(), odd
}

// usage reports whether the stream is to end with the usage.
func (c *chatRequest) usage() bool { return c.StreamOptions != nil && c.StreamOptions.Usage }

// messages returns the conversation.
func (c *chatRequest) messages() []llm.Message {
	var all []llm.Message
	for _, m := range c.Messages {
		own := llm.Message{Role: llm.Role(m.Role), Text: m.text, CallID: m.CallID}
		for _, call := range m.Calls {
			own.Calls = append(own.Calls, llm.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
		}
		all = append(all, own)
	}
	return all
}

// request returns what the player is asked, for a script of this kind.
func (c *chatRequest) request(api string) (*request, error) {
	own := &request{chat: true, model: c.Model}
	for _, tool := range c.Tools {
		own.tools = append(own.tools, tool.Function.Name)
	}
	if api != "text" {
		own.prompt, own.parts = Render(c.messages())
		return own, nil
	}
	own.joined = true
	var b strings.Builder
	for i, m := range c.messages() {
		if len(m.Calls) > 0 || m.CallID != "" {
			return nil, fmt.Errorf("messages[%d] is about a tool call, but the script says api text", i)
		}
		b.WriteString(m.Text)
		own.parts = append(own.parts, llm.Part{Role: m.Role, Name: fmt.Sprintf("message %d (%s)", i+1, m.Role), End: b.Len()})
	}
	own.prompt = b.String()
	return own, nil
}
