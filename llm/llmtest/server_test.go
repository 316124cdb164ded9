package llmtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// clientOf returns our client for a served script.
func clientOf(s *llmtest.Server) *openai.Client {
	return &openai.Client{BaseURL: s.BaseURL(), Key: "none", Model: "m", HTTP: s.Client(), Seed: 1}
}

// scripted returns the player of a script file's text.
func scripted(t *testing.T, text string) *llmtest.Player {
	t.Helper()
	s, err := script.Parse("x.txtar", []byte(text))
	require.NoError(t, err)
	p := llmtest.Script(t)
	p.Script = s
	return p
}

// TestServerOnLoopback serves a script to a client that needs a network.
func TestServerOnLoopback(t *testing.T) {
	p := llmtest.Script(t, "ACT: look x", llmtest.Status(503), "DONE: 2")
	p.Script.API = "text"
	s := llmtest.NewServer(t, p)
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+/v1$`, s.BaseURL())
	assert.Equal(t, s.BaseURL(), s.URL()+"/v1")
	resp, err := http.Get(s.BaseURL() + "/models")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	look := tools.Tool{Name: "look", Call: func(context.Context, string) (string, error) { return "2", nil }}
	result, err := react.Loop{LLM: clientOf(s), Tools: []tools.Tool{look}}.Run(t.Context(), "go")
	require.NoError(t, err)
	assert.Equal(t, "2", result.Answer)
	llmtest.Asked(t, p, 3)
	assert.Equal(t, []int{200, 200, 503, 200}, codes(s))
}

func codes(s *llmtest.Server) []int {
	var all []int
	for _, call := range s.Calls() {
		all = append(all, call.Code)
	}
	return all
}

const slow = `-- script --
api text
-- fault status 429 retry-after=20s --
-- reply delay=10s gap=1s chunk=1 --
ACT: look x
-- fault status 503 --
-- fault reset after=0 --
-- reply delay=30s --
DONE: 2
`

// TestServerFakeTime waits for more than a minute, and logs how little of real
// time that takes.
func TestServerFakeTime(t *testing.T) {
	for _, plain := range []bool{false, true} {
		began := time.Now()
		llmtest.Bubble(t, func(t *testing.T) {
			s := llmtest.NewServer(t, scripted(t, slow)).InMemory()
			model := clientOf(s)
			model.Plain = plain
			start := time.Now()
			look := tools.Tool{Name: "look", Call: func(context.Context, string) (string, error) { return "2", nil }}
			result, err := react.Loop{LLM: model, Tools: []tools.Tool{look}}.Run(t.Context(), "go")
			require.NoError(t, err)
			assert.Equal(t, "2", result.Answer)
			assert.Greater(t, time.Since(start), time.Minute)
		})
		t.Logf("plain %v: %v", plain, time.Since(began))
	}
}

// TestServerHangs is closed though a client still waits.
func TestServerHangs(t *testing.T) {
	for _, fault := range []string{"timeout", "hang after=1"} {
		llmtest.Bubble(t, func(t *testing.T) {
			var asking sync.WaitGroup
			t.Cleanup(asking.Wait) // once the server is closed
			model := clientOf(llmtest.NewServer(t, scripted(t, "-- fault "+fault+" --\n")).InMemory())
			model.Tries = 1
			asking.Go(func() {
				_, err := model.Ask(context.Background(), "go")
				assert.Error(t, err)
			})
			synctest.Wait()
		})
	}
}

// A faultRow is a fault of the table in package script's comment.
type faultRow struct{ fault, text string }

func faultRows() []faultRow {
	return []faultRow{
		{"status 429 retry-after=20s", "slow down"}, {"status 500", ""}, {"status 400", "no such model"}, {"status 401", "who are you?"}, {"status 302", "elsewhere"},
		{"timeout", ""},
		{"hang after=2", "one two three"}, {"hang", "one two three"}, {"hang after=0", "one"},
		{"cut after=2", "one two three"}, {"cut", "one two three"}, {"cut after=0", "one"}, {"cut after=4 chunk=rune", "é🙂 \n\n three"},
		{"reset after=2", "one two three"}, {"reset", "one two three"}, {"reset after=0", "one"},
		{"badjson after=2", "one two three"}, {"badjson after=0", "one"},
		{"errframe after=2", "one two three"}, {"errframe after=0 message=busy", "one"},
		{"empty", ""},
		{"raw type=text/html", "<html>Bad gateway</html>"}, {"raw type=application/json", "[]"}, {"raw", "Ollama is running"},
	}
}

// An outcome is what came of an ask, without what differs by the way it came: the
// words of decoders, the reasons of connections.
type outcome struct {
	reply, deltas string
	err           error
}

func outcomeOf(ctx context.Context, ask func(context.Context) (string, error)) outcome {
	var o outcome
	ctx, cancel := context.WithTimeout(llm.WithTrace(ctx, &llm.Trace{Delta: func(text string) { o.deltas += text }}), time.Minute)
	defer cancel()
	o.reply, o.err = ask(ctx)
	if ctx.Err() != nil && errors.Is(o.err, ctx.Err()) {
		o.err = ctx.Err()
	}
	switch err := o.err.(type) {
	case *llm.TruncatedError:
		cause := error(nil)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			cause = io.ErrUnexpectedEOF
		}
		o.err = &llm.TruncatedError{Text: err.Text, Reason: err.Reason, Err: cause}
	case *llm.DecodeError:
		o.err = &llm.DecodeError{Code: err.Code, Body: err.Body}
	}
	return o
}

// TestParity plays every fault in process and over HTTP: as a stream and whole,
// for prompts and for chats.
func TestParity(t *testing.T) {
	messages := llm.ChatRequest{Messages: []llm.Message{{Role: llm.User, Text: "go"}}}
	for _, row := range faultRows() {
		text := "-- fault " + row.fault + " --\n"
		if row.text != "" {
			text += row.text + "\n"
		}
		for _, chat := range []bool{false, true} {
			ask := func(model interface {
				llm.Asker
				llm.Chatter
			}) func(context.Context) (string, error) {
				return func(ctx context.Context) (string, error) {
					if !chat {
						return model.Ask(ctx, "go")
					}
					m, err := model.Chat(ctx, messages)
					return m.Text, err
				}
			}
			llmtest.Bubble(t, func(t *testing.T) {
				want := outcomeOf(t.Context(), ask(scripted(t, text)))
				assert.NotNil(t, want.err)
				s := llmtest.NewServer(t, scripted(t, text)).InMemory()
				model := clientOf(s)
				model.Tries = 1
				assert.Equal(t, want, outcomeOf(t.Context(), ask(model)), "%s, chat %v", row.fault, chat)
				s = llmtest.NewServer(t, scripted(t, text)).InMemory()
				model = clientOf(s)
				model.Tries, model.Plain = 1, true
				got := outcomeOf(t.Context(), ask(model))
				if cut, ok := got.err.(*llm.DecodeError); ok && strings.HasPrefix(row.fault, "cut") {
					assert.Contains(t, cut.Body, `"message":{"role":"assistant","content":"`)
					cut.Body = ""
				}
				assert.Equal(t, wholly(want), got, "%s, whole, chat %v", row.fault, chat)
			})
		}
	}
}

// wholly returns what differs where the reply comes whole: nothing of it arrives
// before the fault, and one that is cut is no JSON.
func wholly(o outcome) outcome {
	o.deltas = ""
	cut, ok := o.err.(*llm.TruncatedError)
	switch {
	case ok && cut.Err != nil:
		o.err = &llm.TruncatedError{Reason: cut.Reason, Err: cut.Err}
	case ok:
		o.err = &llm.DecodeError{Code: 200}
	}
	return o
}

// TestParityOfReplies plays what is no fault in process and over HTTP.
func TestParityOfReplies(t *testing.T) {
	for _, text := range []string{
		"-- reply in=9 out=3 cached=4 --\nDONE: 2\n\n\n",
		"-- reply chunk=rune split=bytes --\n\n  é🙂\u2028\ttab <b> \\ \"quoted\"\n\n",
		"-- reply finish=length chunk=word --\nhalf a\n",
		"-- reply finish=content_filter --\nno\n",
		"-- reply finish=length --\n",
		"-- reply --\n",
	} {
		for _, plain := range []bool{false, true} {
			llmtest.Bubble(t, func(t *testing.T) {
				want := outcomeOf(t.Context(), func(ctx context.Context) (string, error) { return scripted(t, text).Ask(ctx, "go") })
				model := clientOf(llmtest.NewServer(t, scripted(t, text)).InMemory())
				model.Plain = plain
				assert.Equal(t, want, outcomeOf(t.Context(), func(ctx context.Context) (string, error) { return model.Ask(ctx, "go") }), text)
			})
		}
	}
}

// TestParityOfCalls plays function calls in process and over HTTP.
func TestParityOfCalls(t *testing.T) {
	const text = "-- reply chunk=word in=2 out=1 --\nI look é🙂.\n-- call bash --\n{\"command\": \"é🙂 ls\"}\n-- call list id=mine --\n{}\n-- call x --\n{}\n"
	r := llm.ChatRequest{Messages: []llm.Message{{Role: llm.User, Text: "go"}}, Tools: []llm.ToolSpec{{Name: "bash"}}}
	for _, more := range []string{"", "-- script --\nsplit bytes\n", "-- script --\nchunk rune\nsplit bytes\n"} {
		p := scripted(t, text)
		first, err := p.Chat(t.Context(), r)
		require.NoError(t, err)
		require.Len(t, first.Calls, 3)
		for _, plain := range []bool{false, true} {
			llmtest.Bubble(t, func(t *testing.T) {
				model := clientOf(llmtest.NewServer(t, scripted(t, more+text)).InMemory())
				model.Plain = plain
				got, err := model.Chat(t.Context(), r)
				require.NoError(t, err)
				assert.Equal(t, first, got)
			})
		}
	}
}

// TestServerTellsTheTest fails the test of a client that asks what it must not.
func TestServerTellsTheTest(t *testing.T) {
	told := spyOn(t, "TestIt", func(t *spy) {
		s := llmtest.NewServer(t, llmtest.Script(t, "yes"))
		resp, err := s.Client().Post(s.BaseURL()+"/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"robot","content":"x"}]}`))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, 400, resp.StatusCode)
		_, err = clientOf(s).Ask(context.Background(), "go")
		require.NoError(t, err)
	})
	require.Len(t, told.errors, 1)
	assert.Contains(t, told.errors[0], "request 1 was refused with status 400: messages[0] (robot)")

	told = spyOn(t, "TestIt", func(t *spy) { llmtest.NewServer(t, llmtest.Script(t, llmtest.Fail(1, io.EOF))) })
	require.Len(t, told.errors, 1)
	assert.Contains(t, told.errors[0], "no server can send the fault error")

	told = spyOn(t, "TestIt", func(t *spy) {
		s := llmtest.NewServer(t, llmtest.Script(t))
		s.URL()
		s.InMemory()
	})
	assert.Equal(t, []string{"llmtest: InMemory after the server was asked for its address or its client"}, told.errors)
}
