package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sashabaranov/go-openai"

	"github.com/actdone/actdone/llm"
)

// A chunk is a piece of a reply in the library's shape, with the fields that
// count, or an error in its place.
type chunk struct {
	Choices []choice      `json:"choices"`
	Usage   *openai.Usage `json:"usage,omitempty"`

	err   *llm.StatusError
	whole bool // the text is a whole message's
}

type choice struct {
	Index int `json:"index"`
	Delta struct {
		Content   string `json:"content,omitempty"`
		Reasoning string `json:"reasoning_content,omitempty"`
		Refusal   string `json:"refusal,omitempty"`

		Calls []openai.ToolCall `json:"tool_calls,omitempty"`
	} `json:"delta"`
	Finish string `json:"finish_reason,omitempty"`
}

// line returns the chunk as an event.
func (c chunk) line() []byte {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // unreachable: it holds texts and numbers only
	}
	return append(append([]byte("data: "), data...), "\n\n"...)
}

// A wireChunk is a chunk or a whole reply as servers write it.
type wireChunk struct {
	Choices *wireChoices    `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
}

type wireChoice struct {
	Index   json.RawMessage `json:"index"`
	Delta   *piece          `json:"delta"`
	Message *piece          `json:"message"`
	Text    content         `json:"text"`
	Finish  any             `json:"finish_reason"`
	Error   json.RawMessage `json:"error"`
}

// wireChoices are read one by one, so that a list without end is not.
type wireChoices []wireChoice

const mostChoices = 128

// UnmarshalJSON reads a list, or null.
func (c *wireChoices) UnmarshalJSON(data []byte) (err error) {
	if *c, err = readList[wireChoice](data, mostChoices+1); err != nil {
		return err
	}
	if len(*c) > mostChoices {
		return fmt.Errorf("more than %d choices", mostChoices)
	}
	return nil
}

// readList reads the first elements of a list, or null.
func readList[T any](data []byte, most int) (list []T, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	start, err := decoder.Token()
	if err != nil || start == nil {
		return nil, err
	}
	if start != json.Delim('[') {
		return nil, errors.New("it is no list")
	}
	for decoder.More() && len(list) < most {
		var one T
		if err := decoder.Decode(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// normalize reads a chunk or a whole reply as servers write them.
func normalize(data []byte) (chunk, error) {
	var in wireChunk
	if err := json.Unmarshal(data, &in); err != nil {
		return chunk{}, err
	}
	out := chunk{Usage: counted(in.Usage)}
	var all wireChoices
	if in.Choices != nil {
		all = *in.Choices
	}
	if failed(in.Error, len(all) == 0) {
		out.err = reported(in.Error)
		return out, nil
	}
	if text := cmp.Or(words(in.Message), words(in.Detail)); text != "" && in.Choices == nil {
		out.err = reported(data)
		out.err.Message = text
		return out, nil
	}
	for i, c := range all {
		if failed(c.Error, false) {
			out.err = reported(c.Error)
			return out, nil
		}
		one, whole := c.read(i)
		out.Choices, out.whole = append(out.Choices, one), out.whole || whole
	}
	return out, nil
}

// read returns the choice that stands at place i of its list, and whether it is a
// whole message rather than a piece.
func (c wireChoice) read(i int) (one choice, whole bool) {
	one = choice{Index: i, Finish: reason(wordsOf(c.Finish))}
	if n := place(c.Index); n != nil {
		one.Index = *n
	}
	var p piece
	switch {
	case c.Delta != nil:
		p = *c.Delta
	case c.Message != nil:
		p, whole = *c.Message, true
	}
	one.Delta.Content = cmp.Or(p.Content.text, c.Text.text)
	one.Delta.Reasoning = cmp.Or(p.ReasoningContent.text, p.Reasoning.text, p.Thinking.text, p.Content.thought)
	one.Delta.Refusal = p.Refusal.text
	one.Delta.Calls = p.calls(whole)
	return one, whole
}

// place reads an index, which some servers write as a text or with a decimal
// point. It is nil where there is none.
func place(raw json.RawMessage) *int {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || !(n > -1e6 && n < 1e6) {
		return nil
	}
	at := int(n)
	return &at
}

// reason makes a finish reason fit to be shown: such as there are, are words.
func reason(s string) string {
	const longest = 40
	if len(s) > longest {
		s = s[:longest]
	}
	return strings.Map(func(r rune) rune {
		if r < '!' || r > '~' {
			return '_'
		}
		return r
	}, s)
}

// failed reports whether an error field holds an error: one that says something,
// or stands alone.
func failed(raw json.RawMessage, alone bool) bool {
	switch strings.Join(strings.Fields(string(raw)), "") {
	case "", "null", "false", `""`, "{}", "[]", "0":
		return false
	}
	return alone || words(raw) != ""
}

// reported reads an error that came in place of a reply.
func reported(raw json.RawMessage) *llm.StatusError {
	var shape struct {
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
	}
	_ = json.Unmarshal(raw, &shape) // an error that is a text has neither
	e := &llm.StatusError{Message: words(raw)}
	for _, number := range []json.RawMessage{shape.Code, shape.Status} {
		if n, err := strconv.Atoi(strings.Trim(string(number), `"`)); err == nil && n >= 400 && n < 600 {
			e.Code = n
		}
	}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// A piece is a message or a part of one. Servers that send reasoning under several
// names send the same.
type piece struct {
	Content          content `json:"content"`
	ReasoningContent content `json:"reasoning_content"`
	Reasoning        content `json:"reasoning"`
	Thinking         content `json:"thinking"`
	Refusal          content `json:"refusal"`

	ToolCalls    callPieces   `json:"tool_calls"`
	FunctionCall functionCall `json:"function_call"` // before there were tools
}

// content is a text, null, or a list of parts: their texts are the text, their
// thoughts are not.
type content struct{ text, thought string }

// UnmarshalJSON reads any of them. What else a server may send says nothing.
func (c *content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &parts) != nil {
		return nil
	}
	var text, thought strings.Builder
	for _, p := range parts {
		switch p.Type {
		case "", "text", "output_text":
			text.WriteString(p.Text)
		case "reasoning", "thinking":
			thought.WriteString(p.Text)
		}
	}
	c.text, c.thought = text.String(), thought.String()
	return nil
}

// counted reads token counts as servers write them, some with a decimal point.
// What makes no sense was not told.
func counted(raw json.RawMessage) *openai.Usage {
	var u struct {
		Prompt     count `json:"prompt_tokens"`
		Completion count `json:"completion_tokens"`
		Total      count `json:"total_tokens"`
		Details    struct {
			Cached count `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CacheRead count `json:"cache_read_input_tokens"`
		CacheHit  count `json:"prompt_cache_hit_tokens"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	_ = json.Unmarshal(raw, &u) // what could be read counts
	return &openai.Usage{
		PromptTokens:        int(u.Prompt),
		CompletionTokens:    int(u.Completion),
		TotalTokens:         int(u.Total),
		PromptTokensDetails: &openai.PromptTokensDetails{CachedTokens: int(max(u.Details.Cached, u.CacheRead, u.CacheHit))},
	}
}

// A count is a number of tokens, or 0 where the server wrote something else.
type count int

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && n >= 0 && n < 1e12 {
		*c = count(n)
	}
	return nil
}
