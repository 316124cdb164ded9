package react_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func TestLoopTrace(t *testing.T) {
	var events []string
	event := func(format string, args ...any) { events = append(events, fmt.Sprintf(format, args...)) }
	loop := react.Loop{
		LLM:   llm.AskFunc(streamTwo("ACT: list .", "DONE: x")),
		Tools: []tools.Tool{{Name: "list", Call: func(context.Context, string) (string, error) { panic("boom") }}},
		Trace: &react.Trace{
			AskStart: func(n int, prompt string) { event("ask %d", n) },
			Text:     func(n int, piece string) { event("text %q", piece) },
			Retry:    func(n int, err error) { event("retry %v", err) },
			AskDone:  func(n int, reply string, err error, took time.Duration) { event("asked %d %q %v", n, reply, err) },
			ActStart: func(n int, m react.Move) { event("act %s", m.Tool) },
			ActDone: func(n int, m react.Move, took time.Duration, p *tools.PanicError) {
				event("acted %v %t", p, strings.Contains(string(p.Stack), "ask_test.go"))
			},
			Step: func(s react.Step) { event("step %d", s.Ask) },
			End:  func(r react.Result, err error) { event("end %s %v", r.Answer, err) },
		},
	}
	_, err := loop.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"ask 1", `text "AC"`, "retry broken", `text "ACT: list ."`, `asked 1 "ACT: list ." <nil>`,
		"act list", "acted tool list panicked: boom true", "step 1",
		"ask 2", `text "DO"`, "retry broken", `text "DONE: x"`, `asked 2 "DONE: x" <nil>`, "step 2", "end x <nil>",
	}, events)
}

// streamTwo is an Asker that breaks off once in each reply.
func streamTwo(replies ...string) llm.AskFunc {
	asked := 0
	return func(ctx context.Context, _ string) (string, error) {
		trace := llm.ContextTrace(ctx)
		reply := replies[asked]
		asked++
		trace.Delta(reply[:2])
		trace.Retry(errBroken)
		trace.Delta(reply)
		return reply, nil
	}
}

// TestTraceTook is about how long asks and acts took.
func TestTraceTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asks, acts []time.Duration
		replies := script("ACT: wait", "DONE: x")
		model := llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
			time.Sleep(3 * time.Second)
			return replies.Ask(ctx, prompt)
		})
		wait := tools.Tool{Name: "wait", Call: func(context.Context, string) (string, error) { time.Sleep(time.Minute); return "", nil }}
		trace := &react.Trace{
			AskDone: func(_ int, _ string, _ error, took time.Duration) { asks = append(asks, took) },
			ActDone: func(_ int, _ react.Move, took time.Duration, _ *tools.PanicError) { acts = append(acts, took) },
		}
		_, err := react.Loop{LLM: model, Tools: []tools.Tool{wait}, Trace: trace}.Run(t.Context(), "t")
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{3 * time.Second, 3 * time.Second}, asks)
		assert.Equal(t, []time.Duration{time.Minute}, acts)
	})
}

func TestTraceEndsOnce(t *testing.T) {
	ends := 0
	count := &react.Trace{End: func(react.Result, error) { ends++ }}
	for _, end := range deadEnds() {
		end.loop.Trace = count
		_, err := end.loop.Run(t.Context(), "t")
		require.Error(t, err)
	}
	assert.Equal(t, len(deadEnds()), ends)
	for range (react.Loop{LLM: script("ACT: x", "ACT: x"), Trace: count}).Steps(t.Context(), "t") {
		break
	}
	assert.Equal(t, len(deadEnds())+1, ends, "also when the caller breaks out")
}

func TestEarlyStopAfterRetry(t *testing.T) {
	var stopped []int
	var texts []string
	retries, asked := 0, 0
	model := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		trace := llm.ContextTrace(ctx)
		if asked++; asked > 1 {
			return "DONE: x", nil // an Asker that does not stream
		}
		trace.Delta("ACT: read_file wr")
		trace.Retry(errBroken)
		trace.Delta("ACT: list .\nOBS: inv")
		trace.Delta("ented")
		trace.Retry(errBroken)
		return "", ctx.Err()
	})
	var r recorder
	loop := react.Loop{LLM: model, Tools: r.tools(), EarlyStop: true, Trace: &react.Trace{
		Stopped: func(n int) { stopped = append(stopped, n) },
		Text:    func(_ int, piece string) { texts = append(texts, piece) },
		Retry:   func(int, error) { retries++ },
	}}
	result, err := loop.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, []string{"list ."}, r.calls)
	assert.Equal(t, "ACT: list .", result.Steps[0].Reply)
	assert.Equal(t, []int{1}, stopped)
	assert.Equal(t, []string{"ACT: read_file wr", "ACT: list .\nOBS: inv"}, texts, "nothing is told of what comes after the stop")
	assert.Equal(t, 1, retries)
}

func TestLostPrompt(t *testing.T) {
	for _, c := range []struct {
		name   string
		tokens []int
		added  int
		lost   int
	}{
		{"grows", []int{100, 200, 300}, 4000, 0},
		{"unknown", []int{0, 0, 0}, 4000, 0},
		{"unknown in between", []int{100, 0, 200}, 4000, 0},
		{"falls", []int{300, 200, 900}, 10, 2},
		{"falls after an unknown", []int{300, 0, 200}, 10, 3},
		{"stands still", []int{4096, 4096, 4096}, 4000, 2},
		{"stands still for a little text", []int{100, 100, 100}, 10, 0},
		{"stands still while little texts add up", []int{4000, 4096, 4096, 4096}, 1200, 4},
		{"falls by a block of a cache", []int{1000, 950, 1400}, 10, 0},
		{"grows too little", []int{1000, 1010, 1500}, 4000, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			model := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
				llm.ContextTrace(ctx).Usage(llm.Usage{Prompt: c.tokens[asked]})
				asked++
				if asked == len(c.tokens) {
					return "DONE: x", nil
				}
				return "ACT: list .", nil
			})
			var told []int
			trace := &react.Trace{PromptLost: func(l react.LostPrompt) { told = append(told, l.Ask) }}
			result, err := react.Loop{LLM: model, Tools: []tools.Tool{say("list", strings.Repeat("x", c.added))}, Trace: trace}.Run(t.Context(), "t")
			require.NoError(t, err)
			assert.Equal(t, c.lost, result.LostPrompt)
			assert.Equal(t, c.lost != 0, len(told) > 0)
		})
	}
}

// TestLostPromptOfFewBytes holds that many words show it too, in whatever script.
func TestLostPromptOfFewBytes(t *testing.T) {
	for _, word := range []string{"ab ", "नि "} {
		model := script("ACT: list .", "DONE: x")
		counts := llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
			llm.ContextTrace(ctx).Usage(llm.Usage{Prompt: 4096})
			return model.Ask(ctx, prompt)
		})
		result, err := react.Loop{LLM: counts, Tools: []tools.Tool{say("list", strings.Repeat(word, 70))}}.Run(t.Context(), "t")
		require.NoError(t, err)
		assert.Equal(t, 2, result.LostPrompt, "%q", word)
	}
}

// TestStopAtAnInventedObservation tells where a reply that goes on with an
// observation of its own may be stopped.
func TestStopAtAnInventedObservation(t *testing.T) {
	list := []tools.Tool{{Name: "bash", Lines: tools.Block}}
	for reply, want := range map[string]bool{
		"ACT: bash ls\nOBS: a\n":                   true,
		"ACT: bash\n```\nls\n```\nOBS: a\n":        true,
		"```\nx\n```\nACT: bash ls\nOBS: a\n":      true,
		"```\nACT: bash rm\n```\nHm.\n":            false,
		"ACT: bash\n```\nls\nOBS: a\n":             false,
		"Hm.\nOBS: a\nACT: bash ls\n":              false,
		"DONE: x\nOBS: a\n":                        false,
		"DONE\nACT: bash ls\nOBS: a\n":             true,
		"ACT: bash <<EOF\nls\nEOF\nOBS: a\n":       true,
		"ACT: bash <<EOF\nls\nOBS: a\nACT: x\n":    false,
		"<think>\nACT: bash ls\nOBS: a\n":          false,
		"hm</think>\nACT: bash ls\nOBS: a\nb\nc\n": false,
	} {
		stop, stopped := react.ActDone{}.Stop(list), false
		for n := 1; n <= len(reply) && !stopped; n++ {
			stopped = stop(reply[:n])
		}
		assert.Equal(t, want, stopped, "%q", reply)
	}
}

func TestEarlyStopOfAnotherText(t *testing.T) {
	asked := 0
	model := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		trace := llm.ContextTrace(ctx)
		if asked++; asked > 1 {
			return "DONE: x", nil
		}
		trace.Delta("ACT: list ") // a first model breaks off, and nobody says Retry
		trace.Delta("I look.\nACT: read_file b")
		return "I look.\nACT: read_file b", nil
	})
	var r recorder
	_, err := react.Loop{LLM: model, Tools: r.tools(), EarlyStop: true}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, []string{"read_file b"}, r.calls, "what the Asker returned counts")
}

// TestAgentAsAsker asks a whole agent: its own asks are not heard outside.
func TestAgentAsAsker(t *testing.T) {
	inner, _ := streamed(3, "ACT: list inner\nOBS: x", "DONE: ACT: list outer")
	asked := 0
	agent := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		if asked++; asked > 1 {
			return "DONE: x", nil
		}
		result, err := react.Loop{LLM: inner, Tools: []tools.Tool{say("list", "a")}}.Run(llm.WithoutTrace(ctx), "inner task")
		return result.Answer, err
	})
	var r recorder
	_, err := react.Loop{LLM: agent, Tools: r.tools(), EarlyStop: true}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, []string{"list outer"}, r.calls)
}

// TestLateTalk is about an Asker that goes on talking after it has returned.
func TestLateTalk(t *testing.T) {
	var late sync.WaitGroup
	asked := 0
	model := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		if asked++; asked > 3 {
			return "DONE: x", nil
		}
		n, stopped := asked, make(chan struct{})
		late.Go(func() {
			trace := llm.ContextTrace(ctx)
			trace.Delta(fmt.Sprintf("ACT: list %d\n", n))
			close(stopped)
			for range 100 {
				trace.Delta("ACT: list late\n")
				trace.Usage(llm.Usage{Prompt: 1 << 30})
			}
		})
		<-stopped
		return "", ctx.Err()
	})
	var r recorder
	result, err := react.Loop{LLM: model, Tools: r.tools(), EarlyStop: true}.Run(t.Context(), "t")
	require.NoError(t, err)
	late.Wait()
	assert.Equal(t, []string{"list 1", "list 2", "list 3"}, r.calls)
	assert.Len(t, result.Steps, 4)
}

func TestJudgeIsNoLostPrompt(t *testing.T) {
	asked := 0
	model := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		asked++
		llm.ContextTrace(ctx).Usage(llm.Usage{Prompt: 1000 * asked})
		llm.ContextTrace(ctx).Usage(llm.Usage{Prompt: 10}) // a smaller question on the way
		return []string{"ACT: list .", "ACT: list .", "DONE: x"}[asked-1], nil
	})
	result, err := react.Loop{LLM: model, Tools: []tools.Tool{say("list", "a")}}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Zero(t, result.LostPrompt)
}

func TestTraceEndOfABreakAtTheAnswer(t *testing.T) {
	var end error = errBroken
	loop := react.Loop{LLM: script("DONE: x"), Trace: &react.Trace{End: func(_ react.Result, err error) { end = err }}}
	for range loop.Steps(t.Context(), "t") {
		break
	}
	require.NoError(t, end)
	fatal := tools.Tool{Name: "x", Call: func(context.Context, string) (string, error) { return "", tools.Fatal(errBroken) }}
	loop.LLM, loop.Tools = script("ACT: x"), []tools.Tool{fatal}
	for range loop.Steps(t.Context(), "t") {
		break
	}
	require.ErrorIs(t, end, errBroken)
}
