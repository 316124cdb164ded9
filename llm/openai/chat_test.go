package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// hello is a request where it does not matter which.
var hello = llm.ChatRequest{Messages: []llm.Message{{Role: llm.User, Text: "hello"}}}

// history is a conversation with messages of every kind.
var history = []llm.Message{
	{Role: llm.System, Text: "rules <&>"},
	{Role: llm.User, Text: "how \"warm\"\u2028is it?"},
	{Role: llm.Assistant, Reasoning: "hm", Calls: []llm.ToolCall{{ID: "a", Name: "weather", Arguments: `{"city": "Rome"}`}, {ID: "b", Name: "time"}}},
	{Role: llm.ToolResult, CallID: "a", Text: "21 °C"},
	{Role: llm.ToolResult, CallID: "b"},
	{Role: llm.User, Text: ""},
	{Role: llm.Assistant, Text: "I look.", Calls: []llm.ToolCall{{ID: "c", Name: "x", Arguments: "no \x00 JSON"}}},
	{Role: llm.ToolResult, CallID: "c", Text: "error"},
	{Role: llm.Assistant, Text: ""},
	{Role: llm.Assistant, Text: "21"},
	{Role: "developer", Text: "be brief"},
}

// wantHistory are messages, made anew with encoding/json.
func wantHistory(t testing.TB, messages []llm.Message, reasoningField string) string {
	all := []map[string]any{}
	for _, m := range messages {
		one := map[string]any{"role": m.Role, "content": m.Text}
		var calls []any
		for _, c := range m.Calls {
			if c.Arguments == "" {
				c.Arguments = "{}"
			}
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
		}
		if len(calls) > 0 {
			one["tool_calls"] = calls
			if m.Text == "" {
				one["content"] = nil
			}
		}
		if m.Role == llm.ToolResult {
			one["tool_call_id"] = m.CallID
		}
		if reasoningField != "" && m.Role == llm.Assistant {
			one[reasoningField] = m.Reasoning
			if m.Reasoning == "" {
				one[reasoningField] = " "
			}
		}
		all = append(all, one)
	}
	data, err := json.Marshal(all)
	require.NoError(t, err)
	return string(data)
}

// chatSender returns a client and a func that sends it a conversation and returns
// the messages that were sent.
func chatSender(t testing.TB) (*openai.Client, func(messages []llm.Message) string) {
	type sentKey struct{}
	model := &openai.Client{BaseURL: "http://server.test/v1", Model: "m", Tries: 1}
	model.HTTP = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		data, err := io.ReadAll(r.Body)
		if err != nil || int64(len(data)) != r.ContentLength {
			return nil, fmt.Errorf("length %d, want %d: %w", len(data), r.ContentLength, err)
		}
		*r.Context().Value(sentKey{}).(*string) = string(data)
		return response(r, 200, nil, whole("ok")), nil
	})}
	return model, func(messages []llm.Message) string {
		var sent string
		_, err := model.Chat(context.WithValue(t.Context(), sentKey{}, &sent), llm.ChatRequest{Messages: messages})
		assert.NoError(t, err)
		var body struct{ Messages json.RawMessage }
		assert.NoError(t, json.Unmarshal([]byte(sent), &body), "%s", sent)
		return string(body.Messages)
	}
}

// TestChatMessages sends all beginnings of a conversation, in the order of growth
// and then backwards.
func TestChatMessages(t *testing.T) {
	for _, field := range []string{"", "reasoning_content", "rea\"soning"} {
		model, send := chatSender(t)
		model.ReasoningField = field
		for n := 1; n <= len(history); n++ {
			assert.JSONEq(t, wantHistory(t, history[:n], field), send(history[:n]))
		}
		for n := len(history); n > 0; n-- {
			assert.JSONEq(t, wantHistory(t, history[:n], field), send(history[:n]))
		}
	}
	_, send := chatSender(t)
	assert.Equal(t, `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Rome\"}"}},`+
		`{"id":"b","type":"function","function":{"name":"time","arguments":"{}"}}]},{"role":"tool","content":"","tool_call_id":"b"}]`,
		send([]llm.Message{history[2], history[4]}))
	assert.NotContains(t, send(history), "hm", "reasoning is sent only if asked for")
}

// TestChatMemory holds that what is remembered is not mistaken for another
// conversation.
func TestChatMemory(t *testing.T) {
	_, send := chatSender(t)
	ask := func(messages []llm.Message) {
		t.Helper()
		assert.JSONEq(t, wantHistory(t, messages, ""), send(messages))
	}
	changed := func(change func(m []llm.Message)) []llm.Message {
		other := slices.Clone(history)
		for i := range other {
			other[i].Calls = slices.Clone(other[i].Calls)
		}
		change(other)
		return other
	}
	ask(history)
	for _, other := range [][]llm.Message{
		changed(func(m []llm.Message) { m[0].Role = llm.User }),
		changed(func(m []llm.Message) { m[1].Text = "what?" }),
		changed(func(m []llm.Message) { m[2].Calls[1].ID = "z" }),
		changed(func(m []llm.Message) { m[2].Calls[1].Name = "z" }),
		changed(func(m []llm.Message) { m[2].Calls[1].Arguments = "z" }),
		changed(func(m []llm.Message) { m[2].Calls = m[2].Calls[:1] }),
		changed(func(m []llm.Message) { m[3].CallID = "z" }),
	} {
		ask(other)
		ask(history)
		ask(append(slices.Clip(other), llm.Message{Role: llm.User, Text: "and?"}))
		ask(append(slices.Clip(history), llm.Message{Role: llm.User, Text: "and?"}))
	}

	// The caller's slices may change afterwards.
	mine := changed(func(m []llm.Message) { m[0].Text = "mine" })
	ask(mine)
	mine[2].Calls[0].Arguments = `{"city":"Oslo"}`
	ask(mine)
}

// TestChatMemoryReasoning holds that another reasoning is another message.
func TestChatMemoryReasoning(t *testing.T) {
	model, send := chatSender(t)
	model.ReasoningField = "r"
	for _, thought := range []string{"a", "b"} {
		m := []llm.Message{{Role: llm.User, Text: "x"}, {Role: llm.Assistant, Text: "y", Reasoning: thought}}
		assert.JSONEq(t, wantHistory(t, m, "r"), send(m))
	}
}

// TestChatMany runs more conversations at once than are remembered.
func TestChatMany(t *testing.T) {
	_, send := chatSender(t)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			messages := []llm.Message{{Role: llm.System, Text: "rules"}, {Role: llm.User, Text: fmt.Sprintf("task %d", i%80)}}
			for n := range 4 {
				if want, got := wantHistory(t, messages, ""), send(messages); !assert.ObjectsAreEqual(compacted(want), compacted(got)) {
					t.Errorf("conversation %d, turn %d: sent %s", i, n, got)
				}
				id := fmt.Sprint("c", i, n)
				messages = append(messages,
					llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: id, Name: "x", Arguments: strings.Repeat("é\n", i)}}},
					llm.Message{Role: llm.ToolResult, CallID: id, Text: "<ok>"})
			}
		})
	}
	group.Wait()
}

// TestChatAtOnce holds that what one chat reads is not another's.
func TestChatAtOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		said := body.Messages[0].Content
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			reasoning("about " + said), pieces(called(`"index":0`, said, "")),
			pieces(more(`"index":0`, `{"x":"`)), pieces(more(`"index":0`, said+`"}`)), finish("tool_calls"), end,
		} {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	defer server.Close()
	model := &openai.Client{BaseURL: server.URL + "/v1", Model: "m", HTTP: server.Client()}
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			said := fmt.Sprint("tool", i)
			reply, err := model.Chat(t.Context(), llm.ChatRequest{Messages: []llm.Message{{Role: llm.User, Text: said}}})
			assert.NoError(t, err)
			assert.Equal(t, llm.Message{Role: llm.Assistant, Reasoning: "about " + said,
				Calls: []llm.ToolCall{{ID: "call00001", Name: said, Arguments: `{"x":"` + said + `"}`}}}, reply)
		})
	}
	group.Wait()
}

func compacted(text string) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err.Error()
	}
	return value
}

func TestChatFields(t *testing.T) {
	zero := 0.0
	list := []llm.ToolSpec{
		{Name: "weather", Description: "the <weather>", Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)},
		{Name: "time"},
	}
	wire := []any{
		map[string]any{"type": "function", "function": map[string]any{"name": "weather", "description": "the <weather>",
			"parameters": map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}}}},
		map[string]any{"type": "function", "function": map[string]any{"name": "time",
			"parameters": map[string]any{"type": "object", "properties": map[string]any{}}}},
	}
	usage := map[string]any{"include_usage": true}
	user := []any{map[string]any{"role": "user", "content": "hello"}}
	for _, test := range []struct {
		name   string
		tools  []llm.ToolSpec
		choice llm.ToolChoice
		set    func(*openai.Client)
		want   map[string]any
	}{
		{name: "bare", want: map[string]any{"model": "m", "stream": true, "stream_options": usage, "messages": user}},
		{name: "empty-list", tools: []llm.ToolSpec{}, choice: llm.ToolsNone, want: map[string]any{"model": "m", "stream": true, "stream_options": usage, "messages": user}},
		{name: "tools", tools: list, want: map[string]any{"model": "m", "stream": true, "stream_options": usage, "messages": user, "tools": wire}},
		{name: "choice", tools: list, choice: llm.ToolsRequired, set: plain, want: map[string]any{"model": "m", "stream": false, "messages": user, "tools": wire, "tool_choice": "required"}},
		{name: "none", tools: list, choice: llm.ToolsNone, set: plain, want: map[string]any{"model": "m", "stream": false, "messages": user, "tools": wire, "tool_choice": "none"}},
		{name: "settings", set: func(c *openai.Client) {
			c.Plain, c.System, c.Temperature, c.MaxTokens, c.Stop, c.OneMessage = true, "be \"brief\"", &zero, 7, []string{"x"}, true
		}, want: map[string]any{"model": "m", "stream": false, "temperature": 0.0, "max_tokens": 7.0, "stop": []any{"x"},
			"messages": []any{map[string]any{"role": "system", "content": "be \"brief\""}, user[0]}}},
		{name: "extra", tools: list, choice: llm.ToolsNone, set: func(c *openai.Client) {
			c.Plain, c.Extra = true, map[string]any{"tool_choice": "auto", "parallel_tool_calls": false}
		}, want: map[string]any{"model": "m", "stream": false, "messages": user, "tools": wire, "tool_choice": "auto", "parallel_tool_calls": false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var header http.Header
			model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				header = r.Header
				stream(whole("ok"))(w, r, n)
			})
			model.Header = map[string]openai.Secret{"X-Title": "t"}
			if test.set != nil {
				test.set(model)
			}
			reply, err := model.Chat(t.Context(), llm.ChatRequest{Messages: hello.Messages, Tools: test.tools, ToolChoice: test.choice})
			require.NoError(t, err)
			assert.Equal(t, llm.Message{Role: llm.Assistant, Text: "ok"}, reply)
			assert.Equal(t, test.want, (*requests)[0])
			assert.Equal(t, "t", header.Get("X-Title"))
			assert.Equal(t, "Bearer "+key, header.Get("Authorization"))
		})
	}
}

// TestChatRefusedLocally holds which requests are not sent.
func TestChatRefusedLocally(t *testing.T) {
	model, requests := serve(t, stream(whole("ok")))
	_, err := model.Chat(t.Context(), llm.ChatRequest{})
	assert.EqualError(t, err, "openai: ChatRequest.Messages is empty")
	for _, schema := range []string{"", "no JSON", "[]", "true", "null", `{"a":}`} {
		_, err = model.Chat(t.Context(), llm.ChatRequest{Messages: hello.Messages, Tools: []llm.ToolSpec{{Name: "x", Schema: json.RawMessage(schema)}}})
		assert.EqualError(t, err, `openai: the schema of tool "x" is no JSON object`, schema)
	}
	model.Model = ""
	t.Setenv("OPENAI_MODEL", "")
	_, err = model.Chat(t.Context(), hello)
	assert.ErrorContains(t, err, "no model")
	assert.Empty(t, *requests)
}

// TestChatIDs holds that made ids go on from the calls of the conversation.
func TestChatIDs(t *testing.T) {
	model, _ := serve(t, calling(pieces(`{"function":{"name":"time"}}`)))
	for range 2 {
		reply, err := model.Chat(t.Context(), llm.ChatRequest{Messages: history})
		require.NoError(t, err)
		assert.Equal(t, []llm.ToolCall{{ID: "call00004", Name: "time", Arguments: "{}"}}, reply.Calls)
	}
}

// TestChatNull holds that a server which refuses a null as content gets an empty
// text, from then on, and one that refuses something else does not.
func TestChatNull(t *testing.T) {
	for _, test := range []struct {
		name, says string
		code       int
		again      bool
	}{
		{"ollama", `{"error":{"message":"invalid message content type: <nil>","type":"invalid_request_error"}}`, 400, true},
		{"fastapi", `{"detail":[{"loc":["body","messages",1,"content","str"],"msg":"Input should be a valid string"}]}`, 422, true},
		{"null", `{"error":"messages[1].content must not be null"}`, 400, true},
		{"python", `{"error":"content: got NoneType"}`, 400, true},
		{"other-field", `{"error":"name must be a string"}`, 400, false},
		{"other-fault", `{"error":"content is too long"}`, 400, false},
		{"other-code", `{"error":"content is null"}`, 403, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 1 {
					raw(test.code, "application/json", test.says)(w, r, n)
					return
				}
				stream(whole("ok"))(w, r, n)
			})
			conversation := []llm.Message{
				{Role: llm.User, Text: `"content":null`},
				{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a", Name: "time", Arguments: `{"content":null}`}}},
				{Role: llm.ToolResult, CallID: "a", Text: `{"content":null}`},
			}
			_, err := model.Chat(t.Context(), llm.ChatRequest{Messages: conversation})
			if !test.again {
				assert.Error(t, err)
				assert.Len(t, *requests, 1)
				return
			}
			require.NoError(t, err)
			_, err = model.Chat(t.Context(), llm.ChatRequest{Messages: conversation})
			require.NoError(t, err)
			require.Len(t, *requests, 3)
			want := (*requests)[0]["messages"].([]any)
			assert.Nil(t, want[1].(map[string]any)["content"])
			want[1].(map[string]any)["content"] = ""
			assert.Equal(t, want, (*requests)[1]["messages"])
			assert.Equal(t, want, (*requests)[2]["messages"])
		})
	}
	model, requests := serve(t, raw(400, "text/plain", "content must be a string, not null"))
	_, err := model.Chat(t.Context(), hello)
	assert.Error(t, err)
	assert.Len(t, *requests, 1, "there was no null")
	_, err = model.Chat(t.Context(), llm.ChatRequest{Messages: history})
	assert.Error(t, err)
	assert.Len(t, *requests, 3, "it is tried once")
}

// TestChatAdapt holds that Chat learns what a server does not take, for Ask too.
func TestChatAdapt(t *testing.T) {
	model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			raw(400, "text/plain", "Unrecognized request argument supplied: stream_options")(w, r, n)
			return
		}
		stream(whole("ok"))(w, r, n)
	})
	_, err := model.Chat(t.Context(), hello)
	require.NoError(t, err)
	_, err = model.Ask(t.Context(), "p")
	require.NoError(t, err)
	require.Len(t, *requests, 3)
	assert.Contains(t, (*requests)[0], "stream_options")
	assert.NotContains(t, (*requests)[1], "stream_options")
	assert.NotContains(t, (*requests)[2], "stream_options")
}

// chatted is as asked, for Chat.
func chatted(t *testing.T, ctx context.Context, set func(*openai.Client), handlers ...handler) (o outcome, reply llm.Message) {
	t.Helper()
	model := inMemory(func(r *http.Request, n int) (*http.Response, error) {
		o.asks = n
		return handlers[min(n, len(handlers))-1](r, n)
	})
	if set != nil {
		set(model)
	}
	start := time.Now()
	reply, o.err = model.Chat(llm.WithTrace(ctx, o.trace()), hello)
	o.took = time.Since(start)
	return o, reply
}

// weather is a call in two pieces.
var weather = []any{pieces(called(`"index":0,"id":"a"`, "weather", `{"city":`)), pieces(more(`"index":0`, `"Rome"}`)), finish("tool_calls"), end}

var wantWeather = llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a", Name: "weather", Arguments: rome[2]}}}

func TestChatRetry(t *testing.T) {
	lost := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		name  string
		first handler
		again bool
		err   error
	}{
		{"503", says(503), true, status(503, "no")},
		{"400", says(400), false, status(400, "no")},
		{"reset-behind-role", streams(delta(`"delta":{"role":"assistant","content":null,"tool_calls":[]}`), lost), true, nil},
		{"reset-behind-name", streams(pieces(called(`"index":0`, "weather", "")), lost), false, &llm.TruncatedError{Reason: "connection broke", Err: syscall.ECONNRESET}},
		{"reset-behind-id", streams(pieces(`{"index":0,"id":"a"}`), lost), false, &llm.TruncatedError{Reason: "connection broke", Err: syscall.ECONNRESET}},
		{"reset-behind-call", streams(weather[0], weather[1], lost), false, &llm.TruncatedError{Reason: "connection broke", Err: syscall.ECONNRESET}},
		{"cut-behind-call", streams(weather[0]), false, &llm.TruncatedError{Reason: noFinish}},
		{"empty-stream", streams(), true, &llm.TruncatedError{Reason: noFinish}},
		{"nothing", streams(finish("tool_calls"), end), false, llm.ErrNoReply},
	} {
		bubble(t, test.name, func(t *testing.T) {
			o, reply := chatted(t, t.Context(), nil, test.first, streams(weather...))
			if !test.again {
				assertError(t, test.err, o.err)
				assert.Equal(t, llm.Message{}, reply)
				assert.Equal(t, 1, o.asks)
				return
			}
			assert.NoError(t, o.err)
			assert.Equal(t, wantWeather, reply)
			assert.Equal(t, 2, o.asks)
			assert.Len(t, o.retries, 1)
		})
	}
}

func TestChatCancel(t *testing.T) {
	for _, test := range []struct {
		name    string
		set     func(*openai.Client)
		handler handler
		cut     bool // whether the error is also that of a reply
	}{
		{"in-wait", nil, says(429, "Retry-After", "30"), false},
		{"before-headers", nil, hangs, false},
		{"behind-headers", nil, streams(time.Hour), true},
		{"in-name", nil, streams(pieces(called(`"index":0,"id":"a"`, "weather", "")), time.Hour), true},
		{"in-arguments", nil, streams(weather[0], time.Hour, weather[1]), true},
		{"behind-call", nil, streams(weather[0], weather[1], time.Hour), true},
		{"in-plain", plain, streams(`{"choices":[{"message":{"tool_calls":[`, time.Hour), true},
	} {
		bubble(t, test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(20*time.Second, cancel)
			o, reply := chatted(t, ctx, test.set, test.handler)
			assert.ErrorIs(t, o.err, context.Canceled)
			assert.Equal(t, llm.Message{}, reply)
			assert.Equal(t, 20*time.Second, o.took)
			assert.Equal(t, 1, o.asks)
			_, cut := errors.AsType[*llm.TruncatedError](o.err)
			assert.Equal(t, test.cut, cut, "%v", o.err)
		})
	}
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o, _ := chatted(t, ctx, nil, streams(weather...))
		assert.Equal(t, context.Canceled, o.err)
		assert.Zero(t, o.asks)
	})
}

// TestChatSilence holds that arguments are part of a reply: who sends them is not
// silent, and who stops sending them has cut the reply.
func TestChatSilence(t *testing.T) {
	minute := func(c *openai.Client) { c.MaxSilence = time.Minute }
	bubble(t, "slow", func(t *testing.T) {
		body := []any{weather[0]}
		for range 20 {
			body = append(body, 50*time.Second, pieces(more(`"index":0`, " ")))
		}
		o, reply := chatted(t, t.Context(), minute, streams(append(body, weather[1:]...)...))
		require.NoError(t, o.err)
		assert.Equal(t, `{"city":`+strings.Repeat(" ", 20)+`"Rome"}`, reply.Calls[0].Arguments)
	})
	bubble(t, "silent", func(t *testing.T) {
		o, _ := chatted(t, t.Context(), minute, streams(weather[0], time.Hour))
		assertError(t, &llm.TruncatedError{Reason: "server sent nothing for 1m0s"}, o.err)
		assert.Equal(t, 1, o.asks)
	})
}

// TestChatSplitAtEveryByte sends calls in two pieces, cut at every byte.
func TestChatSplitAtEveryByte(t *testing.T) {
	body := ": hi\r\n" + chunk("é 🙂") + pieces(called(`"index":0,"id":"a"`, "weather", `{"city":"日`)) +
		strings.ReplaceAll(pieces(more(`"index":0`, `本\n"}`)), "\n", "\r\n") + pieces(called(`"index":1,"id":"b"`, "time", "")) + finish("tool_calls") + end
	want := llm.Message{Role: llm.Assistant, Text: "é 🙂", Calls: []llm.ToolCall{{ID: "a", Name: "weather", Arguments: `{"city":"日本\n"}`}, {ID: "b", Name: "time", Arguments: "{}"}}}
	at := 0
	model := inMemory(func(r *http.Request, _ int) (*http.Response, error) {
		return response(r, 200, nil, body[:at], body[at:]), nil
	})
	for at = range len(body) + 1 {
		reply, err := model.Chat(t.Context(), hello)
		assert.NoError(t, err, "cut at %d", at)
		assert.Equal(t, want, reply, "cut at %d", at)
	}
}

// TestChatSecret holds that no error of Chat tells the key.
func TestChatSecret(t *testing.T) {
	for name, answer := range map[string]answer{
		"status":    raw(401, "text/plain", "Incorrect API key: "+key),
		"truncated": stream(chunk(key), finish("length"), end),
		"refused":   stream(delta(`"delta":{"refusal":"`+key+`"}`), finish("stop"), end),
		"nameless":  calling(pieces(more(`"index":0,"id":"a"`, key))),
		"html":      raw(200, "text/html", "<html>"+key),
	} {
		t.Run(name, func(t *testing.T) {
			model, _ := serve(t, answer)
			_, err := model.Chat(t.Context(), hello)
			require.Error(t, err)
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), key)
			data, _ := json.Marshal(err)
			assert.False(t, bytes.Contains(data, []byte(key)))
		})
	}
}

// TestChatEarlyAnswer holds that a request which is still being sent when its
// answer has come does not change while the next one is made.
func TestChatEarlyAnswer(t *testing.T) {
	var group sync.WaitGroup
	var want string
	model := &openai.Client{BaseURL: "http://server.test/v1", Model: "m"}
	next := make(chan struct{})
	model.HTTP = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		want := want
		group.Go(func() {
			<-next
			data, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			var body struct{ Messages json.RawMessage }
			assert.NoError(t, json.Unmarshal(data, &body))
			assert.JSONEq(t, want, string(body.Messages))
		})
		return response(r, 200, nil, whole("ok")), nil
	})}
	var messages []llm.Message
	for n := range 30 {
		messages = append(messages, history[n%len(history)])
		want = wantHistory(t, messages, "")
		_, err := model.Chat(t.Context(), llm.ChatRequest{Messages: messages})
		require.NoError(t, err)
		if n == 10 {
			close(next)
		}
	}
	group.Wait()
}
