package openai_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// A row is one way in which a server may answer, and what Ask makes of it.
type row struct {
	name      string
	answer    answer
	set       func(*openai.Client)
	want      string
	err       error
	reasoning string
	usage     []llm.Usage
	request   map[string]any // fields that the request has
}

func plain(c *openai.Client) { c.Plain = true }

const noFinish = "stream ended without a finish reason"

// delta is an event with one choice, whose fields beside its index are given.
func delta(fields string) string { return `data: {"choices":[{"index":0,` + fields + `}]}` + "\n\n" }

// message is a whole reply.
func message(fields string) answer {
	return raw(200, "application/json", `{"id":"x","object":"chat.completion","created":1,"choices":[{"index":0,"message":{"role":"assistant",`+fields+`},"finish_reason":"stop"}]}`)
}

func reset(texts ...string) *llm.TruncatedError {
	return &llm.TruncatedError{Text: strings.Join(texts, ""), Reason: "connection broke", Err: io.ErrUnexpectedEOF}
}

func status(code int, message string) *llm.StatusError {
	return &llm.StatusError{Code: code, Message: message}
}

// streamRows are about the shape of a stream.
func streamRows() []row {
	done := whole("ACT: list .")
	want := "ACT: list ."
	sseError := `data: {"error":{"message":"overloaded","type":"server_error","code":503}}` + "\n\n"
	coded := func(code int) answer {
		return stream(fmt.Sprintf(`data: {"error":{"message":"overloaded","code":%d}}`+"\n\n", code))
	}
	return []row{
		{name: "cut", answer: stream(chunk("DONE: 4")), err: &llm.TruncatedError{Text: "DONE: 4", Reason: noFinish}},
		{name: "cut-with-end-mark", answer: stream(chunk("DONE: 4"), end), err: &llm.TruncatedError{Text: "DONE: 4", Reason: noFinish}},
		{name: "cut-in-an-event", answer: stream(chunk("DONE: 4"), chunk("2")[:60]), err: &llm.TruncatedError{Text: "DONE: 4", Reason: noFinish}},
		{name: "cut-at-once", answer: stream(), err: &llm.TruncatedError{Reason: noFinish}},
		{name: "reset", answer: broken(chunk("DONE: 4")), err: reset("DONE: 4")},
		{name: "reset-at-once", answer: broken(), err: reset()},
		{name: "end-mark-missing", answer: stream(chunk(want), finish("stop")), want: want},
		{name: "error-after-good-chunks", answer: stream(chunk("ACT: "), sseError), err: status(503, "overloaded")},
		{name: "error-after-comment", answer: stream(": ping\n\n", chunk("ACT: "), ": ping\n\n", sseError), err: status(503, "overloaded")},
		{name: "error-after-event-and-id", answer: stream("event: message\nid: 7\n"+chunk("ACT: "), "event: error\nid: 8\n"+sseError), err: status(503, "overloaded")},
		{name: "error-space-before-colon", answer: stream(chunk("ACT: "), `data: {"error" : {"message" : "overloaded"}}`+"\n\n"), err: status(0, "overloaded")},
		{name: "error-over-lines", answer: stream(chunk("ACT: "), "data: {\"error\":\ndata: {\"message\":\ndata: \"overloaded\"}}\n\n"), err: status(0, "overloaded")},
		{name: "error-as-string", answer: stream(`data: {"error":"overloaded"}` + "\n\n"), err: status(0, "overloaded")},
		{name: "error-event-as-string", answer: stream(chunk("ACT: "), "event: error\ndata: \"overloaded\"\n\n"), err: status(0, "overloaded")},
		{name: "error-event-of-another-shape", answer: stream(chunk("ACT: "), "event: error\ndata: {\"msg\":\"overloaded\"}\n\n"), err: status(0, "overloaded")},
		{name: "chunk-with-a-type", answer: stream(`data: {"type":"chunk",`+chunk(want)[len("data: {"):], finish("stop"), end), want: want},
		{name: "error-code-399", answer: coded(399), err: status(0, "overloaded")},
		{name: "error-code-400", answer: coded(400), err: status(400, "overloaded")},
		{name: "error-code-599", answer: coded(599), err: status(599, "overloaded")},
		{name: "error-code-600", answer: coded(600), err: status(0, "overloaded")},
		{name: "error-in-choice", answer: stream(delta(`"delta":{"content":"x"},"finish_reason":"error","error":{"code":502,"message":"upstream gone"}`)), err: status(502, "upstream gone")},
		{name: "error-null", answer: stream(`data: {"error":null,`+chunk(want)[len("data: {"):], finish("stop"), end), want: want},
		{name: "error-without-blank-line", answer: stream(chunk("ACT: "), strings.TrimSpace(sseError)), err: status(503, "overloaded")},
		{name: "301-comments", answer: stream(strings.Repeat(": keep-alive\n\n", 301), done), want: want},
		{name: "301-blank-events", answer: stream(strings.Repeat("data:\n\n", 301), done), want: want},
		{name: "several-data-lines", answer: stream("data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"ACT: list .\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n", end), want: want},
		{name: "no-blank-lines", answer: stream(strings.ReplaceAll(done, "\n\n", "\n")), want: want},
		{name: "last-blank-line-missing", answer: stream(chunk("ACT: list ."), strings.TrimRight(finish("stop"), "\n")), want: want},
		{name: "last-newline-only", answer: stream(chunk("ACT: list ."), strings.TrimSuffix(finish("stop"), "\n")), want: want},
		{name: "crlf", answer: stream(strings.ReplaceAll(done, "\n", "\r\n")), want: want},
		{name: "cr", answer: stream(strings.ReplaceAll(done, "\n", "\r")), want: want},
		{name: "bom", answer: stream("\ufeff" + done), want: want},
		{name: "no-space-behind-data", answer: stream(strings.ReplaceAll(done, "data: ", "data:")), want: want},
		{name: "retry-field", answer: stream("retry: 3000\n\n", done), want: want},
		{name: "text-behind-end-mark", answer: stream(done, chunk(" rm -rf")), want: want},
		{name: "broken-event", answer: stream(chunk("ACT: "), "data: {\"choices\":[{\"del\n\n", end), err: &llm.DecodeError{Code: 200, Body: `{"choices":[{"del`}},
		{name: "event-of-another-api", answer: stream("data: 7\n\n", end), err: &llm.DecodeError{Code: 200, Body: "7"}},
		{name: "one-mib-event", answer: stream(whole(strings.Repeat("0123456789abcdef", 1<<16))), want: strings.Repeat("0123456789abcdef", 1<<16)},
		{name: "gzip", answer: zipped(done), want: want},
		{name: "cut-in-gzip", answer: zipped(chunk(want)), err: &llm.TruncatedError{Text: want, Reason: noFinish}},
	}
}

func zipped(body string) answer {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", r.Header.Get("Accept-Encoding"))
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, body)
		_ = z.Close()
	}
}

// otherRows are answers that are no stream although one was asked for.
func otherRows() []row {
	reply := `{"choices":[{"message":{"content":"DONE: 4"},"finish_reason":"stop"}]}`
	want := "DONE: 4"
	html := "<html><body>502 Bad Gateway</body></html>"
	return []row{
		{name: "plain-json", answer: raw(200, "application/json", reply), want: want},
		{name: "plain-json-called-a-stream", answer: raw(200, "text/event-stream", " \n"+reply), want: want},
		{name: "plain-json-without-finish", answer: raw(200, "application/json", `{"choices":[{"message":{"content":"DONE: 4"}}]}`), want: want},
		{name: "plain-json-length", answer: raw(200, "application/json", strings.Replace(reply, "stop", "length", 1)), err: &llm.TruncatedError{Text: want, Reason: "length"}},
		{name: "plain-json-cut", answer: raw(200, "application/json", reply[:40]), err: &llm.DecodeError{Code: 200, Body: reply[:40]}},
		{name: "plain-json-reset", answer: raw(200, "application/json", reply[:40], "Content-Length", "100"), err: reset()},
		{name: "stream-called-json", answer: raw(200, "application/json", whole(want)), want: want},
		{name: "stream-called-text", answer: raw(200, "text/plain", ": ping\n\n"+whole(want)), want: want},
		{name: "stream-with-charset", answer: raw(200, "Text/Event-Stream; charset=utf-8", whole(want)), want: want},
		{name: "200-error-object", answer: raw(200, "application/json", `{"error":{"message":"no such model","code":404}}`), err: status(404, "no such model")},
		{name: "200-error-object-called-a-stream", answer: raw(200, "text/event-stream", `{"error":{"message":"no such model"}}`), err: status(0, "no such model")},
		{name: "200-html", answer: raw(200, "text/html", html), err: &llm.DecodeError{Code: 200, Body: html}},
		{name: "200-html-called-a-stream", answer: raw(200, "text/event-stream", html), err: &llm.DecodeError{Code: 200, Body: html}},
		{name: "200-text", answer: raw(200, "text/plain", "Ollama is running"), err: &llm.DecodeError{Code: 200, Body: "Ollama is running"}},
		{name: "200-empty", answer: raw(200, "application/json", ""), err: &llm.DecodeError{Code: 200}},
		{name: "200-blank", answer: raw(200, "application/json", " \r\n"), err: &llm.DecodeError{Code: 200}},
		{name: "200-other-json", answer: raw(200, "application/json", `["a"]`), err: &llm.DecodeError{Code: 200, Body: `["a"]`}},
		{name: "204", answer: func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(204) }, err: &llm.DecodeError{Code: 204}},
		{name: "no-choices", answer: stream(`data: {"choices":[]}`+"\n\n", end), err: llm.ErrNoReply},
		{name: "only-end-mark", answer: stream(end), err: llm.ErrNoReply},
		{name: "no-choices-plain", set: plain, answer: raw(200, "application/json", `{"choices":[]}`), err: llm.ErrNoReply},
		{name: "no-choices-key", answer: raw(200, "application/json", `{"object":"chat.completion"}`), err: llm.ErrNoReply},
	}
}

// statusRows are answers with a status that says no.
func statusRows() []row {
	slow := `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`
	limited := &llm.StatusError{Code: 429, Message: "slow down", RetryAfter: 20 * time.Second}
	json := "application/json"
	html := "<html><h1>503 Service Unavailable</h1></html>"
	return []row{
		{name: "429-seconds", answer: raw(429, json, slow, "Retry-After", "20"), err: limited},
		{name: "429-plain", set: plain, answer: raw(429, json, slow, "Retry-After", "20"), err: limited},
		{name: "429-date", answer: func(w http.ResponseWriter, r *http.Request, n int) {
			raw(429, json, slow, "Retry-After", time.Now().Add(20*time.Second).UTC().Format(http.TimeFormat))(w, r, n)
		}, err: limited},
		{name: "429-milliseconds", answer: raw(429, json, slow, "Retry-After-Ms", "20000", "Retry-After", "21"), err: limited},
		{name: "429-fraction", answer: raw(429, json, slow, "Retry-After", "20.0"), err: limited},
		{name: "429-nonsense", answer: raw(429, json, slow, "Retry-After", "NaN", "Retry-After-Ms", "-Inf"), err: status(429, "slow down")},
		{name: "429-called-a-stream", answer: raw(429, "text/event-stream", slow, "Retry-After", "20"), err: limited},
		{name: "503-html", answer: raw(503, "text/html", html), err: status(503, html)},
		{name: "500-empty", answer: raw(500, json, ""), err: status(500, "Internal Server Error")},
		{name: "error-as-string", answer: raw(400, json, `{"error":"model is required"}`), err: status(400, "model is required")},
		{name: "error-without-message", answer: raw(400, json, `{"error":{"type":"invalid_request_error","code":null}}`), err: status(400, "invalid_request_error")},
		{name: "error-with-empty-message", answer: raw(400, json, `{"error":{"message":""}}`), err: status(400, `{"error":{"message":""}}`)},
		{name: "error-without-any-text", answer: raw(400, json, `{"error":{"status":7}}`), err: status(400, `{"error":{"status":7}}`)},
		{name: "message-as-list", answer: raw(400, json, `{"error":{"message":["bad model","bad key"]}}`), err: status(400, "bad model, bad key")},
		{name: "message-without-error", answer: raw(404, json, `{"object":"error","message":"no model x","code":404}`), err: status(404, "no model x")},
		{name: "message-as-object", answer: raw(422, json, `{"object":"error","message":{"detail":[{"loc":["body","stop"],"msg":"Extra inputs are not permitted"}]}}`), err: status(422, "body, stop: Extra inputs are not permitted")},
		{name: "azure-without-type", answer: raw(401, json, `{"error":{"code":"401","message":"Access denied"}}`), err: status(401, "Access denied")},
		{name: "error-in-list", answer: raw(429, json, `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]`), err: status(429, "quota")},
		{name: "fastapi-list", answer: raw(422, json, `{"detail":[{"loc":["body","model",0],"msg":"field required","type":"value_error.missing"},{"loc":["body"],"msg":"bad"}]}`), err: status(422, "body, model: field required, body: bad")},
		{name: "fastapi-text", answer: raw(404, json, `{"detail":"Not Found"}`), err: status(404, "Not Found")},
		{name: "plain-text", answer: raw(400, "text/plain", "unknown model\n"), err: status(400, "unknown model")},
		{name: "invalid-utf8", answer: raw(400, "text/plain", "bad \xff"), err: status(400, "bad \ufffd")},
		{name: "redirect-elsewhere", answer: raw(307, "text/plain", "", "Location", "https://other.test/v1"), err: status(307, "Temporary Redirect; it points to https://other.test/v1")},
		{name: "404-outside-v1", set: func(c *openai.Client) { c.BaseURL = strings.TrimSuffix(c.BaseURL, "/v1") }, answer: raw(404, "text/plain", "404 page not found"), err: status(404, `404 page not found; does the base URL end in "/v1"?`)},
	}
}

// replyRows are about what a reply consists of.
func replyRows() []row {
	want := "DONE: 4"
	usage := func(in, out int) string {
		return fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\n", in, out)
	}
	used := []llm.Usage{{Prompt: 9, Reply: 3}}
	return []row{
		{name: "tool-arguments-as-object", answer: stream(delta(`"delta":{"content":"DONE: 4","tool_calls":[{"index":0,"function":{"name":"x","arguments":{"a":1}}}]}`), finish("tool_calls"), end), want: want},
		{name: "tool-arguments-as-object-plain", set: plain, answer: message(`"content":"DONE: 4","tool_calls":[{"id":"1","function":{"name":"x","arguments":{"a":1}}}]`), want: want},
		{name: "only-tool-calls", answer: stream(delta(`"delta":{"content":null,"tool_calls":[]}`), finish("tool_calls"), end), err: llm.ErrNoReply},
		{name: "created-as-float", answer: stream(`data: {"created":1.5e9,"choices":[{"index":0,"delta":{"content":"DONE: 4"}}]}`+"\n\n", finish("stop"), end), want: want},
		{name: "created-as-float-plain", set: plain, answer: raw(200, "application/json", `{"created":1700000000.25,"choices":[{"message":{"content":"DONE: 4"}}]}`), want: want},
		{name: "reasoning_content", answer: stream(delta(`"delta":{"reasoning_content":"hm"}`), whole(want)), want: want, reasoning: "hm"},
		{name: "reasoning", answer: stream(delta(`"delta":{"reasoning":"hm"}`), whole(want)), want: want, reasoning: "hm"},
		{name: "reasoning-twice", answer: stream(delta(`"delta":{"reasoning":"hm","reasoning_content":"hm"}`), whole(want)), want: want, reasoning: "hm"},
		{name: "reasoning-plain", set: plain, answer: message(`"reasoning":"hm","content":"DONE: 4"`), want: want, reasoning: "hm"},
		{name: "reasoning-only", answer: stream(delta(`"delta":{"reasoning":"ACT: rm x"}`), finish("stop"), end), err: llm.ErrNoReply, reasoning: "ACT: rm x"},
		{name: "content-parts", answer: stream(delta(`"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"DONE: "},{"type":"text","text":"4"}]}`), finish("stop"), end), want: want},
		{name: "content-parts-plain", set: plain, answer: message(`"content":[{"type":"text","text":"DONE: "},{"type":"text","text":"4"}]`), want: want},
		{name: "content-null", answer: stream(delta(`"delta":{"role":"assistant","content":null}`), whole(want)), want: want},
		{name: "content-null-plain", set: plain, answer: message(`"content":null`), err: llm.ErrNoReply},
		{name: "content-empty", answer: stream(whole("")), err: llm.ErrNoReply},
		{name: "blanks-are-kept", answer: stream(whole("\n DONE: 4 \r\n\n")), want: "\n DONE: 4 \r\n\n"},
		{name: "message-again-at-the-end", answer: stream(chunk(want), delta(`"delta":{"content":""},"message":{"content":"DONE: 4"},"finish_reason":"stop"`), end), want: want},
		{name: "second-choice", answer: stream(chunk("DONE: "), `data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"},{"index":0,"delta":{"content":"4"},"finish_reason":"stop"}]}`+"\n\n", end), want: want},
		{name: "usage-without-choices", answer: stream(chunk(want), finish("stop"), usage(9, 3), end), want: want, usage: used},
		{name: "usage-in-every-chunk", answer: stream(usage(9, 1), chunk(want), usage(9, 2), finish("stop"), usage(9, 3), end), want: want, usage: used},
		{name: "usage-with-finish", answer: stream(chunk(want), `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9.0,"completion_tokens":3}}`+"\n\n", end), want: want, usage: used},
		{name: "usage-behind-null", answer: stream(chunk(want), `data: {"choices":[],"usage":null}`+"\n\n", finish("stop"), usage(9, 3), end), want: want, usage: used},
		{name: "usage-before-null", answer: stream(chunk(want), usage(9, 3), `data: {"choices":[],"usage":null}`+"\n\n", finish("stop"), end), want: want, usage: used},
		{name: "usage-plain", set: plain, answer: raw(200, "application/json", `{"choices":[{"message":{"content":"DONE: 4"}}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`), want: want, usage: used},
		{name: "usage-cached-apart", answer: stream(whole0(want), `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"cache_read_input_tokens":100}}`+"\n\n", end), want: want, usage: []llm.Usage{{Prompt: 109, Cached: 100, Reply: 3}}},
		{name: "finish-length", answer: stream(chunk(want), finish("length"), usage(9, 3), end), err: &llm.TruncatedError{Text: want, Reason: "length"}, usage: used},
		{name: "finish-content-filter", answer: stream(chunk(want), finish("content_filter"), end), err: &llm.RefusedError{Text: want, Reason: "content_filter"}},
		{name: "finish-error", answer: stream(chunk(want), finish("error"), end), err: &llm.TruncatedError{Text: want, Reason: "error"}},
		{name: "finish-no-resource", answer: stream(chunk(want), finish("insufficient_system_resource"), end), err: &llm.TruncatedError{Text: want, Reason: "insufficient_system_resource"}},
		{name: "finish-abort", answer: stream(chunk(want), finish("abort"), end), err: &llm.TruncatedError{Text: want, Reason: "abort"}},
		{name: "finish-no-word", answer: stream(chunk(want), finish("!x~ y\u007f"), end), err: &llm.TruncatedError{Text: want, Reason: "!x~_y_"}},
		{name: "finish-upper-case", answer: stream(chunk(want), finish("STOP"), end), want: want},
		{name: "finish-with-text", answer: stream(delta(`"delta":{"content":"DONE: 4"},"finish_reason":"stop"`)), want: want},
		{name: "refusal", answer: stream(delta(`"delta":{"refusal":"I can"}`), delta(`"delta":{"refusal":"not"}`), finish("stop"), end), err: &llm.RefusedError{Text: "I cannot", Reason: "refusal"}},
		{name: "refusal-plain", set: plain, answer: message(`"content":null,"refusal":"I cannot"`), err: &llm.RefusedError{Text: "I cannot", Reason: "refusal"}},
		{name: "refusal-null", answer: stream(delta(`"delta":{"refusal":null}`), whole(want)), want: want},
		{name: "legacy-text", answer: stream(delta(`"text":"DONE: "`), delta(`"text":"4","finish_reason":"stop"`), end), want: want},
		{name: "legacy-text-plain", set: plain, answer: raw(200, "application/json", `{"choices":[{"text":"DONE: 4","finish_reason":"stop"}]}`), want: want},
		{name: "user-agent", answer: func(w http.ResponseWriter, r *http.Request, n int) { stream(whole(r.UserAgent()))(w, r, n) }, want: "actdone"},
	}
}

// whole0 is a text and its finish, without the end of the stream.
func whole0(text string) string { return chunk(text) + finish("stop") }

// requestRows are requests that the library refuses or changes.
func requestRows() []row {
	zero := 0.0
	rows := []row{
		{name: "temperature-zero", set: func(c *openai.Client) { c.Temperature = &zero }, request: map[string]any{"temperature": 0.0}},
		{name: "stream-and-usage", request: map[string]any{"stream": true, "stream_options": map[string]any{"include_usage": true}}},
		{name: "plain", set: plain, request: map[string]any{"stream": false, "stream_options": nil, "temperature": nil, "max_tokens": nil, "stop": nil}},
		{name: "empty-prompt", request: map[string]any{"messages": []any{map[string]any{"role": "user", "content": ""}}}, set: func(*openai.Client) {}},
	}
	for _, model := range []string{"gpt-5", "gpt-5-mini", "openai/gpt-5", "o1", "o1-mini", "o3", "o3-mini", "o4-mini", "text-davinci-003"} {
		rows = append(rows, row{
			name: "model-" + strings.ReplaceAll(model, "/", "-"),
			set:  func(c *openai.Client) { c.Model, c.Temperature, c.MaxTokens = model, &zero, 99 },
			request: map[string]any{
				"model": model, "temperature": 0.0, "max_tokens": 99.0,
			},
		})
	}
	for i := range rows {
		rows[i].answer, rows[i].want = stream(whole("DONE: ok")), "DONE: ok"
	}
	return rows
}

// TestRows holds what edge cases of servers and of go-openai come to: PARTS.md
// section 4 and the issues of its tracker.
func TestRows(t *testing.T) {
	var rows []row
	for _, more := range [][]row{streamRows(), otherRows(), statusRows(), replyRows(), requestRows()} {
		rows = append(rows, more...)
	}
	for i, row := range rows {
		t.Run(fmt.Sprintf("%03d-%s", i+1, row.name), func(t *testing.T) {
			model, requests := serve(t, row.answer)
			if row.set != nil {
				row.set(model)
			}
			var h heard
			reply, err := model.Ask(llm.WithTrace(t.Context(), h.trace()), "")
			assertError(t, row.err, err)
			assert.Equal(t, row.want, reply)
			assert.Equal(t, row.reasoning, strings.Join(h.reasoning, ""))
			assert.Equal(t, row.usage, h.usage)
			assert.Len(t, *requests, 1)
			if err == nil {
				assert.Equal(t, reply, strings.Join(h.deltas, ""))
			}
			for name, want := range row.request {
				assert.Equal(t, want, (*requests)[0][name], name)
			}
		})
	}
}

// TestSplitAtEveryByte sends a reply in two pieces, cut at every byte: through a
// server, and through memory, where each piece surely is a read of its own.
func TestSplitAtEveryByte(t *testing.T) {
	text := "é 日本語 🙂\u2028ACT: x"
	body := "\ufeffevent: m\r\n: hi\r\n" + strings.ReplaceAll(chunk(text), "\n", "\r\n") +
		`data: {"choices":[{"delta":{"content":"\ud83d\ude42é🙂"},"finish_reason":"stop"}]}` + "\n\n" + end
	at, contentType := 0, ""
	served, _ := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		raw(200, contentType, body[:at])(w, r, n)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, body[at:])
	})
	memory := inMemory(func(r *http.Request, _ int) (*http.Response, error) {
		return response(r, 200, http.Header{"Content-Type": {contentType}}, body[:at], body[at:]), nil
	})
	for _, contentType = range []string{"text/event-stream", "application/octet-stream"} {
		for at = range len(body) + 1 {
			for _, model := range []*openai.Client{served, memory} {
				reply, err := model.Ask(t.Context(), "")
				assert.NoError(t, err, "cut at %d", at)
				assert.Equal(t, text+"🙂é🙂", reply, "cut at %d", at)
			}
		}
	}
}
