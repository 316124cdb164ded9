package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/openai"
)

// A served is an "actdone script serve" at work in this process.
type served struct {
	base   string // the first line of standard output
	stop   func()
	ended  chan int // takes the exit status
	stderr bytes.Buffer
}

// serveText serves a script.
func serveText(t *testing.T, text string, flags ...string) *served {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.txtar")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	s := &served{stop: cancel, ended: make(chan int, 1)}
	t.Cleanup(cancel)
	out, in := io.Pipe()
	go func() {
		exit := run(ctx, append([]string{"script", "serve", name}, flags...), strings.NewReader(""), in, &s.stderr)
		in.Close()
		s.ended <- exit
	}()
	line, _ := bufio.NewReader(out).ReadString('\n')
	s.base = strings.TrimSuffix(line, "\n")
	return s
}

// end interrupts the server and returns what it told.
func (s *served) end() (exit int, stderr string) {
	s.stop()
	exit = <-s.ended
	return exit, s.stderr.String()
}

// client returns a client of the server. Its connections end with the test.
func (s *served) client(t *testing.T) *openai.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &openai.Client{BaseURL: s.base, Model: "small", Key: key, Tries: 1, HTTP: &http.Client{Transport: transport}}
}

func TestServe(t *testing.T) {
	for _, test := range []struct {
		name   string
		script string
		asks   int
		exit   int
		told   []string // regular expressions
	}{
		{"used-up", "-- reply --\nDONE: one\n", 1, 0, []string{
			`\A\d\d:\d\d:\d\d\.\d\d\d POST /v1/chat/completions 200 lane main ask 1: reply \(\S*s\.txtar:1\)\n    \[user\]\n    it\n\z`}},
		{"left-over", "-- reply --\nDONE: one\n-- reply --\nDONE: two\n", 1, 1, []string{
			`\nactdone: scripted: .* not used.*s\.txtar:3.*DONE: two`}},
		{"never-asked", "-- reply --\nDONE: one\n", 0, 1, []string{`\Aactdone: scripted: .* not used`}},
		{"once-too-often", "-- reply --\nDONE: one\n", 2, 1, []string{
			` 400 lane main ask 2: unexpected\n`, `\nactdone: scripted: ask 2 has no reply`}},
		{"not-as-scripted", "-- expect --\ncontains that\n-- reply --\nDONE: one\n", 1, 1, []string{
			`\nactdone: \S*s\.txtar:2: ask 1 of lane main: `}},
		{"fault", "-- fault status 401 --\nno\n-- reply --\nDONE: one\n", 2, 0, []string{
			` 401 lane main ask 1: fault status 401 `, ` 200 lane main ask 2: reply `}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serveText(t, test.script)
			client := s.client(t)
			for range test.asks {
				client.Ask(t.Context(), "it") // the journal says what came of it
			}
			exit, stderr := s.end()
			assert.Equal(t, test.exit, exit, stderr)
			for _, told := range test.told {
				assert.Regexp(t, told, stderr)
			}
		})
	}
}

// TestServeSecret: neither what a client asks nor its key is told.
func TestServeSecret(t *testing.T) {
	s := serveText(t, "-- expect --\ncontains that\n-- reply --\nDONE: one\n")
	_, err := s.client(t).Ask(t.Context(), "it is "+token+" and\x1b[31m")
	require.NoError(t, err)
	exit, stderr := s.end()
	assert.Equal(t, 1, exit)
	assert.Contains(t, stderr, `it is <secret GitHub token> and\u001b[31m`+"\n")
	assert.NotContains(t, stderr, token)
	assert.NotContains(t, stderr, key)
	assert.NotContains(t, stderr, "\x1b")
}

// TestServeWaiting: an interrupt does not wait for an answer that never comes.
func TestServeWaiting(t *testing.T) {
	s := serveText(t, "-- fault hang after=1 --\nso far\n")
	arrived := make(chan struct{})
	client := s.client(t)
	go func() {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/chat/completions",
			strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"it"}]}`))
		request.Header.Set("Content-Type", "application/json")
		response, err := client.HTTP.Do(request)
		close(arrived)
		if err == nil {
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	}()
	<-arrived
	exit, stderr := s.end()
	assert.Equal(t, 0, exit, stderr)
	assert.Contains(t, stderr, "ask 1: fault hang ")
}

func TestServeUse(t *testing.T) {
	taken := serveText(t, "-- reply --\nDONE: one\n")
	for _, test := range []struct {
		name, script, address, want string
	}{
		{"everywhere", "-- reply --\nDONE: one\n", "0.0.0.0:0", `listen on "0.0.0.0:0": the host is not of the loopback network`},
		{"name", "-- reply --\nDONE: one\n", "example.com:80", "the host is not of the loopback network"},
		{"no-port", "-- reply --\nDONE: one\n", "127.0.0.1", "missing port in address"},
		{"taken", "-- reply --\nDONE: one\n", strings.TrimSuffix(strings.TrimPrefix(taken.base, "http://"), "/v1"), "listen tcp "},
		{"mistake", "-- replies --\n", "127.0.0.1:0", `s.txtar:1: unknown section "replies"`},
		{"unservable", "-- fault error --\nno\n", "127.0.0.1:0", "s.txtar:1: no server can send the fault error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serveText(t, test.script, "--addr", test.address)
			assert.Equal(t, 2, <-s.ended)
			assert.Empty(t, s.base)
			assert.Contains(t, s.stderr.String(), test.want)
		})
	}
	exit, stdout, stderr := call(t, "", "script", "serve")
	assert.Equal(t, 2, exit)
	assert.Empty(t, stdout)
	assert.Equal(t, "actdone: 0 scripts, want one; for example: actdone script serve testdata/count.txtar\n", stderr)
}
