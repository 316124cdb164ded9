package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
)

func ask(t *testing.T, a llm.Asker, prompt string) string {
	t.Helper()
	reply, err := a.Ask(t.Context(), prompt)
	require.NoError(t, err)
	return reply
}

func TestScriptedInOrder(t *testing.T) {
	model := &llm.ScriptedLLM{Replies: []string{"one", "", "two"}}
	assert.Equal(t, "one", ask(t, model, "a"))
	assert.Equal(t, []string{"", "two"}, model.Left())
	assert.Empty(t, ask(t, model, "a\nb"))
	var unused *llm.UnusedRepliesError
	require.ErrorAs(t, model.Check(), &unused)
	assert.Equal(t, []string{"two"}, unused.Replies)
	assert.EqualError(t, unused, `scripted: 1 of 3 replies were not used, from reply 3 on: "two"; the run ended earlier than scripted`)
	assert.Equal(t, "two", ask(t, model, "a\nb\nc"))
	require.NoError(t, model.Check())
	assert.Nil(t, model.Left())
	assert.Equal(t, []string{"a", "a\nb", "a\nb\nc"}, model.Prompts)
}

func TestScriptedRunsDry(t *testing.T) {
	for _, c := range []struct {
		name, last, added string
		hint              string
	}{
		{"no move", "I think", "\n\nREFUSED: I think", "the last reply has neither ACT: nor DONE:, so it was refused and asked for again"},
		{"another protocol", "GET a", "\n\nGET a: 1", "the agent asks more often than the script answers; add replies, or give each run a script of its own"},
		{"error", "ACT: rm x", "\n\nACT: rm x\nOBS: error: unknown tool rm", "the last observation is an error, so the run did not go as scripted"},
		{"error and nothing else", "ACT: rm x", "\nOBS: error: unknown tool rm", "the last observation is an error, so the run did not go as scripted"},
		{"error in a fence", "ACT: rm x", "\n\nACT: rm x\nOBS:\n```obs\nerror: a\nb\n```", "the last observation is an error, so the run did not go as scripted"},
		{"act", "ACT: ls", "\n\nACT: ls\nOBS: a", "the last reply is an act; end the script with DONE:"},
		{"act and done", "ACT: ls\nDONE: x", "\n\nACT: ls\nOBS: a", "the last reply has ACT: and DONE:, but a reply is one move; make DONE: a reply of its own"},
		{"done", "DONE: x", "\n\nmore", "the agent asks more often than the script answers; add replies, or give each run a script of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &llm.ScriptedLLM{Replies: []string{c.last}}
			ask(t, model, "p")
			for n := 2; n <= 3; n++ {
				reply, err := model.Ask(t.Context(), "p"+c.added)
				assert.Empty(t, reply)
				var dry *llm.UnexpectedAskError
				require.ErrorAs(t, err, &dry)
				if n == 3 {
					assert.Equal(t, 3, dry.Ask)
					break
				}
				assert.Equal(t, llm.UnexpectedAskError{Ask: 2, Replies: 1, Prompt: "p" + c.added, Added: c.added, LastReply: c.last}, *dry)
				want := fmt.Sprintf("scripted: ask 2 has no reply\nreplies: 1, used\nadded since the last ask: %q\nhint: %s", c.added, c.hint)
				require.EqualError(t, err, want)
			}
			assert.Len(t, model.Prompts, 3)
		})
	}
	_, err := new(llm.ScriptedLLM).Ask(t.Context(), "p")
	require.EqualError(t, err, "scripted: ask 1 has no reply\nreplies: none were given\nadded since the last ask: \"p\"\nhint: set Replies before the first ask")
}

func TestScriptedErrorNamesThePlace(t *testing.T) {
	err := &llm.UnexpectedAskError{Ask: 4, Replies: 3, LastReply: "DONE: x", At: "testdata/x.txtar:31"}
	assert.Contains(t, err.Error(), "scripted: ask 4 has no reply (testdata/x.txtar:31)\nreplies: 3, all used\n")
	assert.EqualError(t, &llm.UnusedRepliesError{}, `scripted: 0 of 0 replies were not used, from reply 1 on: ""; the run ended earlier than scripted`)
	unused := &llm.UnusedRepliesError{Replies: []string{"a", "b"}, Of: 4, At: []string{"x.txtar:3", "x.txtar:5"}}
	assert.Equal(t, `scripted: 2 of 4 replies were not used, from reply 3 (x.txtar:3) on: "a"; the run ended earlier than scripted`, unused.Error())
}

func TestScriptedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	model := &llm.ScriptedLLM{Replies: []string{"a"}}
	_, err := model.Ask(ctx, "p")
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, model.Prompts)
	assert.Equal(t, "a", ask(t, model, "p"))
	require.NoError(t, model.Check())
}

func TestScriptedShared(t *testing.T) {
	for _, c := range []struct {
		name    string
		prompts []string
		shared  bool
	}{
		{"one conversation", []string{"a", "a1", "a12"}, false},
		{"one after another", []string{"a", "a1", "b", "b1"}, false},
		{"same task twice", []string{"a", "a\n1", "a", "a\n1"}, false},
		{"a retry", []string{"a", "a", "a1", "a1"}, false},
		{"by turns", []string{"a", "b", "a1"}, true},
		{"by turns later", []string{"a", "a1", "b", "b1", "a12"}, true},
		{"same task by turns", []string{"a", "a", "a\n1", "a\n2"}, true},
		{"a longer task", []string{"i\n\nTASK: foo", "i\n\nTASK: zoo", "i\n\nTASK: foo bar"}, false},
		{"tasks by turns", []string{"i\n\nTASK: foo", "i\n\nTASK: zoo", "i\n\nTASK: foo\n\nACT: x"}, true},
		{"nothing at first", []string{"", "a", "b"}, false},
		{"history of an answered run", []string{"a (done)", "b", "a (done)\n\nTASK: c"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &llm.ScriptedLLM{}
			for _, p := range c.prompts {
				reply := "ACT: r"
				if strings.Contains(p, "(done)") {
					reply = "Good.\nDONE: r"
				}
				model.Replies = append(model.Replies, reply)
				assert.Equal(t, reply, ask(t, model, p))
			}
			var shared *llm.ConcurrentAskError
			assert.Equal(t, c.shared, errors.As(model.Check(), &shared))
			if c.shared {
				assert.Equal(t, c.prompts[shared.Ask-1], shared.Prompt)
				assert.Contains(t, shared.Error(), fmt.Sprintf("ask %d (ending %q) goes on from ask %d, but ask %d was another's (ending %q)",
					shared.Ask, shared.Prompt, shared.Extends, shared.Ask-1, c.prompts[shared.Ask-2]))
				if assert.Positive(t, shared.Extends) {
					assert.True(t, strings.HasPrefix(shared.Prompt, c.prompts[shared.Extends-1]), "ask %d goes on from ask %d", shared.Ask, shared.Extends)
				}
				assert.Contains(t, shared.Error(), "a ScriptedLLM of its own")
			}
		})
	}
}

// TestScriptedSharedPastItsEnd asks by turns where there are no replies left: only
// that is reported.
func TestScriptedSharedPastItsEnd(t *testing.T) {
	model := &llm.ScriptedLLM{}
	for _, prompt := range []string{"a", "b", "a1"} {
		_, err := model.Ask(t.Context(), prompt)
		var dry *llm.UnexpectedAskError
		require.ErrorAs(t, err, &dry)
	}
	require.NoError(t, model.Check())
}

func TestScriptedConcurrent(t *testing.T) {
	model := &llm.ScriptedLLM{Replies: strings.Split(strings.Repeat("r", 50), "")}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { _, _ = model.Ask(t.Context(), fmt.Sprint("p", i, ".")) })
	}
	all.Wait()
	require.NoError(t, model.Check())
	assert.Len(t, model.Prompts, 50)
}

func TestFixed(t *testing.T) {
	model := llm.Fixed("DONE: 42")
	assert.Equal(t, "DONE: 42", ask(t, model, "a"))
	assert.Equal(t, "DONE: 42", ask(t, model, "b"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := model.Ask(ctx, "c")
	require.ErrorIs(t, err, context.Canceled)
}
