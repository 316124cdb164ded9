package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// A chatRow is one way in which a server may call tools, and what Chat makes of
// it. Calls are written as ID, name and arguments.
type chatRow struct {
	name      string
	answer    answer
	set       func(*openai.Client)
	text      string
	calls     []string
	reasoning string
	usage     []llm.Usage
	err       error
}

// pieces is an event with pieces of calls.
func pieces(list ...string) string {
	return delta(`"delta":{"tool_calls":[` + strings.Join(list, ",") + `]}`)
}

// called is a piece with all there is to a call. Its head is its index or ID, as
// JSON fields.
func called(head, name, arguments string) string {
	return `{` + head + `,"type":"function","function":{"name":"` + name + `","arguments":` + quote(arguments) + `}}`
}

// more is a piece that goes on with the arguments of a call.
func more(head, arguments string) string {
	return `{` + head + `,"function":{"arguments":` + quote(arguments) + `}}`
}

// calling is a stream that calls tools.
func calling(events ...string) answer {
	return stream(strings.Join(events, ""), finish("tool_calls"), end)
}

// wholeCalls is a whole reply with these fields and a finish reason.
func wholeCalls(finish, fields string) answer {
	return raw(200, "application/json", `{"choices":[{"index":0,"message":{"role":"assistant",`+fields+`},"finish_reason":"`+finish+`"}]}`)
}

var (
	rome  = []string{"a", "weather", `{"city":"Rome"}`}
	romes = append(rome[:3:3], "b", "weather", `{"city":"Oslo"}`)
)

// streamedCalls are about calls in pieces.
func streamedCalls() []chatRow {
	a, b := called(`"index":0,"id":"a"`, "weather", ""), called(`"index":1,"id":"b"`, "weather", "")
	return []chatRow{
		{name: "in-pieces", answer: calling(pieces(a), pieces(more(`"index":0`, `{"city"`)), pieces(more(`"index":0`, `:"Rome"}`))), calls: rome},
		{name: "at-once", answer: calling(pieces(called(`"index":0,"id":"a"`, "weather", `{"city":"Rome"}`))), calls: rome},
		{name: "several", answer: calling(pieces(a), pieces(more(`"index":0`, rome[2])), pieces(b), pieces(more(`"index":1`, romes[5]))), calls: romes},
		{name: "several-mixed", answer: calling(pieces(a, b), pieces(more(`"index":1`, `{"city":`), more(`"index":0`, `{"city":"Ro`)), pieces(more(`"index":0`, `me"}`)), pieces(more(`"index":1`, `"Oslo"}`))), calls: romes},
		{name: "index-from-1", answer: calling(pieces(called(`"index":1,"id":"a"`, "weather", "")), pieces(more(`"index":1`, rome[2])), pieces(called(`"index":2,"id":"b"`, "weather", romes[5]))), calls: romes},
		{name: "index-as-text", answer: calling(pieces(called(`"index":"0","id":"a"`, "weather", "")), pieces(more(`"index":"0"`, rome[2])), pieces(called(`"index":"1","id":"b"`, "weather", romes[5]))), calls: romes},
		{name: "index-with-a-point", answer: calling(pieces(called(`"index":0.0,"id":"a"`, "weather", "")), pieces(more(`"index":0`, rome[2]))), calls: rome},
		{name: "no-index", answer: calling(pieces(called(`"id":"a"`, "weather", "")), pieces(more(`"id":""`, `{"city":`)), pieces(more(`"id":null`, `"Rome"}`)), pieces(called(`"id":"b"`, "weather", romes[5]))), calls: romes},
		{name: "no-index-but-ids", answer: calling(pieces(called(`"id":"a"`, "weather", ""), called(`"id":"b"`, "weather", "")), pieces(more(`"id":"a"`, rome[2])), pieces(more(`"id":"b"`, romes[5]))), calls: romes},
		{name: "index-null-and-no-id", answer: calling(pieces(called(`"index":null`, "weather", rome[2]), called(`"index":null`, "weather", romes[5])), pieces(called(`"index":null`, "time", ""))), calls: []string{"call00001", "weather", rome[2], "call00002", "weather", romes[5], "call00003", "time", "{}"}},
		{name: "neither-index-nor-id-in-pieces", answer: calling(pieces(`{"function":{"name":"time"}}`), pieces(`{"function":{"arguments":"{}"}}`), pieces(called(`"index":null`, "weather", "")), pieces(`{"function":{"arguments":"{}"}}`)), calls: []string{"call00001", "time", "{}", "call00002", "weather", "{}"}},
		{name: "one-list-without-anything", answer: calling(pieces(`{"function":{"name":"time"}}`, `{"function":{"name":"time"}}`)), calls: []string{"call00001", "time", "{}", "call00002", "time", "{}"}},
		{name: "all-index-0", answer: calling(pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), pieces(called(`"index":0,"id":"b"`, "weather", romes[5]))), calls: romes},
		{name: "all-index-0-in-pieces", answer: calling(pieces(a), pieces(more(`"index":0`, rome[2])), pieces(called(`"index":0,"id":"b"`, "weather", "")), pieces(more(`"index":0`, romes[5]))), calls: romes},
		{name: "all-index-0-without-ids", answer: calling(pieces(called(`"index":0`, "weather", rome[2])), pieces(called(`"index":0`, "weather", romes[5])), pieces(called(`"index":0`, "time", "{}"))), calls: []string{"call00001", "weather", rome[2], "call00002", "weather", romes[5], "call00003", "time", "{}"}},
		{name: "all-index-0-no-arguments", answer: calling(pieces(called(`"index":0`, "time", "")), pieces(called(`"index":0`, "weather", rome[2]))), calls: []string{"call00001", "time", "{}", "call00002", "weather", rome[2]}},
		{name: "repeated-id-and-name", answer: calling(pieces(a), pieces(called(`"index":0,"id":"a"`, "weather", `{"city":`)), pieces(called(`"index":0,"id":"a"`, "weather", `"Rome"}`)), pieces(a)), calls: rome},
		{name: "repeated-name", answer: calling(pieces(a), pieces(called(`"index":0`, "weather", `{"city":"{}\"}`)), pieces(called(`"index":0`, "weather", `"}`)), pieces(called(`"index":0`, "weather", " \n"))), calls: []string{"a", "weather", `{"city":"{}\"}"}` + " \n"}},
		{name: "repeated-name-and-an-inner-object", answer: calling(pieces(called(`"index":0,"id":"a"`, "weather", `{"at":{"x":1}`)), pieces(called(`"index":0`, "weather", `}`))), calls: []string{"a", "weather", `{"at":{"x":1}}`}},
		{name: "name-in-pieces", answer: calling(pieces(called(`"index":0,"id":"a"`, "wea", "")), pieces(called(`"index":0`, "ther", "")), pieces(more(`"index":0`, rome[2]))), calls: rome},
		{name: "name-behind-arguments", answer: calling(pieces(more(`"index":0,"id":"a"`, `{"city":`)), pieces(called(`"index":0`, "weather", `"Rome"}`))), calls: rome},
		{name: "name-behind-arguments-all-index-0", answer: calling(pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), pieces(more(`"index":0,"id":"b"`, romes[5])), pieces(called(`"index":0`, "weather", ""))), calls: romes},
		{name: "other-name-behind-arguments", answer: calling(pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), pieces(called(`"index":0,"id":"a"`, "climate", ""))), calls: rome},
		{name: "id-behind-name", answer: calling(pieces(called(`"index":0`, "weather", "")), pieces(more(`"index":0,"id":"a"`, rome[2]))), calls: rome},
		{name: "id-in-the-function", answer: calling(pieces(`{"index":0,"function":{"id":"a","name":"weather","arguments":"{\"city\":\"Rome\"}"}}`)), calls: rome},
		{name: "id-as-number", answer: calling(pieces(called(`"index":0,"id":7`, "time", ""))), calls: []string{"7", "time", "{}"}},
		{name: "other-id-in-each-piece", answer: calling(pieces(a), pieces(more(`"index":0,"id":"x"`, `{"city":`)), pieces(more(`"index":0,"id":"x"`, `"Rome"}`)), pieces(more(`"index":0,"id":"x"`, ""))), calls: rome},
		{name: "same-id-twice", answer: calling(pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), pieces(called(`"index":1,"id":"a"`, "weather", romes[5]))), calls: []string{"a", "weather", rome[2], "call00002", "weather", romes[5]}},
		{name: "id-missing-beside-a-made-one", answer: calling(pieces(called(`"index":0,"id":"call00002"`, "time", "")), pieces(called(`"index":1,"id":null`, "time", ""))), calls: []string{"call00002", "time", "{}", "call00003", "time", "{}"}},
		{name: "id-missing-before-a-made-one", answer: calling(pieces(called(`"index":0`, "time", ""), called(`"index":1,"id":"call00001"`, "time", ""))), calls: []string{"call00002", "time", "{}", "call00001", "time", "{}"}},
		{name: "index-0-in-a-whole-reply", set: plain, answer: wholeCalls("tool_calls", `"tool_calls":[`+called(`"index":0`, "time", "")+`,`+called(`"index":0`, "time", "")+`]`), calls: []string{"call00001", "time", "{}", "call00002", "time", "{}"}},
		{name: "empty-pieces", answer: calling(pieces("null", "{}", `{"index":0}`), pieces(), pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), delta(`"delta":{"tool_calls":null}`), delta(`"delta":{"tool_calls":""}`), delta(`"delta":{"tool_calls":{}}`)), calls: rome},
		{name: "one-call-without-a-list", answer: calling(delta(`"delta":{"tool_calls":` + called(`"id":"a"`, "weather", rome[2]) + `}`)), calls: rome},
		{name: "function_call", answer: stream(delta(`"delta":{"function_call":{"name":"weather","arguments":""}}`), delta(`"delta":{"function_call":{"arguments":"{\"city\":"}}`), delta(`"delta":{"function_call":{"arguments":"\"Rome\"}"}}`), finish("function_call"), end), calls: []string{"call00001", "weather", rome[2]}},
		{name: "function_call-null", answer: calling(delta(`"delta":{"function_call":null,"tool_calls":[` + called(`"index":0,"id":"a"`, "weather", rome[2]) + `]}`)), calls: rome},
		{name: "message-again-at-the-end", answer: stream(chunk("I look."), pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), `data: {"choices":[{"message":{"content":"I look.","tool_calls":[`+called(`"id":"a"`, "weather", rome[2])+`]},"finish_reason":"tool_calls"}]}`+"\n\n", end), text: "I look.", calls: rome},
		{name: "calls-in-the-message-at-the-end", answer: stream(chunk("I look."), `data: {"choices":[{"message":{"content":"I look.","tool_calls":[`+called(`"id":"a"`, "weather", rome[2])+`]},"finish_reason":"tool_calls"}]}`+"\n\n", end), text: "I look.", calls: rome},
		{name: "other-choice", answer: calling(pieces(a), `data: {"choices":[{"index":1,"delta":{"tool_calls":[`+b+`]}}]}`+"\n\n", pieces(more(`"index":0`, rome[2]))), calls: rome},
		{name: "with-the-finish", answer: stream(delta(`"delta":{"tool_calls":[`+called(`"index":0,"id":"a"`, "weather", rome[2])+`]},"finish_reason":"tool_calls"`), end), calls: rome},
		{name: "usage", answer: stream(pieces(called(`"index":0,"id":"a"`, "weather", rome[2])), finish("tool_calls"), `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}`+"\n\n", end), calls: rome, usage: []llm.Usage{{Prompt: 9, Reply: 3}}},
	}
}

// anyCalls are about what calls are, in a stream of one event and in a whole
// reply.
func anyCalls() (rows []chatRow) {
	for _, c := range []struct {
		name, fields, finish string
		text                 string
		calls                []string
		reasoning            string
		err                  error
	}{
		{name: "one", fields: `"content":null,"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, calls: rome},
		{name: "several", fields: `"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `,` + called(`"id":"b"`, "weather", romes[5]) + `]`, calls: romes},
		{name: "finish-stop", fields: `"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, finish: "stop", calls: rome},
		{name: "finish-function_call", fields: `"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, finish: "function_call", calls: rome},
		{name: "text-beside", fields: `"content":"I look.","tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, text: "I look.", calls: rome},
		{name: "parts-beside", fields: `"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"I look."}],"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, text: "I look.", reasoning: "hm", calls: rome},
		{name: "reasoning_content-beside", fields: `"reasoning_content":"hm","tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, reasoning: "hm", calls: rome},
		{name: "reasoning-beside", fields: `"reasoning":"hm","content":"I look.","tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, text: "I look.", reasoning: "hm", calls: rome},
		{name: "thinking-beside", fields: `"thinking":"hm","tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, reasoning: "hm", calls: rome},
		{name: "no-arguments", fields: `"tool_calls":[{"id":"a","function":{"name":"time"}}]`, calls: []string{"a", "time", "{}"}},
		{name: "arguments-empty", fields: `"tool_calls":[` + called(`"id":"a"`, "time", "") + `]`, calls: []string{"a", "time", "{}"}},
		{name: "arguments-blank", fields: `"tool_calls":[` + called(`"id":"a"`, "time", " \n") + `]`, calls: []string{"a", "time", "{}"}},
		{name: "arguments-null", fields: `"tool_calls":[{"id":"a","function":{"name":"time","arguments":null}}]`, calls: []string{"a", "time", "{}"}},
		{name: "arguments-null-as-text", fields: `"tool_calls":[` + called(`"id":"a"`, "time", "null") + `]`, calls: []string{"a", "time", "{}"}},
		{name: "arguments-as-object", fields: `"tool_calls":[{"id":"a","function":{"name":"weather","arguments":{"city":"Rome"}}}]`, calls: rome},
		{name: "arguments-as-empty-object", fields: `"tool_calls":[{"id":"a","function":{"name":"time","arguments":{}}}]`, calls: []string{"a", "time", "{}"}},
		{name: "arguments-no-json", fields: `"tool_calls":[` + called(`"id":"a"`, "bash", "ls -l\n") + `]`, calls: []string{"a", "bash", "ls -l\n"}},
		{name: "arguments-of-any-text", fields: `"tool_calls":[` + called(`"id":"a"`, "bash", "{\"x\":\"<&> é🙂\u2028\\u0000\"}") + `]`, calls: []string{"a", "bash", "{\"x\":\"<&> é🙂\u2028\\u0000\"}"}},
		{name: "no-id", fields: `"tool_calls":[` + called(`"id":""`, "weather", rome[2]) + `,` + called(`"id":null`, "time", "") + `]`, calls: []string{"call00001", "weather", rome[2], "call00002", "time", "{}"}},
		{name: "function_call", fields: `"content":null,"function_call":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}`, finish: "function_call", calls: []string{"call00001", "weather", rome[2]}},
		{name: "no-tools", fields: `"content":"4","tool_calls":[]`, finish: "stop", text: "4"},
		{name: "no-tools-null", fields: `"content":"4","tool_calls":null,"function_call":null`, finish: "stop", text: "4"},
		{name: "no-tools-empty", fields: `"content":"4","tool_calls":"","function_call":""`, finish: "stop", text: "4"},
		{name: "nothing", fields: `"content":null,"tool_calls":[]`, err: llm.ErrNoReply},
		{name: "nothing-but-reasoning", fields: `"reasoning":"hm"`, finish: "stop", reasoning: "hm", err: llm.ErrNoReply},
		{name: "length", fields: `"content":"I look.","tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, finish: "length", err: &llm.TruncatedError{Text: "I look.", Reason: "length"}},
		{name: "content_filter", fields: `"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, finish: "content_filter", err: &llm.RefusedError{Reason: "content_filter"}},
		{name: "abort", fields: `"tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, finish: "abort", err: &llm.TruncatedError{Reason: "abort"}},
		{name: "refusal", fields: `"refusal":"I cannot","tool_calls":[` + called(`"id":"a"`, "weather", rome[2]) + `]`, err: &llm.RefusedError{Text: "I cannot", Reason: "refusal"}},
		{name: "no-name", fields: `"tool_calls":[` + called(`"id":"a"`, "", rome[2]) + `]`, err: &llm.DecodeError{Code: 200, Body: "a " + rome[2]}},
		{name: "no-object", fields: `"tool_calls":["weather"]`, err: &llm.DecodeError{Code: 200, Body: `"weather"`}},
		{name: "no-list", fields: `"tool_calls":"weather"`, err: &llm.DecodeError{Code: 200, Body: `"weather"`}},
		{name: "no-function", fields: `"tool_calls":[{"id":"a","function":"weather"}]`, err: &llm.DecodeError{Code: 200, Body: `a "weather"`}},
		{name: "too-many", fields: `"tool_calls":[` + strings.Repeat(called(`"id":"a"`, "time", "{}")+",", 200) + `7]`, err: &llm.DecodeError{Code: 200}},
	} {
		if c.finish == "" {
			c.finish = "tool_calls"
		}
		row := chatRow{name: c.name, text: c.text, calls: c.calls, reasoning: c.reasoning, err: c.err}
		row.answer = stream(delta(`"delta":{"role":"assistant",`+c.fields+`}`), finish(c.finish), end)
		rows = append(rows, row)
		row.name, row.answer, row.set = row.name+"-plain", wholeCalls(c.finish, c.fields), plain
		rows = append(rows, row)
		row.name, row.set = row.name+"-unasked", nil
		rows = append(rows, row)
	}
	return rows
}

// brokenCalls are about replies that are not whole.
func brokenCalls() []chatRow {
	call := pieces(called(`"index":0,"id":"a"`, "weather", rome[2]))
	cut := func(text, reason string) error { return &llm.TruncatedError{Text: text, Reason: reason} }
	return []chatRow{
		{name: "cut", answer: stream(chunk("I look."), call), err: cut("I look.", noFinish)},
		{name: "cut-with-end-mark", answer: stream(call, end), err: cut("", noFinish)},
		{name: "cut-in-an-event", answer: stream(call, call[:40]), err: cut("", noFinish)},
		{name: "reset", answer: broken(chunk("I look."), call), err: reset("I look.")},
		{name: "length-then-finish", answer: stream(call, finish("length"), finish("tool_calls"), end), err: cut("", "length")},
		{name: "call-after-the-finish", answer: stream(chunk("4"), finish("stop"), call, end), err: cut("4", "a call after the finish reason")},
		{name: "arguments-after-the-finish", answer: stream(call, finish("tool_calls"), pieces(more(`"index":0`, " ")), end), err: cut("", "a call after the finish reason")},
		{name: "text-after-the-finish", answer: stream(call, finish("tool_calls"), chunk("I look."), end), err: cut("I look.", "text after the finish reason")},
		{name: "error-behind-a-call", answer: stream(call, `data: {"error":{"code":503,"message":"overloaded"}}`+"\n\n"), err: status(503, "overloaded")},
		{name: "plain-cut", set: plain, answer: raw(200, "application/json", `{"choices":[{"message":{"tool_calls":[`), err: &llm.DecodeError{Code: 200, Body: `{"choices":[{"message":{"tool_calls":[`}},
		{name: "plain-reset", set: plain, answer: raw(200, "application/json", `{"choices":[{"mess`, "Content-Length", "100"), err: reset()},
		{name: "too-many-pieces", answer: calling(strings.Repeat(pieces(called(`"index":0`, "time", "{}")), 130)), err: &llm.DecodeError{Code: 200}},
		{name: "too-long", answer: calling(strings.Repeat(pieces(more(`"index":0`, strings.Repeat("x", 1<<20))), 33)), err: cut("", "longer than 32 MiB")},
		{name: "no-name", answer: calling(pieces(more(`"index":0`, "{}"))), err: &llm.DecodeError{Code: 200, Body: "{}"}},
		{name: "no-choices", answer: stream(end), err: llm.ErrNoReply},
		{name: "html", answer: raw(200, "text/html", "<html>"), err: &llm.DecodeError{Code: 200, Body: "<html>"}},
		{name: "401", answer: raw(401, "application/json", `{"error":{"message":"no"}}`), err: status(401, "no")},
	}
}

// asMessage is what a row wants.
func (row chatRow) asMessage() llm.Message {
	if row.err != nil {
		return llm.Message{}
	}
	m := llm.Message{Role: llm.Assistant, Text: row.text, Reasoning: row.reasoning}
	for i := 0; i < len(row.calls); i += 3 {
		m.Calls = append(m.Calls, llm.ToolCall{ID: row.calls[i], Name: row.calls[i+1], Arguments: row.calls[i+2]})
	}
	return m
}

func TestChatReplies(t *testing.T) {
	var rows []chatRow
	for _, more := range [][]chatRow{streamedCalls(), anyCalls(), brokenCalls()} {
		rows = append(rows, more...)
	}
	for i, row := range rows {
		t.Run(fmt.Sprintf("%03d-%s", i+1, row.name), func(t *testing.T) {
			model, requests := serve(t, row.answer)
			if row.set != nil {
				row.set(model)
			}
			var h heard
			reply, err := model.Chat(llm.WithTrace(t.Context(), h.trace()), hello)
			assertError(t, row.err, err)
			assert.Equal(t, row.asMessage(), reply)
			assert.Equal(t, row.reasoning, strings.Join(h.reasoning, ""))
			assert.Equal(t, row.usage, h.usage)
			assert.Len(t, *requests, 1)
			if err == nil {
				assert.Equal(t, row.text, strings.Join(h.deltas, ""))
			}
		})
	}
}

// TestAskTakesNoCalls holds that whoever asks for a text hears of no call, however
// odd: it is neither a reply nor a fault.
func TestAskTakesNoCalls(t *testing.T) {
	for _, row := range anyCalls() {
		if _, isDecode := row.err.(*llm.DecodeError); !isDecode && row.err != nil {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			model, _ := serve(t, row.answer)
			if row.set != nil {
				row.set(model)
			}
			reply, err := model.Ask(t.Context(), "p")
			assert.Equal(t, row.text, reply)
			if row.text == "" {
				assert.ErrorIs(t, err, llm.ErrNoReply)
			} else {
				assert.NoError(t, err)
			}
		})
	}
	o := asked(t, t.Context(), nil, streams(pieces(called(`"index":0`, "time", ""))), good)
	assert.NoError(t, o.err, "nothing of a reply had arrived")
	assert.Equal(t, 2, o.asks)
}

// TestChatReasoningOpen holds that text is reasoning up to the closing tag, also
// beside calls.
func TestChatReasoningOpen(t *testing.T) {
	call := pieces(called(`"index":0,"id":"a"`, "weather", rome[2]))
	for _, row := range []chatRow{
		{name: "closed", answer: calling(chunk("hm</th"), chunk("ink>I look."), call), reasoning: "hm", text: "I look.", calls: rome},
		{name: "nothing-behind", answer: calling(chunk("hm</think>"), call), reasoning: "hm", calls: rome},
		{name: "not-closed", answer: calling(chunk("hm"), call), reasoning: "hm", calls: rome},
		{name: "two-kinds", answer: calling(reasoning("so "), chunk("hm</think>"), call), reasoning: "so hm", calls: rome},
		{name: "no-call", answer: stream(whole("hm")), reasoning: "hm", err: llm.ErrNoReply},
		{name: "plain", set: plain, answer: wholeCalls("tool_calls", `"content":"hm</think>I look.","tool_calls":[`+called(`"id":"a"`, "weather", rome[2])+`]`), reasoning: "hm", text: "I look.", calls: rome},
	} {
		t.Run(row.name, func(t *testing.T) {
			model, _ := serve(t, row.answer)
			if row.set != nil {
				row.set(model)
			}
			model.ReasoningOpen = true
			var h heard
			reply, err := model.Chat(llm.WithTrace(t.Context(), h.trace()), hello)
			assertError(t, row.err, err)
			assert.Equal(t, row.asMessage(), reply)
			assert.Equal(t, row.reasoning, strings.Join(h.reasoning, ""))
			assert.Equal(t, row.text, strings.Join(h.deltas, ""))
		})
	}
}
