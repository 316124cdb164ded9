package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools/workspace"
)

// key is a key that no message may hold.
const key = "sk-e2e-0123456789"

const (
	task   = "Which port does the server use?"
	answer = "the server listens on 8080"
)

// An outcome is all that is known of a run.
type outcome struct {
	result    react.Result
	err       error
	prompts   []string
	text      string // as it was streamed
	pieces    int
	reasoning string
	used      []llm.Usage
	retries   []error
}

// client returns a client of one model, whose requests carry the test's name.
func client(t *testing.T, s *server, model string) *openai.Client {
	return &openai.Client{
		BaseURL: s.url + "/v1",
		Model:   model,
		Key:     key,
		Header:  map[string]openai.Secret{"X-Test-Id": openai.Secret(t.Name())},
		Tries:   1,
	}
}

// project returns a folder to look for the answer in.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server.conf"), []byte("# the server\nport = 8080\n"), 0o600))
	return dir
}

// agent lets the model work on the task.
func agent(t *testing.T, model *openai.Client, retries int) outcome {
	t.Helper()
	folder, err := workspace.Open(workspace.Config{Dir: project(t)})
	require.NoError(t, err)
	defer folder.Close()
	var o outcome
	loop := react.Loop{LLM: model, Tools: folder.Tools(), Retries: retries, Trace: &react.Trace{
		AskStart: func(_ int, prompt string) { o.prompts = append(o.prompts, prompt) },
	}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	o.result, o.err = loop.Run(llm.WithTrace(ctx, &llm.Trace{
		Delta:     func(s string) { o.text += s; o.pieces++ },
		Reasoning: func(s string) { o.reasoning += s },
		Usage:     func(u llm.Usage) { o.used = append(o.used, u) },
		Retry:     func(err error) { o.retries = append(o.retries, err) },
	}), task)
	require.NoError(t, ctx.Err(), "in time")
	if o.err != nil {
		assert.NotContains(t, o.err.Error(), key)
	}
	return o
}

// answered checks that the run went as it should, and that the server saw each
// prompt whole.
func (o outcome) answered(t *testing.T, s *server, sent int) []request {
	t.Helper()
	require.NoError(t, o.err)
	assert.Equal(t, answer, o.result.Answer)
	assert.Len(t, o.result.Steps, 2)
	assert.Zero(t, o.result.LostPrompt)
	require.Len(t, o.prompts, 2)
	requests := s.journal(t, t.Name())
	require.Len(t, requests, sent)
	last := requests[sent-2:]
	for i, prompt := range o.prompts {
		assert.Equal(t, prompt, last[i].text())
	}
	return last
}

func TestStreaming(t *testing.T) {
	t.Parallel()
	s := shared(t)
	o := agent(t, client(t, s, "any"), 0)
	requests := o.answered(t, s, 2)
	assert.True(t, requests[0].Body.Stream)
	assert.Equal(t, []string{"system", "user"}, requests[0].roles())
	assert.Equal(t, []string{"system", "user", "assistant", "user"}, requests[1].roles())
	assert.Equal(t, "The config file should say.\nACT: read_file server.conf"+"It says so in line 2.\nDONE: "+answer, o.text)
	assert.Greater(t, o.pieces, 4)
	assert.Equal(t, []llm.Usage{{Prompt: 400, Reply: 12}, {Prompt: 420, Reply: 14}}, o.used)
}

func TestPlain(t *testing.T) {
	t.Parallel()
	s := shared(t)
	model := client(t, s, "any")
	model.Plain = true
	o := agent(t, model, 0)
	requests := o.answered(t, s, 2)
	assert.False(t, requests[0].Body.Stream)
	assert.Equal(t, []llm.Usage{{Prompt: 400, Reply: 12}, {Prompt: 420, Reply: 14}}, o.used)
}

func TestOneMessage(t *testing.T) {
	t.Parallel()
	s := shared(t)
	model := client(t, s, "any")
	model.OneMessage = true
	o := agent(t, model, 0)
	requests := o.answered(t, s, 2)
	assert.Equal(t, []string{"user"}, requests[1].roles())
}

func TestReasoning(t *testing.T) {
	t.Parallel()
	s := shared(t)
	o := agent(t, client(t, s, "thinker"), 0)
	o.answered(t, s, 2)
	assert.Equal(t, "A server has a configuration. ACT: bash rm -r everything", o.reasoning)
	assert.NotContains(t, o.prompts[1], "everything")
}

// TestBusy: the server says 429 and how long to wait, then answers.
func TestBusy(t *testing.T) {
	t.Parallel()
	s := shared(t)
	model := client(t, s, "busy")
	model.Tries = 2
	started := time.Now()
	o := agent(t, model, 0)
	o.answered(t, s, 3)
	assert.GreaterOrEqual(t, time.Since(started), time.Second, "Retry-After: 1")
	require.Len(t, o.retries, 1)
	status, ok := errors.AsType[*llm.StatusError](o.retries[0])
	require.True(t, ok, "%v", o.retries[0])
	assert.Equal(t, &llm.StatusError{Code: 429, Message: "Rate limit reached", RetryAfter: time.Second}, status)
}

// TestCut: a reply that was cut is never run, however whole it looks.
func TestCut(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for _, plain := range []bool{false, true} {
		model := client(t, s, "cut")
		model.Plain = plain
		o := agent(t, model, 1)
		cut, ok := errors.AsType[*llm.TruncatedError](o.err)
		require.True(t, ok, "%v", o.err)
		assert.Equal(t, &llm.TruncatedError{Text: "ACT: bash rm -r build", Reason: "length"}, cut)
		assert.Len(t, o.result.Steps, 2)
		assert.Equal(t, "truncated", o.result.Steps[0].Refused)
	}
}

// TestSevered: the connection is lost in the middle of a stream.
func TestSevered(t *testing.T) {
	t.Parallel()
	o := agent(t, client(t, shared(t), "severed"), 0)
	cut, ok := errors.AsType[*llm.TruncatedError](o.err)
	require.True(t, ok, "%v", o.err)
	assert.NotEmpty(t, cut.Text)
	assert.ErrorIs(t, o.err, io.ErrUnexpectedEOF)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for _, test := range []struct {
		model string
		want  llm.StatusError
	}{
		{"gone", llm.StatusError{Code: 404, Message: "The model `gone` does not exist"}},
		{"locked", llm.StatusError{Code: 401, Message: "Incorrect API key provided: [secret]"}},
		{"small", llm.StatusError{Code: 400, Message: "This model's maximum context length is 64 tokens"}},
	} {
		t.Run(test.model, func(t *testing.T) {
			model := client(t, s, test.model)
			model.Tries = 4
			o := agent(t, model, 2)
			status, ok := errors.AsType[*llm.StatusError](o.err)
			require.True(t, ok, "%v", o.err)
			assert.Equal(t, test.want, *status)
			assert.Len(t, s.journal(t, t.Name()), 1, "not asked again")
		})
	}
}

// broken reports whether err is one of the errors by which a client may end.
func broken(err error) bool {
	if _, ok := errors.AsType[*react.AskError](err); !ok {
		_, ok := errors.AsType[*react.ProtocolError](err)
		return ok
	}
	_, status := errors.AsType[*llm.StatusError](err)
	_, decode := errors.AsType[*llm.DecodeError](err)
	_, cut := errors.AsType[*llm.TruncatedError](err)
	return status || decode || cut || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || reset(err)
}

// The ways in which the server can misbehave, each always.
var faults = []struct {
	name   string
	flag   string
	config map[string]any
	check  func(*testing.T, error)
}{
	{"drop", "--chaos-drop", map[string]any{"dropRate": 1}, func(t *testing.T, err error) {
		status, ok := errors.AsType[*llm.StatusError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, &llm.StatusError{Code: 500, Message: "Chaos: request dropped"}, status)
	}},
	{"malformed", "--chaos-malformed", map[string]any{"malformedRate": 1}, func(t *testing.T, err error) {
		decode, ok := errors.AsType[*llm.DecodeError](err)
		require.True(t, ok, "%v", err)
		assert.Contains(t, decode.Body, "<<<chaos>>>")
	}},
	{"disconnect", "--chaos-disconnect", map[string]any{"disconnectRate": 1}, func(t *testing.T, err error) {
		_, ok := errors.AsType[*llm.ConnectionError](err)
		assert.True(t, ok, "%v", err)
		assert.True(t, broken(err), "%v", err)
	}},
	{"ratelimit", "--chaos-ratelimit", map[string]any{"rateLimitRate": 1}, func(t *testing.T, err error) {
		status, ok := errors.AsType[*llm.StatusError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, 429, status.Code)
	}},
}

// TestChaosFlags: servers that misbehave from the start.
func TestChaosFlags(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			o := agent(t, client(t, start(t, fault.flag, "1"), "any"), 2)
			fault.check(t, o.err)
			assert.Empty(t, o.result.Steps)
		})
	}
}

// TestChaosSwitched: a server that begins and ceases to misbehave.
func TestChaosSwitched(t *testing.T) {
	for _, fault := range faults {
		for _, plain := range []bool{false, true} {
			t.Run(fault.name+map[bool]string{true: "-plain"}[plain], func(t *testing.T) {
				t.Parallel()
				s := shared(t)
				s.chaos(t, t.Name(), fault.config)
				model := client(t, s, "any")
				model.Plain = plain
				o := agent(t, model, 2)
				fault.check(t, o.err)
				none := map[string]any{}
				for name := range fault.config {
					none[name] = 0
				}
				s.chaos(t, t.Name(), none)
				o = agent(t, model, 2)
				require.NoError(t, o.err)
				assert.Equal(t, answer, o.result.Answer)
			})
		}
	}
}

// TestLatency: a slow server is waited for, but no longer than asked to.
func TestLatency(t *testing.T) {
	t.Parallel()
	s := start(t, "--chaos-latency", "300")
	agent(t, client(t, s, "any"), 0).answered(t, s, 2)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	result, err := react.Loop{LLM: client(t, s, "any")}.Run(ctx, task)
	_, ok := errors.AsType[*react.CancelError](err)
	assert.True(t, ok, "%v", err)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Empty(t, result.Steps)

	silent := client(t, s, "any")
	silent.MaxSilence = 50 * time.Millisecond
	o := agent(t, silent, 0)
	assert.ErrorContains(t, o.err, "server sent nothing for 50ms")
}

// TestStorm: whatever a server does, in whatever order, a run ends with an answer
// or an error that says what happened.
func TestStorm(t *testing.T) {
	t.Parallel()
	s := shared(t)
	s.chaos(t, t.Name(), map[string]any{"dropRate": 0.15, "malformedRate": 0.15, "disconnectRate": 0.2, "latencyMs": 5})
	var ends []string
	for range 20 {
		o := agent(t, client(t, s, "any"), 0)
		if o.err == nil {
			assert.Equal(t, answer, o.result.Answer)
			continue
		}
		assert.True(t, broken(o.err), "%v", o.err)
		ends = append(ends, o.err.Error())
	}
	slices.Sort(ends)
	t.Logf("%d of 20 runs failed: %q", len(ends), slices.Compact(ends))
}
