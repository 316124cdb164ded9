package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// key is a key that nothing may print.
const key = "sk-hush-0123456789"

// A fake is a server of the API. Each ask gets the next answer, the last one
// again and again.
type fake struct {
	url     string // the base URL
	answers []answer
	asked   []map[string]any // the bodies of the requests
	keys    []string
	dir     string // the folder of the last run
}

// An answer is a reply, or else a status with a message.
type answer struct {
	text   string
	calls  [][2]string // the function calls beside it: name and arguments
	finish string      // "" means "stop"
	prompt int         // tokens; 0 means that none are told
	status int
	header http.Header
}

// serve starts a fake, and hides what the environment says about models.
func serve(t *testing.T, answers ...answer) *fake {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", key)
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_MODEL", "")
	f := &fake{answers: answers}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL + "/v1"
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		io.WriteString(w, `{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"small"},{"id":"large"}]}`)
		return
	}
	var body map[string]any
	json.NewDecoder(r.Body).Decode(&body)
	f.asked = append(f.asked, body)
	f.keys = append(f.keys, r.Header.Get("Authorization"))
	f.answers[min(len(f.asked), len(f.answers))-1].write(w, body["stream"] == true)
}

func (a answer) write(w http.ResponseWriter, stream bool) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": a.text}})
		return
	}
	if a.finish == "" {
		a.finish = "stop"
	}
	piece := map[string]any{"content": a.text}
	var calls []any
	for i, call := range a.calls {
		calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("c%d", i), "type": "function",
			"function": map[string]any{"name": call[0], "arguments": call[1]}})
	}
	if calls != nil {
		piece["tool_calls"] = calls
	}
	chunk := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": piece, "message": piece, "finish_reason": a.finish}}}
	if a.prompt > 0 {
		chunk["usage"] = map[string]any{"prompt_tokens": a.prompt, "completion_tokens": 7, "prompt_tokens_details": map[string]any{"cached_tokens": 5}}
	}
	data, _ := json.Marshal(chunk)
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		w.Write(data)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "data: "+string(data)+"\n\ndata: [DONE]\n\n")
}

// ask runs actdone with the fake, on a folder with one file.
func (f *fake) ask(t *testing.T, flags ...string) (exit int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	f.dir = dir
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600))
	args := append([]string{"run", "-C", dir, "--base-url", f.url, "--model", "small"}, flags...)
	exit, stdout, stderr = call(t, "", append(args, "how many files?")...)
	assert.NotContains(t, stdout+stderr, key)
	return exit, stdout, stderr
}

func TestModel(t *testing.T) {
	f := serve(t, answer{text: "I look.\nACT: list .", prompt: 400}, answer{text: "DONE: one", prompt: 420})
	exit, stdout, stderr := f.ask(t)
	assert.Equal(t, 0, exit)
	assert.Equal(t, "one\n", stdout)
	assert.Regexp(t, `\ATASK: how many files\?

 1\. I look\.
    ACT: list \.
    OBS: a\.go \(10 bytes\)

 2\. DONE:
actdone: 2 asks in \d\.\ds; tokens: 820 prompt \(10 cached\), 14 reply
\z`, stderr)
	assert.Equal(t, []string{"Bearer " + key, "Bearer " + key}, f.keys)
	assert.Equal(t, "small", f.asked[0]["model"])
	assert.NotContains(t, f.asked[0], "temperature")
	assert.Len(t, f.asked[1]["messages"], 4)
}

func TestModelJSON(t *testing.T) {
	f := serve(t, answer{text: "DONE: one", prompt: 400})
	exit, stdout, stderr := f.ask(t, "--json")
	assert.Equal(t, 0, exit)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 2)
	assert.Regexp(t, `^{"result":{"task":"how many files\?","answer":"one","asks":1,"limit":15,"promptBytes":\d+,"repeatedBytes":0,"wandered":false,"usage":{"prompt":400,"cached":5,"reply":7,"told":1}}}$`, lines[1])
	assert.Empty(t, stderr)
}

// TestModelFlags: each flag reaches the request.
func TestModelFlags(t *testing.T) {
	f := serve(t, answer{text: "DONE: one"})
	exit, _, stderr := f.ask(t, "--no-stream", "--one-message", "--temperature", "0")
	assert.Equal(t, 0, exit, stderr)
	assert.Equal(t, false, f.asked[0]["stream"])
	assert.Equal(t, 0.0, f.asked[0]["temperature"])
	assert.Len(t, f.asked[0]["messages"], 1)
	assert.Regexp(t, `\nactdone: 1 ask in \d\.\ds\n\z`, stderr)
}

func TestModelEnvironment(t *testing.T) {
	f := serve(t, answer{text: "DONE: one"})
	t.Setenv("OPENAI_BASE_URL", f.url+"/")
	t.Setenv("OPENAI_MODEL", "large")
	exit, stdout, stderr := call(t, "", "run", "-C", t.TempDir(), "how many files?")
	assert.Equal(t, 0, exit, stderr)
	assert.Equal(t, "one\n", stdout)
	assert.Equal(t, "large", f.asked[0]["model"])
}

// TestModelEarlyStop: what stands behind a move is neither waited for nor shown.
func TestModelEarlyStop(t *testing.T) {
	f := serve(t, answer{text: "ACT: list .\nOBS: nothing\nDONE: none", prompt: 400}, answer{text: "DONE: one", prompt: 420})
	exit, stdout, stderr := f.ask(t, "--early-stop")
	assert.Equal(t, 0, exit, stderr)
	assert.Equal(t, "one\n", stdout)
	assert.NotContains(t, stderr, "none")
}

// TestModelErrors: each failure is one line that says what to do.
func TestModelErrors(t *testing.T) {
	at := func(text string) string { return "actdone: ask at step 1: server answered " + text + "\n" }
	for _, test := range []struct {
		name string
		answer
		want string
	}{
		{"key", answer{status: 401, text: "bad key " + key}, at("401: bad key [secret]; the server refuses the key: check OPENAI_API_KEY")},
		{"credit", answer{status: 402, text: "no credit"}, at("402: no credit; the account has no credit left")},
		{"forbidden", answer{status: 403, text: "no"}, at("403: no; the key may not use this model or server: check OPENAI_API_KEY and --model")},
		{"model", answer{status: 404, text: "no model small"}, at("404: no model small; check --model; the server has small, large")},
		{"context", answer{status: 400, text: "exceeds the context\nwindow"}, at("400: exceeds the context window; the prompt is too long for the model: raise the context size at the server (docs/MODELS.md), or let it read less")},
		{"role", answer{status: 400, text: "Conversation roles must alternate"}, at("400: Conversation roles must alternate; the model may want one message: try --one-message")},
		{"quota", answer{status: 429, text: "slow down", header: http.Header{"Retry-After": {"3600"}}}, at("429: slow down (retry after 1h0m0s); too many requests, or no quota left: wait, or check the account")},
		{"cut", answer{text: "DONE: o", finish: "length"}, `actdone: step 1: reply cut (length) after "DONE: o"; the server's token limit for replies, or the model's context, is used up: raise it at the server (docs/MODELS.md)` + "\n"},
		{"silent", answer{text: ""}, "actdone: step 1: the model sent no text; a reasoning model may have spent all its tokens on thinking (docs/MODELS.md)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := serve(t, test.answer)
			exit, stdout, stderr := f.ask(t, "--retries", "0")
			assert.Equal(t, 1, exit)
			assert.Empty(t, stdout)
			assert.Equal(t, "TASK: how many files?\n\n"+test.want, untimed(stderr))
		})
	}
}

// untimed returns the messages of a failed run without what it took and what was
// refused.
func untimed(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, " ") && !strings.Contains(line, " ask in ") && (line != "\n" || !strings.HasSuffix(kept.String(), "\n\n")) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestModelNoKey(t *testing.T) {
	f := serve(t, answer{status: 401, text: "who are you?"})
	t.Setenv("OPENAI_API_KEY", "")
	exit, _, stderr := f.ask(t)
	assert.Equal(t, 1, exit)
	assert.Contains(t, stderr, "401: who are you?; the server wants a key: set OPENAI_API_KEY\n")
}

func TestModelNotThere(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello") }))
	defer page.Close()
	f := serve(t)
	f.url = page.URL
	exit, _, stderr := f.ask(t)
	assert.Equal(t, 1, exit)
	assert.Contains(t, stderr, "; is "+page.URL+" the address of an OpenAI-compatible API? mostly it ends in /v1\n")

	f.url = "http://127.0.0.1:9/v1"
	exit, _, stderr = f.ask(t)
	assert.Equal(t, 1, exit)
	assert.Contains(t, stderr, "; is the server running, and is the base URL right?\n")
}

func TestModelRetry(t *testing.T) {
	soon := http.Header{"Retry-After-Ms": {"1"}}
	f := serve(t, answer{status: 429, text: "slow\ndown", header: soon}, answer{text: "DONE: one"})
	exit, stdout, stderr := f.ask(t)
	assert.Equal(t, 0, exit)
	assert.Equal(t, "one\n", stdout)
	assert.Contains(t, stderr, "\n\nactdone: server answered 429: slow down (retry after 1ms); trying again\n 1. DONE:\n")
}

// TestModelRemarks: a prompt that the server has cut is told.
func TestModelRemarks(t *testing.T) {
	f := serve(t, answer{text: "ACT: list .", prompt: 900}, answer{text: "DONE: one", prompt: 512})
	exit, _, stderr := f.ask(t, "--max-steps", "5")
	assert.Equal(t, 0, exit)
	assert.Contains(t, stderr, "\nactdone: the server dropped part of the prompt at ask 2 without saying so: its context is too small for this run\n")
	assert.Contains(t, stderr, "\nactdone: the run took 2 of 5 asks, more than a third: a sign")
}

func TestModelTimeout(t *testing.T) {
	f := serve(t)
	gone := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-gone
	}))
	defer slow.Close()
	defer close(gone)
	f.url = slow.URL + "/v1"
	exit, stdout, stderr := f.ask(t, "--timeout", "50ms")
	assert.Equal(t, 1, exit)
	assert.Empty(t, stdout)
	assert.Equal(t, "TASK: how many files?\n\nactdone: stopped after 0 steps, without an answer: the 50ms of --timeout are over\n", stderr)
}
