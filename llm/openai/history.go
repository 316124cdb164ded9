package openai

import (
	"cmp"
	"slices"

	"github.com/actdone/actdone/llm"
)

// A history is a conversation, encoded. As with [messages], the bytes of body
// never change once written.
type history struct {
	messages []llm.Message // what it encodes
	body     []byte        // without the end of the array
	called   int           // how many calls it holds
}

// chats are the latest conversations.
type chats struct{ memory[*history] }

// The content of a message that calls tools and has no text. Neither can stand in
// a text, where quotes are escaped.
var (
	nullContent  = []byte(`"content":null`)
	emptyContent = []byte(`"content":""`)
)

// take returns a conversation, encoded: an earlier one that it goes on from, and
// more, if there is one.
func (k *chats) take(conversation []llm.Message, reasoningField string) *history {
	h := k.find(func(h *history) bool { return h.begin(conversation) })
	if h == nil {
		h = &history{}
	}
	for _, m := range conversation[len(h.messages):] {
		h.add(m, reasoningField)
	}
	return h
}

func (h *history) length() int { return len(h.messages) }

func (h *history) held() int {
	const perMessage = 100 // about
	return 2*len(h.body) + perMessage*len(h.messages)
}

// begin reports whether h is the beginning of a conversation.
func (h *history) begin(conversation []llm.Message) bool {
	n := len(h.messages)
	return n <= len(conversation) && slices.EqualFunc(h.messages, conversation[:n], sameMessage)
}

func sameMessage(a, b llm.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Reasoning == b.Reasoning && a.CallID == b.CallID && slices.Equal(a.Calls, b.Calls)
}

// add appends a message.
func (h *history) add(m llm.Message, reasoningField string) {
	m.Calls = slices.Clone(m.Calls) // they are the caller's
	h.messages, h.called = append(h.messages, m), h.called+len(m.Calls)
	if h.body != nil {
		h.body = append(h.body, ',')
	}
	h.body = appendMessage(h.body, m, reasoningField)
}

// appendMessage appends a message as JSON.
func appendMessage(b []byte, m llm.Message, reasoningField string) []byte {
	b = appendText(append(b, `{"role":`...), string(m.Role))
	if calls := m.Role == llm.Assistant && len(m.Calls) > 0; calls && m.Text == "" {
		b = append(append(b, ','), nullContent...)
	} else {
		b = appendText(append(b, `,"content":`...), m.Text)
	}
	switch m.Role {
	case llm.ToolResult:
		b = appendText(append(b, `,"tool_call_id":`...), m.CallID)
	case llm.Assistant:
		if reasoningField != "" {
			b = append(appendText(append(b, ','), reasoningField), ':')
			b = appendText(b, cmp.Or(m.Reasoning, " "))
		}
		b = appendCalls(b, m.Calls)
	}
	return append(b, '}')
}

// appendCalls appends the calls of a message, if it has any.
func appendCalls(b []byte, calls []llm.ToolCall) []byte {
	for i, call := range calls {
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"id":`...), call.ID)
		b = appendText(append(b, `,"type":"function","function":{"name":`...), call.Name)
		b = appendText(append(b, `,"arguments":`...), cmp.Or(call.Arguments, "{}"))
		b = append(b, "}}"...)
	}
	if len(calls) > 0 {
		b = append(b, ']')
	}
	return b
}

// appendText appends a JSON string.
func appendText(b []byte, text string) []byte {
	return append(appendEscaped(append(b, '"'), text), '"')
}
