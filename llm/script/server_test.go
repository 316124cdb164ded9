package script_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// served returns a script's player and its server.
func served(t testing.TB, text string) (*script.Player, *script.Server) {
	t.Helper()
	p := player(t, text)
	s, err := script.NewServer(p)
	require.NoError(t, err)
	return p, s
}

// post sends a chat request to a handler, without a network.
func post(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	user   = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`
	stream = `{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true}`
)

const talk = `-- reply in=120 cached=100 out=9 chunk=word model=gpt-9 --
I look: é🙂
-- call bash --
{"command": "é"}
-- call list --
1
`

func TestServerStream(t *testing.T) {
	_, s := served(t, talk)
	w := post(s, `{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true,"stream_options":{"include_usage":true}}`)
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	var want strings.Builder
	for _, choices := range []string{
		`[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"content":"I "},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"content":"look: "},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"content":"é🙂"},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"bash","arguments":""}}]},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"command\": "}}]},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"é\"}"}}]},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"list","arguments":""}}]},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"1"}}]},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":""}}]},"logprobs":null,"finish_reason":null}]`,
		`[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]`,
	} {
		want.WriteString(frame("chat.completion.chunk", choices, "null"))
	}
	want.WriteString(frame("chat.completion.chunk", `[]`, `{"prompt_tokens":120,"completion_tokens":9,"total_tokens":129,"prompt_tokens_details":{"cached_tokens":100}}`))
	want.WriteString("data: [DONE]\n\n")
	assert.Equal(t, want.String(), w.Body.String())

	_, s = served(t, talk)
	assert.NotContains(t, post(s, stream).Body.String(), "usage", "nobody has asked for it")
}

// TestServerCutsArguments between characters, into two pieces at least.
func TestServerCutsArguments(t *testing.T) {
	for _, c := range [][3]string{
		{`"é"`, `\"é`, `\"`}, {`{}`, `{`, `}`}, {`7`, `7`, ``}, {`[1,2]`, `[1`, `,2]`},
	} {
		_, s := served(t, "-- call f --\n"+c[0]+"\n")
		body := post(s, stream).Body.String()
		assert.Contains(t, body, `"function":{"arguments":"`+c[1]+`"}`)
		assert.Contains(t, body, `"function":{"arguments":"`+c[2]+`"}`)
	}
}

func frame(object, choices, usage string) string {
	return `data: {"id":"chatcmpl-main-1","object":"` + object + `","created":1767225600,"model":"gpt-9","system_fingerprint":"fp_script","choices":` + choices + `,"usage":` + usage + "}\n\n"
}

func TestServerWhole(t *testing.T) {
	_, s := served(t, talk)
	w := post(s, user)
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.Equal(t, "chatcmpl-main-1", w.Header().Get("X-Request-Id"))
	want := frame("chat.completion", `[{"index":0,"message":{"role":"assistant","content":"I look: é🙂","refusal":null,"tool_calls":[`+
		`{"id":"call_1","type":"function","function":{"name":"bash","arguments":"{\"command\": \"é\"}"}},`+
		`{"id":"call_2","type":"function","function":{"name":"list","arguments":"1"}}]},"logprobs":null,"finish_reason":"tool_calls"}]`,
		`{"prompt_tokens":120,"completion_tokens":9,"total_tokens":129,"prompt_tokens_details":{"cached_tokens":100}}`)
	assert.Equal(t, strings.TrimSpace(want)[len("data: "):], w.Body.String())
}

func TestServerModels(t *testing.T) {
	p, s := served(t, "-- expect --\nmodel a\n! model x\n-- reply model=b --\nyes\n")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/models", nil))
	assert.JSONEq(t, `{"object":"list","data":[{"id":"b","object":"model","created":1767225600,"owned_by":"script"},{"id":"a","object":"model","created":1767225600,"owned_by":"script"}]}`, w.Body.String())
	post(s, strings.Replace(user, `"m"`, `"a"`, 1))
	require.NoError(t, p.Check())

	_, s = served(t, "-- reply --\nyes\n")
	w = httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/models", nil))
	assert.Contains(t, w.Body.String(), `"id":"scripted"`)
}

// TestServerBytes breaks what is sent inside every character and every word of the
// stream.
func TestServerBytes(t *testing.T) {
	for _, text := range []string{strings.Replace(talk, "chunk=word", "chunk=word split=bytes", 1), "-- script --\nsplit bytes\n" + talk} {
		for _, body := range []string{user, stream} {
			_, s := served(t, text)
			r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := &countingWriter{ResponseRecorder: httptest.NewRecorder()}
			s.ServeHTTP(w, r)
			assert.Equal(t, w.Body.Len(), w.writes)
			_, whole := served(t, talk)
			assert.Equal(t, post(whole, body).Body.String(), w.Body.String())
		}
	}
}

type countingWriter struct {
	*httptest.ResponseRecorder
	writes int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return w.ResponseRecorder.Write(p)
}

// TestServerRefuses sends requests that no server could answer from a script.
func TestServerRefuses(t *testing.T) {
	_, err := script.NewServer(player(t, "-- reply --\nyes\n-- fault error --\nno\n"))
	require.EqualError(t, err, "x.txtar:3: no server can send the fault error; write status, reset or another of the faults that the package's comment lists")
	_, err = script.NewServer(&script.Player{Script: parse(t, "-- reply --\nyes\n"), Live: llm.Fixed("x")})
	require.Error(t, err)

	for _, c := range []struct {
		method, path string
		code         int
		reason       string
	}{
		{"GET", "/v1/chat/completions", 405, "GET /v1/chat/completions: the method is POST"},
		{"POST", "/v1/models", 405, "POST /v1/models: the method is GET"},
		{"POST", "/v1/responses", 404, "there is no POST /v1/responses; there are POST …/chat/completions and GET …/models"},
	} {
		p, s := served(t, "-- reply --\nyes\n")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		assert.Equal(t, c.code, w.Code)
		var refused *script.RefusedError
		require.ErrorAs(t, p.Check(), &refused)
		assert.Equal(t, &script.RefusedError{At: "x.txtar", Request: 1, Code: c.code, Reason: c.reason}, refused)
	}
}

// TestServerUnexpected asks more than the script answers.
func TestServerUnexpected(t *testing.T) {
	p, s := served(t, "-- reply --\nyes\n")
	assert.Equal(t, 200, post(s, user).Code)
	w := post(s, user)
	assert.Equal(t, 400, w.Code)
	var dry *llm.UnexpectedAskError
	require.ErrorAs(t, p.Check(), &dry)
	assert.Contains(t, w.Body.String(), `{"error":{"message":"scripted: ask 2 has no reply`)
	calls := s.Calls()
	require.Len(t, calls, 2)
	assert.Equal(t, []string{"reply", "unexpected"}, []string{calls[0].Status, calls[1].Status})
	assert.Equal(t, "[user]\nhello", calls[0].Prompt)
}

func TestServerJournal(t *testing.T) {
	t.Setenv("SERVER_TEST_TOKEN", "very-secret-value")
	_, s := served(t, "-- reply --\nyes\n")
	var logged []script.Served
	s.Log = func(one script.Served) { logged = append(logged, one) }
	post(s, user, "Authorization", "Bearer sk-1", "Api-Key", "k", "X-Note", "so very-secret-value it is", retryCount, "2")
	post(s, "{}")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/models", nil))
	assert.Equal(t, s.Calls(), logged)
	require.Len(t, logged, 3)
	assert.Equal(t, http.Header{
		"Authorization": {"<secret Authorization>"}, "Api-Key": {"<secret Api-Key>"},
		"X-Note": {"so <secret SERVER_TEST_TOKEN> it is"}, "Content-Type": {"application/json"}, retryCount: {"2"},
	}, logged[0].Header)
	assert.Equal(t, []any{"reply", "x.txtar:1", 200, 2, "", false}, []any{logged[0].Status, logged[0].At, logged[0].Code, logged[0].Retry, logged[0].Refused, logged[0].BrokeOff})
	assert.Equal(t, []any{"refused", 400, "model is missing"}, []any{logged[1].Status, logged[1].Code, logged[1].Refused})
	assert.Equal(t, []any{"OK", 200, "GET", "/v1/models"}, []any{logged[2].Status, logged[2].Code, logged[2].Method, logged[2].Path})
	assert.False(t, logged[0].Time.IsZero())
}

const retryCount = "X-Stainless-Retry-Count"

// TestServerAgain gives an answer again that the client says it lacks.
func TestServerAgain(t *testing.T) {
	p, s := served(t, "-- reply --\none\n-- fault status 503 --\n-- reply --\ntwo\n-- reply --\nthree\n")
	var got []string
	ask := func(body, count string) {
		w := post(s, body, retryCount, count)
		for _, word := range []string{"one", "two", "three", "Service Unavailable"} {
			if strings.Contains(w.Body.String(), word) {
				got = append(got, word)
			}
		}
	}
	more := strings.Replace(user, `}]`, `},{"role":"user","content":"more"}]`, 1)
	ask(user, "0")
	ask(user, "1") // risen: the answer did not arrive
	ask(user, "2")
	ask(more, "0") // the fault
	ask(more, "1") // after a fault the script goes on
	ask(more, "2")
	ask(more, "0") // not risen: another ask
	assert.Equal(t, []string{"one", "one", "one", "Service Unavailable", "two", "two", "three"}, got)
	require.NoError(t, p.Check())
	var again []bool
	for _, call := range s.Calls() {
		again = append(again, call.Again)
	}
	assert.Equal(t, []bool{false, true, true, false, false, true, false}, again)
}

// TestServerBrokenOff goes away in the middle of an answer.
func TestServerBrokenOff(t *testing.T) {
	for _, c := range []struct {
		body string
		at   time.Duration
	}{{user, 3 * time.Second}, {stream, 3 * time.Second}, {stream, 8 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			p, s := served(t, "-- reply delay=5s gap=2s chunk=1 --\nabc\n-- reply --\nnext\n")
			ctx, cancel := context.WithTimeout(t.Context(), c.at)
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			s.ServeHTTP(httptest.NewRecorder(), r)
			assert.Contains(t, post(s, user).Body.String(), `"content":"abc"`)
			assert.Contains(t, post(s, user).Body.String(), `"content":"next"`)
			require.NoError(t, p.Check())
			calls := s.Calls()
			assert.Equal(t, []bool{true, false, false}, []bool{calls[0].BrokeOff, calls[1].BrokeOff, calls[2].BrokeOff})
			assert.Equal(t, []bool{false, true, false}, []bool{calls[0].Again, calls[1].Again, calls[2].Again})
		})
	}
}

// TestServerUnread meets a client that goes away while it still asks.
func TestServerUnread(t *testing.T) {
	p, s := served(t, "-- reply --\nyes\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", io.MultiReader(strings.NewReader("{"), failing{}))
	s.ServeHTTP(httptest.NewRecorder(), r)
	assert.True(t, s.Calls()[0].BrokeOff)
	assert.Empty(t, p.Calls())
	r = httptest.NewRequest(http.MethodPost, "/v1/chat/completions", failing{})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	assert.Equal(t, 413, w.Code)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("gone") }

func TestListen(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "localhost:0", ":0", "[::1]:0"} {
		l, err := script.Listen(address)
		if address == "[::1]:0" && err != nil {
			continue // not every system has it
		}
		require.NoError(t, err, address)
		assert.Regexp(t, `^(127\.0\.0\.1|\[::1\]):[1-9]`, l.Addr().String())
		require.NoError(t, l.Close())
	}
	for _, address := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:80", "127.0.0.1"} {
		_, err := script.Listen(address)
		assert.ErrorContains(t, err, `listen on "`+address+`": `)
	}
}

// client returns our client for a server on the loopback network.
func client(t testing.TB, s http.Handler, plain bool) *openai.Client {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return &openai.Client{BaseURL: server.URL + "/v1", Key: "none", Model: "m", Plain: plain, HTTP: server.Client()}
}

// TestServerLoop plays a script of the text protocol over HTTP: what is compared
// is the prompt, as in process.
func TestServerLoop(t *testing.T) {
	for _, plain := range []bool{false, true} {
		for _, split := range []string{"", "chunk rune\nsplit bytes\n"} {
			source := open(t, "count")
			s := parse(t, strings.Replace(string(source.Bytes()), "-- task --", "-- script --\napi text\n"+split+"-- task --", 1))
			p := &script.Player{Script: s}
			server, err := script.NewServer(p)
			require.NoError(t, err)
			loop := react.Loop{LLM: client(t, server, plain), Tools: []tools.Tool{says("bash", "2")}}
			result, err := loop.Run(t.Context(), s.Task.Text)
			require.NoError(t, err)
			assert.Equal(t, "2", result.Answer)
			require.NoError(t, p.Check())
			local := &script.Player{Script: source}
			_, err = react.Loop{LLM: local, Tools: loop.Tools}.Run(t.Context(), s.Task.Text)
			require.NoError(t, err)
			for i, call := range local.Calls() {
				assert.Equal(t, call.Prompt, p.Calls()[i].Prompt)
			}
		}
	}
}

// TestServerDrift tells which message of a prompt differs.
func TestServerDrift(t *testing.T) {
	s := open(t, "count")
	s.API = "text"
	p := &script.Player{Script: s}
	server, err := script.NewServer(p)
	require.NoError(t, err)
	_, err = react.Loop{LLM: client(t, server, false), Tools: []tools.Tool{says("bash", "3")}}.Run(t.Context(), s.Task.Text)
	require.NoError(t, err)
	require.ErrorContains(t, p.Check(), "count.txtar:22: ask 3 of lane main: added text differs in message 6 (user)")
}

const native = `-- script --
api chat
-- expect --
tool bash
model m
-- reply --
I look.
-- call bash --
{"input": "ls"}
-- call bash --
{"input": "pwd"}
-- added --
[assistant]
I look.
[call call_1 bash]
{"input": "ls"}
[call call_2 bash]
{"input": "pwd"}
[tool call_1]
main.go
[tool call_2]
main.go
-- call bash --
{"input": "é🙂"}
-- expect --
contains [tool call_3]
-- reply in=160 out=4 --
One file: main.go
`

// TestServerNative runs the loop of function calls against a served script.
func TestServerNative(t *testing.T) {
	for _, plain := range []bool{false, true} {
		for _, settings := range []string{"", "chunk rune\n", "chunk rune\nsplit bytes\n", "split bytes\n"} {
			p, s := served(t, strings.Replace(native, "api chat\n", "api chat\n"+settings, 1))
			result, err := react.Native{LLM: client(t, s, plain), Tools: []tools.Tool{says("bash", "main.go")}}.Run(t.Context(), "What is here?")
			require.NoError(t, err)
			assert.Equal(t, "One file: main.go", result.Answer)
			assert.Len(t, result.Steps, 4)
			require.NoError(t, p.Check())
		}
	}
}

// TestServerLanes serves eight agents at once.
func TestServerLanes(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("-- script --\napi text\n")
	for _, name := range "abcdefgh" {
		n := string(name)
		text.WriteString("-- lane " + n + " --\n-- when --\ncontains region: " + n + "\n-- reply --\nACT: look " + n + "\n-- reply --\nHm.\n-- reply --\nDONE: " + n + "\n")
	}
	p, s := served(t, text.String())
	model := client(t, s, false)
	var all sync.WaitGroup
	for _, name := range "abcdefgh" {
		all.Go(func() {
			loop := react.Loop{LLM: model, Tools: []tools.Tool{says("look", "x")}, Retries: 1}
			result, err := loop.Run(t.Context(), "region: "+string(name))
			assert.NoError(t, err)
			assert.Equal(t, string(name), result.Answer)
		})
	}
	all.Wait()
	require.NoError(t, p.Check())
}
