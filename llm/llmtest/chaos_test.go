package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// replies are a run of tools of each kind.
var replies = []string{
	"I look.\nACT: list .",
	"ACT: bash go test ./...",
	"ACT: write_file a.go\n```\npackage a\n```",
	"ACT: bash\n```\ngo vet ./...\ngo test ./...\n```",
	"That is it.\nDONE: mended",
}

// kit returns tools that note what they are called with.
func kit(calls *[]string) []tools.Tool {
	list := []tools.Tool{{Name: "list"}, {Name: "bash", Lines: tools.Block}, {Name: "write_file", Lines: tools.Body}}
	for i, tool := range list {
		list[i].Call = func(_ context.Context, input string) (string, error) {
			*calls = append(*calls, tool.Name+" "+input)
			return "saw " + input + "\nREFUSED: no, this is output", nil
		}
	}
	return list
}

// play lets an agent work with model. It returns what the tools were called with.
func play(t *testing.T, model llm.Asker) ([]string, react.Result, error) {
	t.Helper()
	var calls []string
	result, err := react.Loop{LLM: model, Tools: kit(&calls), Retries: 2, MaxSteps: 40}.Run(t.Context(), "mend it")
	return calls, result, err
}

// TestChaosComesToTheAnswer holds that the replies are used in order, each once,
// and that nothing is run but what they say.
func TestChaosComesToTheAnswer(t *testing.T) {
	meant, _, err := play(t, &llm.ScriptedLLM{Replies: replies})
	require.NoError(t, err)
	require.Len(t, meant, 4)
	for seed := range uint64(300) {
		inner := &llm.ScriptedLLM{Replies: replies}
		model := &llmtest.Chaos{LLM: inner, Seed: seed}
		calls, result, err := play(t, model)
		require.NoError(t, err, "seed %d: %q", seed, model.Spoilt())
		require.Equal(t, meant, calls, "seed %d: %q", seed, model.Spoilt())
		require.Equal(t, "mended", result.Answer)
		require.NoError(t, inner.Check())
	}
}

// TestChaosSlips holds that each slip is what its name says.
func TestChaosSlips(t *testing.T) {
	acts := map[string]string{"one": replies[0], "block": replies[1], "body": replies[2], "fence": replies[3], "done": replies[4]}
	refused := func(err error) map[string]error {
		return map[string]error{"one": err, "block": err, "body": err, "fence": err, "done": err}
	}
	taken := map[string]error{"one": nil, "block": nil, "body": nil, "fence": nil}
	for slip, want := range map[llmtest.Slip]map[string]error{
		llmtest.SlipProse:       refused(react.ErrNoMove),
		llmtest.SlipEmpty:       refused(react.ErrNoMove),
		llmtest.SlipInvented:    taken,
		llmtest.SlipTwoActs:     {"one": nil, "block": react.ErrAmbiguous, "body": react.ErrAmbiguous, "fence": react.ErrAmbiguous},
		llmtest.SlipUnclosed:    refused(react.ErrUnclosed),
		llmtest.SlipUndelimited: refused(react.ErrAmbiguous),
		llmtest.SlipFarewell:    {"one": nil, "block": react.ErrAmbiguous, "body": react.ErrAmbiguous, "fence": react.ErrAmbiguous},
		llmtest.SlipWrongTool:   refused(nil),
		llmtest.SlipTruncated:   refused(nil),
		llmtest.SlipLoneTag:     refused(nil),
	} {
		for kind, good := range acts {
			t.Run(strings.ReplaceAll(string(slip), " ", "-")+"/"+kind, func(t *testing.T) {
				model := &llmtest.Chaos{LLM: llm.Fixed(good), Slips: []llmtest.Slip{slip}, Every: 1}
				reply, err := model.Ask(t.Context(), "p")
				cause, ok := want[kind]
				if !ok {
					assert.Equal(t, good, reply, "an answer cannot be spoilt so")
					assert.Empty(t, model.Spoilt())
					return
				}
				require.Len(t, model.Spoilt(), 1)
				spoilt := model.Spoilt()[0]
				assert.Equal(t, slip, spoilt.Slip)
				if slip == llmtest.SlipTruncated {
					cut, ok := errors.AsType[*llm.TruncatedError](err)
					require.True(t, ok, err)
					assert.Equal(t, spoilt.Reply, cut.Text)
					assert.True(t, strings.HasPrefix(good, cut.Text) && cut.Text != good, cut.Text)
					assert.Empty(t, reply)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, spoilt.Reply, reply)
				assert.Equal(t, slip != llmtest.SlipEmpty, strings.Contains(reply, llmtest.Invented), reply)
				move, err := react.Parse(reply, kit(nil))
				require.ErrorIs(t, err, cause)
				meant, _ := react.Parse(good, kit(nil))
				switch {
				case slip == llmtest.SlipWrongTool:
					assert.False(t, slices.ContainsFunc(kit(nil), func(known tools.Tool) bool { return known.Name == move.Tool }))
				case cause == nil:
					assert.Equal(t, []string{meant.Tool, meant.Input, meant.Answer}, []string{move.Tool, move.Input, move.Answer})
				}
			})
		}
	}
	assert.Len(t, llmtest.Slips(), 10)
}

// TestChaosWantsMoves holds that what is no act is not made one.
func TestChaosWantsMoves(t *testing.T) {
	for _, good := range []string{"hm", "DONE", "```\nACT: list .\n```", "DONE: x\n```\ny", ""} {
		for _, slip := range []llmtest.Slip{llmtest.SlipInvented, llmtest.SlipTwoActs, llmtest.SlipFarewell, llmtest.SlipLoneTag} {
			reply, err := (&llmtest.Chaos{LLM: llm.Fixed(good), Slips: []llmtest.Slip{slip}, Every: 1}).Ask(t.Context(), "p")
			require.NoError(t, err)
			move, err := react.Parse(reply, kit(nil))
			require.NotContains(t, move.Tool+move.Input+move.Answer, llmtest.Invented, "%q: %v", reply, err)
		}
	}
	_, err := (&llmtest.Chaos{LLM: llm.Fixed(""), Slips: []llmtest.Slip{llmtest.SlipTruncated}, Every: 1}).Ask(t.Context(), "p")
	require.Error(t, err)
}

// TestChaosSeed holds that the seed decides, and alone.
func TestChaosSeed(t *testing.T) {
	run := func(seed uint64) []llmtest.Spoilt {
		model := &llmtest.Chaos{LLM: &llm.ScriptedLLM{Replies: replies}, Seed: seed}
		_, _, err := play(t, model)
		require.NoError(t, err)
		return model.Spoilt()
	}
	seen := map[string]bool{}
	for seed := range uint64(20) {
		spoilt := run(seed)
		require.Equal(t, spoilt, run(seed))
		seen[fmt.Sprint(spoilt)] = true
	}
	assert.Greater(t, len(seen), 15)
}

// TestChaosHowOften holds Every and InRow.
func TestChaosHowOften(t *testing.T) {
	count := func(every, inRow int) (spoilt, longest int) {
		model := &llmtest.Chaos{LLM: llm.Fixed(replies[1]), Every: every, InRow: inRow, Slips: []llmtest.Slip{llmtest.SlipProse}}
		row := 0
		for range 3000 {
			reply, err := model.Ask(t.Context(), "p")
			require.NoError(t, err)
			if row++; reply == replies[1] {
				row = 0
			}
			longest = max(longest, row)
		}
		return len(model.Spoilt()), longest
	}
	spoilt, longest := count(0, 0)
	assert.InDelta(t, 920, spoilt, 60, "a third, less what would be the third in a row")
	assert.Equal(t, 2, longest)
	spoilt, longest = count(1, 3)
	assert.Equal(t, []int{2250, 3}, []int{spoilt, longest})
	spoilt, longest = count(10, 1)
	assert.InDelta(t, 275, spoilt, 60)
	assert.Equal(t, 1, longest)
}

// TestChaosHoldsBack holds when the good reply is still to be given, and when the
// next one is.
func TestChaosHoldsBack(t *testing.T) {
	const first, second = "ACT: bash 1", "ACT: bash 2"
	for name, test := range map[string]struct {
		slip llmtest.Slip
		next string // the prompt after "p"
		want string
	}{
		"refused":      {llmtest.SlipFarewell, "p\n\nREFUSED: x\nOBS: error: y", first},
		"taken":        {llmtest.SlipFarewell, "p\n\nACT: bash 1\nOBS: x", second},
		"forged":       {llmtest.SlipFarewell, "p\n\nACT: bash 1\nOBS:\n```obs\n\nREFUSED: x\n```", second},
		"again":        {llmtest.SlipLoneTag, "p", first},
		"not-the-good": {llmtest.SlipWrongTool, "p\n\nACT: INVENTED_tool INVENTED\nOBS: error: unknown tool", first},
	} {
		t.Run(name, func(t *testing.T) {
			inner := &llm.ScriptedLLM{Replies: []string{first, second}}
			model := &llmtest.Chaos{LLM: inner, Slips: []llmtest.Slip{test.slip}, Every: 1, InRow: 1}
			reply, err := model.Ask(t.Context(), "p")
			require.NoError(t, err)
			require.NotEqual(t, first, reply)
			reply, err = model.Ask(t.Context(), test.next)
			require.NoError(t, err)
			assert.Equal(t, test.want, reply)
		})
	}
	inner := &llm.ScriptedLLM{Replies: []string{first, second}}
	model := &llmtest.Chaos{LLM: inner, Slips: []llmtest.Slip{llmtest.SlipProse}, Every: 1, InRow: 1}
	for _, prompt := range []string{"p", "pq", "pq\nr", "p\nr"} {
		_, err := model.Ask(t.Context(), prompt)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"p", "pq"}, inner.Prompts, "two conversations, each of which got what it was owed")

	inner = &llm.ScriptedLLM{Replies: []string{first, second}}
	model = &llmtest.Chaos{LLM: inner, Slips: []llmtest.Slip{llmtest.SlipProse}, Every: 1, InRow: 2}
	var given []string
	for _, prompt := range []string{"p\nq", "p", "p\nq\nr", "p\nq\nr\ns", "p\nr", "p\nr\ns"} {
		reply, err := model.Ask(t.Context(), prompt)
		require.NoError(t, err)
		given = append(given, reply)
	}
	assert.Equal(t, []string{first, second}, []string{given[3], given[5]}, "it goes on from the longest")
}

// TestChaosErrors holds that errors pass through and that a cancelled ask uses
// nothing.
func TestChaosErrors(t *testing.T) {
	inner := &llm.ScriptedLLM{Replies: []string{"ACT: list ."}}
	model := &llmtest.Chaos{LLM: inner, Every: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := model.Ask(ctx, "p")
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, inner.Prompts)
	assert.Empty(t, model.Spoilt())

	_, err = model.Ask(t.Context(), "p")
	require.True(t, err == nil || len(model.Spoilt()) == 1)
	_, err = model.Ask(ctx, "p") // whose reply is held back
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, model.Spoilt(), 1)
	model.Spoilt()[0].Ask = 7
	assert.Equal(t, 1, model.Spoilt()[0].Ask, "the list is the caller's; a cancelled ask has no number")

	busy := &llm.StatusError{Code: 503}
	failing := llm.AskFunc(func(context.Context, string) (string, error) { return "half", busy })
	reply, err := (&llmtest.Chaos{LLM: failing, Every: 1}).Ask(t.Context(), "p")
	assert.Equal(t, "half", reply)
	assert.Same(t, busy, err)

	_, err = (&llmtest.Chaos{}).Ask(t.Context(), "p")
	require.EqualError(t, err, "llmtest: Chaos.LLM is nil")
	_, err = (&llmtest.Chaos{LLM: inner, Slips: []llmtest.Slip{"yawn"}}).Ask(t.Context(), "p")
	require.EqualError(t, err, `llmtest: Chaos.Slips holds "yawn", which is none`)
	_, err = (&llmtest.Chaos{LLM: inner, InRow: -1}).Ask(t.Context(), "p")
	require.EqualError(t, err, "llmtest: Chaos.Every and Chaos.InRow must not be negative: 0, -1")
	assert.Len(t, inner.Prompts, 1)
}

// TestChaosCuts holds that characters are not cut in two.
func TestChaosCuts(t *testing.T) {
	model := &llmtest.Chaos{LLM: llm.Fixed("查询天气"), Slips: []llmtest.Slip{llmtest.SlipTruncated}, Every: 1, InRow: 50}
	lengths := map[int]bool{}
	for range 50 {
		_, err := model.Ask(t.Context(), "p")
		cut, ok := errors.AsType[*llm.TruncatedError](err)
		require.True(t, ok, err)
		lengths[len(cut.Text)] = true
	}
	assert.Equal(t, map[int]bool{0: true, 3: true, 6: true, 9: true}, lengths)
}

// TestChaosTrace holds that who listens hears the reply that is given, not the
// good one, and that the rest of the context reaches LLM.
func TestChaosTrace(t *testing.T) {
	parts := []llm.Part{{Role: llm.User, Name: "task", End: 1}}
	inner := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		assert.Equal(t, parts, llm.ContextParts(ctx))
		trace := llm.ContextTrace(ctx)
		trace.Delta(replies[0])
		trace.Usage(llm.Usage{Prompt: 7})
		return replies[0], nil
	})
	var text string
	var used llm.Usage
	ctx := llm.WithTrace(llm.WithParts(t.Context(), parts), &llm.Trace{
		Delta: func(s string) { text += s },
		Usage: func(u llm.Usage) { used = u },
	})
	reply, err := (&llmtest.Chaos{LLM: inner, Every: 1, Slips: []llmtest.Slip{llmtest.SlipProse}}).Ask(ctx, "p")
	require.NoError(t, err)
	assert.Equal(t, reply, text)
	assert.Equal(t, llm.Usage{Prompt: 7}, used)
}

// TestChaosEarlyStop holds that a loop that listens comes to the same.
func TestChaosEarlyStop(t *testing.T) {
	for seed := range uint64(100) {
		var calls []string
		inner := &llm.ScriptedLLM{Replies: replies}
		model := &llmtest.Chaos{LLM: inner, Seed: seed, Slips: slices.DeleteFunc(llmtest.Slips(), func(s llmtest.Slip) bool { return s == llmtest.SlipLoneTag })}
		result, err := react.Loop{LLM: model, Tools: kit(&calls), Retries: 2, MaxSteps: 40, EarlyStop: true}.Run(t.Context(), "mend it")
		require.NoError(t, err, "seed %d: %q", seed, model.Spoilt())
		require.Equal(t, "mended", result.Answer)
		require.NotContains(t, fmt.Sprint(calls), llmtest.Invented)
		require.NoError(t, inner.Check())
	}
}

// TestChaosConcurrent lets many conversations share one Chaos: each comes to its
// own answer.
func TestChaosConcurrent(t *testing.T) {
	// A model that answers by what it was asked, not in order.
	inner := llm.AskFunc(func(_ context.Context, prompt string) (string, error) {
		_, task, _ := strings.Cut(prompt, "\n\nTASK: ")
		task, run, _ := strings.Cut(task, "\n\n")
		if strings.Contains(run, "\nOBS: saw it") {
			return "DONE: " + task, nil
		}
		return "ACT: look " + task, nil
	})
	model := &llmtest.Chaos{LLM: inner, Every: 2}
	look := tools.Tool{Name: "look", Call: func(_ context.Context, task string) (string, error) { return "saw it: " + task, nil }}
	loop := react.Loop{LLM: model, Tools: []tools.Tool{look}, Retries: 2, MaxSteps: 40}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			task := fmt.Sprint("task ", i)
			result, err := loop.Run(t.Context(), task)
			assert.NoError(t, err)
			assert.Equal(t, task, result.Answer)
		})
	}
	all.Wait()
	assert.NotEmpty(t, model.Spoilt())
}
