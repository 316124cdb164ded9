package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

const key = "sk-test-0123456789"

// An answer is what a server does with the n-th request, counted from 1.
type answer func(w http.ResponseWriter, r *http.Request, n int)

// serve starts a server that answers with handle, after it has read the
// request. Its requests are kept.
func serve(t testing.TB, handle answer) (*openai.Client, *[]map[string]any) {
	var mu sync.Mutex
	var requests []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var body map[string]any
		assert.NoError(t, json.Unmarshal(data, &body), "%s", data)
		mu.Lock()
		requests = append(requests, body)
		n := len(requests)
		mu.Unlock()
		handle(w, r, n)
	}))
	t.Cleanup(server.Close)
	return &openai.Client{BaseURL: server.URL + "/v1", Key: key, Model: "m", HTTP: server.Client(), Tries: 1}, &requests
}

// inMemory returns a client whose requests are answered by handle, without a
// network: for tests in a bubble of fake time.
func inMemory(handle func(r *http.Request, n int) (*http.Response, error)) *openai.Client {
	var mu sync.Mutex
	n := 0
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		mu.Lock()
		n++
		n := n
		mu.Unlock()
		return handle(r, n)
	})
	return &openai.Client{BaseURL: "http://server.test/v1", Key: key, Model: "m", HTTP: &http.Client{Transport: transport}}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// response is an answer in memory. Its body consists of texts, waits (a
// time.Duration) and an error at the end, if any.
func response(r *http.Request, code int, header http.Header, body ...any) *http.Response {
	if header == nil {
		header = http.Header{"Content-Type": {"text/event-stream"}}
	}
	return &http.Response{StatusCode: code, Header: header, Body: &scriptedBody{request: r, steps: slices.Clone(body)}}
}

type scriptedBody struct {
	request *http.Request
	steps   []any
}

func (b *scriptedBody) Close() error { return nil }

func (b *scriptedBody) Read(p []byte) (int, error) {
	if err := b.request.Context().Err(); err != nil {
		return 0, err
	}
	if len(b.steps) == 0 {
		return 0, io.EOF
	}
	switch step := b.steps[0].(type) {
	case error:
		return 0, step
	case time.Duration:
		b.steps = b.steps[1:]
		return 0, pause(b.request, step)
	case string:
		n := copy(p, step)
		b.steps[0] = step[n:]
		if n == len(step) {
			b.steps = b.steps[1:]
		}
		return n, nil
	default:
		panic(fmt.Sprintf("a body holds %T", step))
	}
}

// pause waits until the time has passed or the request has ended.
func pause(r *http.Request, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// chunk is an event with a piece of text.
func chunk(text string) string {
	return `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":` + quote(text) + `},"finish_reason":null}]}` + "\n\n"
}

// reasoning is an event with a piece of thinking.
func reasoning(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"reasoning_content":` + quote(text) + `}}]}` + "\n\n"
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func finish(reason string) string {
	return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n"
}

const end = "data: [DONE]\n\n"

// whole is a stream with one text.
func whole(text string) string { return chunk(text) + finish("stop") + end }

// stream answers with events.
func stream(events ...string) answer {
	return raw(200, "text/event-stream", strings.Join(events, ""))
}

// raw answers with a status, a content type, a body and headers (name, value).
func raw(code int, contentType, body string, header ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// broken answers with events and then breaks the connection.
func broken(events ...string) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		stream(events...)(w, r, n)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// heard is what a trace was told.
type heard struct {
	deltas, reasoning []string
	usage             []llm.Usage
	retries           []error
}

func (h *heard) trace() *llm.Trace {
	return &llm.Trace{
		Delta:     func(s string) { h.deltas = append(h.deltas, s) },
		Reasoning: func(s string) { h.reasoning = append(h.reasoning, s) },
		Usage:     func(u llm.Usage) { h.usage = append(h.usage, u) },
		Retry:     func(err error) { h.retries = append(h.retries, err) },
	}
}

// assertError compares an error of package llm with the one wanted: type, words,
// text and time. A wanted cause or a body need only be found.
func assertError(t *testing.T, want, got error) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		assert.NoError(t, got)
	case *llm.StatusError:
		if e, ok := errors.AsType[*llm.StatusError](got); assert.True(t, ok, "%T %v", got, got) {
			assert.InDelta(t, want.RetryAfter, e.RetryAfter, float64(2*time.Second))
			assert.Equal(t, llm.StatusError{Code: want.Code, Message: want.Message}, llm.StatusError{Code: e.Code, Message: e.Message})
		}
	case *llm.TruncatedError:
		if e, ok := errors.AsType[*llm.TruncatedError](got); assert.True(t, ok, "%T %v", got, got) {
			assert.Equal(t, llm.TruncatedError{Text: want.Text, Reason: want.Reason}, llm.TruncatedError{Text: e.Text, Reason: e.Reason})
			assert.True(t, want.Err == nil || errors.Is(got, want.Err), "%v", got)
		}
	case *llm.DecodeError:
		if e, ok := errors.AsType[*llm.DecodeError](got); assert.True(t, ok, "%T %v", got, got) {
			assert.Equal(t, want.Code, e.Code)
			assert.Contains(t, e.Body, want.Body)
		}
	case *llm.RefusedError:
		if e, ok := errors.AsType[*llm.RefusedError](got); assert.True(t, ok, "%T %v", got, got) {
			assert.Equal(t, want, e)
		}
	default:
		assert.ErrorIs(t, got, want)
	}
}

func TestStream(t *testing.T) {
	model, requests := serve(t, stream(chunk("ACT: "), chunk("list ."), finish("stop"),
		`data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":8}}}`+"\n\n", end))
	var h heard
	reply, err := model.Ask(llm.WithTrace(t.Context(), h.trace()), "hello <&> \u2028 \"x\"")
	require.NoError(t, err)
	assert.Equal(t, "ACT: list .", reply)
	assert.Equal(t, []string{"ACT: ", "list ."}, h.deltas)
	assert.Equal(t, []llm.Usage{{Prompt: 12, Cached: 8, Reply: 3}}, h.usage)
	assert.Equal(t, map[string]any{
		"model": "m", "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages": []any{map[string]any{"role": "user", "content": "hello <&> \u2028 \"x\""}},
	}, (*requests)[0])
}
