package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/actdone/actdone/llm"
)

var _ llm.Chatter = (*Client)(nil)

// Chat sends a conversation and returns the reply, with all of its calls or with
// an error: see [Client.Ask] for the errors and for the [llm.Trace] in ctx, which
// hears the text and the reasoning as they come, but nothing of the calls. A call
// that names no tool is a [*llm.DecodeError].
//
// A message that calls tools and has no text is sent with the content null, as
// OpenAI's reference has it, for there are servers that refuse an empty text; to
// one that refuses null it is sent as an empty text from then on.
func (c *Client) Chat(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
	if len(r.Messages) == 0 {
		return llm.Message{}, errors.New("openai: ChatRequest.Messages is empty")
	}
	fields, err := toolFields(r)
	if err != nil {
		return llm.Message{}, err
	}
	history := c.chats.take(r.Messages, c.ReasoningField)
	defer c.chats.put(history)
	return c.send(ctx, request{messages: history.body, end: "]", fields: fields, chat: true, called: history.called})
}

// toolFields returns the fields of a request that are about tools. There are none
// without tools: servers refuse an empty list.
func toolFields(r llm.ChatRequest) (map[string]any, error) {
	if len(r.Tools) == 0 {
		return nil, nil
	}
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	var tools []tool
	for _, t := range r.Tools {
		schema := t.Schema
		if schema == nil {
			schema = json.RawMessage(noParameters)
		}
		if !json.Valid(schema) || !bytes.HasPrefix(bytes.TrimSpace(schema), []byte("{")) {
			return nil, fmt.Errorf("openai: the schema of tool %q is no JSON object", t.Name)
		}
		tools = append(tools, tool{"function", function{t.Name, t.Description, schema}})
	}
	fields := map[string]any{"tools": tools}
	if r.ToolChoice != "" {
		fields["tool_choice"] = r.ToolChoice
	}
	return fields, nil
}

// noParameters is the schema of a tool that takes none. Some servers refuse one
// without properties.
const noParameters = `{"type":"object","properties":{}}`
