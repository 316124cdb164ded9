package react_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A longRun is a run of n acts, each with an observation of 1 KiB that tells
// which it is, and its prompts in either loop.
type longRun struct {
	prompts []string
	result  react.Result
}

const compactAt = 40 << 10

func longTools() []tools.Tool {
	return []tools.Tool{{Name: "read", Call: func(_ context.Context, input string) (string, error) {
		return "page " + input + ": " + strings.Repeat("x", 1<<10), nil
	}}}
}

func longReplies(n int) []string {
	var replies []string
	for i := range n {
		replies = append(replies, fmt.Sprintf("On.\nACT: read %d", i))
	}
	return append(replies, "DONE: read")
}

func runLoop(t *testing.T, replies []string, prior ...react.Step) longRun {
	model := script(replies...)
	result, err := react.Loop{LLM: model, Tools: longTools(), MaxSteps: 300, Compact: compactAt}.Run(t.Context(), "read\nit all", prior...)
	require.Equal(t, strings.HasPrefix(replies[len(replies)-1], "DONE:"), err == nil, "%v", err)
	return longRun{model.Prompts, result}
}

func runNative(t *testing.T, replies []string, prior ...react.Step) longRun {
	var prompts []string
	inner := react.AsChatter(script(replies...), longTools())
	model := llm.ChatFunc(func(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
		assertValid(t, r.Messages)
		prompts = append(prompts, llm.Render(r.Messages))
		return inner.Chat(ctx, r)
	})
	result, err := react.Native{LLM: model, Tools: longTools(), MaxSteps: 300, Compact: compactAt}.Run(t.Context(), "read\nit all", prior...)
	require.Equal(t, strings.HasPrefix(replies[len(replies)-1], "DONE:"), err == nil, "%v", err)
	return longRun{prompts, result}
}

// TestCompact holds what compaction keeps, and measures over 200 steps how much
// of all prompts still extends the one before.
func TestCompact(t *testing.T) {
	for name, run := range map[string]func(*testing.T, []string, ...react.Step) longRun{"text": runLoop, "native": runNative} {
		t.Run(name, func(t *testing.T) {
			got := run(t, longReplies(200))
			assert.Equal(t, "read", got.result.Answer)
			restarts, all, repeated := 0, 0, 0
			for i, prompt := range got.prompts {
				assert.Less(t, len(prompt), compactAt+4<<10)
				assert.Equal(t, 1, strings.Count(prompt, "read\nit all"), "the task stands in every prompt")
				for last := max(0, i-3); last < i; last++ {
					assert.Contains(t, prompt, fmt.Sprintf("page %d: xxx", last), "prompt %d", i)
				}
				all += len(prompt)
				if i == 0 {
					continue
				}
				if before := got.prompts[i-1]; strings.HasPrefix(prompt, before) {
					repeated += len(before)
				} else {
					restarts++
				}
			}
			assert.Equal(t, all, got.result.PromptBytes)
			assert.Equal(t, repeated, got.result.RepeatedBytes)
			t.Logf("%d prompts, %d restarts, %.1f %% of all bytes extended the prompt before", len(got.prompts), restarts, 100*float64(repeated)/float64(all))
			assert.Greater(t, restarts, 3)
			assert.Greater(t, float64(repeated)/float64(all), 0.85)
			for _, step := range got.result.Steps[:200] {
				assert.Contains(t, step.Observation, "xxx", "steps keep their observations")
			}
		})
	}
}

// A compacted run that is continued asks what it would have asked.
func TestCompactContinued(t *testing.T) {
	for name, run := range map[string]func(*testing.T, []string, ...react.Step) longRun{"text": runLoop, "native": runNative} {
		t.Run(name, func(t *testing.T) {
			replies := longReplies(90)
			whole := run(t, replies)
			for _, cut := range []int{1, 30, 38, 39, 40, 41, 80, 89} {
				half := run(t, replies[:cut])
				rest := run(t, replies[cut:], half.result.Steps...)
				assert.Equal(t, whole.prompts[cut:], rest.prompts, "cut at %d", cut)
			}
		})
	}
}

// Where dropping observations would free little, nothing is dropped: else every
// step would begin a new line of prompts.
func TestCompactOnlyWhereItHelps(t *testing.T) {
	var replies []string
	for range 30 {
		replies = append(replies, strings.Repeat("thought ", 100)+"\nACT: list .")
	}
	model := script(append(replies, "DONE: x")...)
	_, err := react.Loop{LLM: model, Tools: []tools.Tool{say("list", strings.Repeat("y", 80))}, MaxSteps: 40, Compact: 8 << 10}.Run(t.Context(), "x")
	require.NoError(t, err)
	assertGrew(t, model.Prompts)
	_, err = react.Loop{LLM: model, Compact: -1}.Run(t.Context(), "x")
	assert.EqualError(t, err, "react: Loop.Compact is -1; zero is the default, negative means nothing")
}
