package openai_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

func TestReasoningOpen(t *testing.T) {
	for _, test := range []struct {
		name, text, want, reasoning string
		err                         error
	}{
		{name: "think", text: "so ACT: rm\n</think>\n\nDONE: 4", want: "\n\nDONE: 4", reasoning: "so ACT: rm\n"},
		{name: "thinking", text: "hm</thinking>DONE: 4", want: "DONE: 4", reasoning: "hm"},
		{name: "both", text: "a</thinking>b</think>c", want: "b</think>c", reasoning: "a"},
		{name: "both-other", text: "a</think>b</thinking>c", want: "b</thinking>c", reasoning: "a"},
		{name: "at-once", text: "</think>DONE: 4", want: "DONE: 4"},
		{name: "both-at-once", text: "</think>b</thinking>c", want: "b</thinking>c"},
		{name: "twice", text: "a</think>b</think>c", want: "b</think>c", reasoning: "a"},
		{name: "nearly", text: "a</thin</think >b</thinks></think>c", want: "c", reasoning: "a</thin</think >b</thinks>"},
		{name: "nothing-behind", text: "hm</think>", reasoning: "hm", err: llm.ErrNoReply},
		{name: "no-tag", text: "ACT: rm -rf .", reasoning: "ACT: rm -rf .", err: llm.ErrNoReply},
		{name: "long", text: strings.Repeat("é", 300) + "</think>DONE: 4", want: "DONE: 4", reasoning: strings.Repeat("é", 300)},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			var events []string
			runes := []rune(test.text)
			for from := 0; from < len(runes); from += size {
				events = append(events, chunk(string(runes[from:min(len(runes), from+size)])))
			}
			model := inMemory(streams(strings.Join(events, ""), finish("stop"), end))
			model.ReasoningOpen = true
			var h heard
			reply, err := model.Ask(llm.WithTrace(t.Context(), h.trace()), "p")
			assertError(t, test.err, err)
			assert.Equal(t, test.want, reply, "%s by %d", test.name, size)
			assert.Equal(t, test.want, strings.Join(h.deltas, ""), "%s by %d", test.name, size)
			assert.Equal(t, test.reasoning, strings.Join(h.reasoning, ""), "%s by %d", test.name, size)
			assert.GreaterOrEqual(t, len(h.deltas), (len([]rune(test.want))+size-1)/size-1, "text behind the tag streams")
		}
	}
}

func TestReasoningOpenCut(t *testing.T) {
	o := asked(t, t.Context(), func(c *openai.Client) { c.ReasoningOpen = true }, streams(chunk("hm ACT: rm"), finish("length"), end))
	assertError(t, &llm.TruncatedError{Reason: "length"}, o.err)
	assert.Equal(t, []string{"hm ACT: rm"}, o.reasoning)
	o = asked(t, t.Context(), func(c *openai.Client) { c.ReasoningOpen = true }, streams(finish("length"), end))
	assertError(t, &llm.TruncatedError{Reason: "length"}, o.err)
	assert.Empty(t, o.reasoning, "nothing was thought")
}

// TestPlain holds that whole replies come to the same as streams do.
func TestPlain(t *testing.T) {
	long := strings.Repeat("日本🙂\n", 10000)
	for name, test := range map[string]struct {
		fields, finish string // of a message or delta
		streamed       []any  // in place of the usual stream
		whole          []any  // in place of the usual reply
	}{
		"text":           {fields: `"content":"DONE: 4\n\n"`, finish: "stop"},
		"long":           {fields: `"content":` + quote(long), finish: "stop"},
		"length":         {fields: `"content":"DONE: 4"`, finish: "length"},
		"filter":         {fields: `"content":"DONE: 4"`, finish: "content_filter"},
		"abort":          {fields: `"content":"DONE: 4"`, finish: "abort"},
		"refusal":        {fields: `"refusal":"I cannot"`, finish: "stop"},
		"null":           {fields: `"content":null`, finish: "stop"},
		"reasoning":      {fields: `"reasoning":"hm","content":"DONE: 4"`, finish: "stop"},
		"reasoning-only": {fields: `"reasoning_content":"hm"`, finish: "stop"},
		"parts":          {fields: `"content":[{"type":"text","text":"DONE: 4"}]`, finish: "stop"},
		"think":          {fields: `"content":"hm</think>DONE: 4"`, finish: "stop"},
		"error":          {streamed: []any{`data: {"error":{"message":"no","code":503}}` + "\n\n"}, whole: []any{`{"error":{"message":"no","code":503}}`}},
		"no-choices":     {streamed: []any{`data: {"choices":[]}` + "\n\n" + end}, whole: []any{`{"choices":[]}`}},
		"reset":          {streamed: []any{`data: {"cho`, io.ErrUnexpectedEOF}, whole: []any{`{"cho`, io.ErrUnexpectedEOF}},
		"html":           {streamed: []any{"<html>"}, whole: []any{"<html>"}},
	} {
		if test.finish != "" {
			test.streamed = []any{delta(`"delta":{` + test.fields + `}`), finish(test.finish), end}
			test.whole = []any{`{"choices":[{"message":{` + test.fields + `},"finish_reason":"` + test.finish + `"}]}`}
		}
		for _, open := range []bool{false, true} {
			set := func(plain bool) func(*openai.Client) {
				return func(c *openai.Client) { c.Plain, c.ReasoningOpen, c.Tries = plain, open, 1 }
			}
			a := asked(t, t.Context(), set(false), streams(test.streamed...))
			b := asked(t, t.Context(), set(true), streams(test.whole...))
			assert.Equal(t, a.reply, b.reply, name)
			assert.Equal(t, a.err, b.err, name)
			assert.Equal(t, strings.Join(a.deltas, ""), strings.Join(b.deltas, ""), name)
			assert.Equal(t, a.heard.reasoning, b.heard.reasoning, name)
		}
	}
}
