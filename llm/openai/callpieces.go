package openai

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/sashabaranov/go-openai"
)

// callPieces are calls or pieces of calls as servers write them.
type callPieces []callPiece

type callPiece struct {
	Index    json.RawMessage `json:"index"`
	ID       loose           `json:"id"`
	Function functionCall    `json:"function"`
}

// A functionCall is what a tool is called with. Some servers have put the id here.
type functionCall struct {
	Name      loose `json:"name"`
	Arguments loose `json:"arguments"`
	ID        loose `json:"id"`
}

// UnmarshalJSON never fails: what is no call says nothing, or has no name.
func (f *functionCall) UnmarshalJSON(data []byte) error {
	type plain functionCall
	if json.Unmarshal(data, (*plain)(f)) != nil && failed(data, true) {
		*f = functionCall{Arguments: loose(data)}
	}
	return nil
}

// A loose is a text, or the JSON of what a server has put in its place: some send
// arguments as an object. Null is no text.
type loose string

// UnmarshalJSON never fails.
func (l *loose) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(l)) != nil {
		*l = loose(data)
	}
	return nil
}

// UnmarshalJSON reads a list or a single call. It never fails: an element that is
// no call is read as one without a name, which is found out when the reply ends
// and by those only who want calls.
func (c *callPieces) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	switch data = bytes.TrimSpace(data); {
	case bytes.HasPrefix(data, []byte("[")):
		list, _ = readList[json.RawMessage](data, mostCalls+1) // it is valid JSON
	case failed(data, true):
		list = []json.RawMessage{data}
	}
	for _, raw := range list {
		var p callPiece
		if json.Unmarshal(raw, &p) != nil {
			p = callPiece{Function: functionCall{Arguments: loose(raw)}}
		}
		*c = append(*c, p)
	}
	return nil
}

// calls returns the calls of a piece in the library's shape. Those of a whole
// message are numbered by their place, whatever the server says, for each of them
// is one.
func (p piece) calls(whole bool) []openai.ToolCall {
	pieces := p.ToolCalls
	if len(pieces) == 0 {
		pieces = callPieces{{Function: p.FunctionCall}}
	}
	var all []openai.ToolCall
	for i, c := range pieces {
		f := c.Function
		call := openai.ToolCall{
			Index:    place(c.Index),
			ID:       string(cmp.Or(c.ID, f.ID)),
			Function: openai.FunctionCall{Name: string(f.Name), Arguments: string(f.Arguments)},
		}
		if call.ID == "" && f.Name == "" && f.Arguments == "" {
			continue // it says nothing
		}
		if whole {
			call.Index = &i
		}
		all = append(all, call)
	}
	return all
}
