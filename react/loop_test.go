package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func TestLoopPromptsStepByStep(t *testing.T) {
	model := script("I look.\nACT: list .", "Hm.", "ACT: bash\n```\na\nb\n```", "ACT: nope x", "So:\nDONE: 42")
	var r recorder
	loop := react.Loop{LLM: model, Tools: r.tools(), Retries: 1, MaxSteps: 5}
	result, err := loop.Run(t.Context(), "what is it?")
	require.NoError(t, err)
	assert.Equal(t, "42", result.Answer)
	assert.Equal(t, 5, result.Asks)
	require.True(t, strings.HasSuffix(model.Prompts[0], "End of the example.\n\nTASK: what is it?"))
	assert.Equal(t, `

I look.
ACT: list .
OBS: list saw .

REFUSED: Hm.
OBS: error: nothing was run: reply has neither ACT: nor DONE: at the start of a line; write ACT: and a tool, or DONE: and the answer

ACT: bash
`+"```\na\nb\n```"+`
OBS:
`+"```obs\nbash saw a\nb\n```"+`

ACT: nope x
OBS: error: unknown tool nope; tools: bash, read_file, write_file, edit_file, list, glob, grep
NOTE: one reply is left: answer with DONE:`, strings.TrimPrefix(model.Prompts[4], model.Prompts[0]))
	assert.Equal(t, react.Step{Task: "what is it?", Ask: 5, Reply: "So:\nDONE: 42",
		Move: react.Move{Kind: react.Done, Thought: "So:", Answer: "42"}}, result.Steps[4])
}

func TestLoopReportsMistakesFirst(t *testing.T) {
	model := script("DONE: x")
	list := []tools.Tool{say("list", "")}
	for _, c := range []struct {
		loop react.Loop
		want string
	}{
		{react.Loop{Tools: list}, "react: Loop.LLM is nil; set a model, such as an llm.ScriptedLLM"},
		{react.Loop{LLM: model, MaxSteps: -1}, "react: Loop.MaxSteps is -1; zero is the default, negative means nothing"},
		{react.Loop{LLM: model, Retries: -1}, "react: Loop.Retries is -1; zero is the default, negative means nothing"},
		{react.Loop{LLM: model, MaxPrompt: -1}, "react: Loop.MaxPrompt is -1; zero is the default, negative means nothing"},
		{react.Loop{LLM: model, MaxObservation: -1}, "react: Loop.MaxObservation is -1; zero is the default, negative means nothing"},
		{react.Loop{LLM: model, Tools: []tools.Tool{{Name: "x"}}}, `react: tool "x" has no Call`},
		{react.Loop{LLM: model, Tools: append(list, list...)}, `react: two tools are named "list"`},
		{react.Loop{LLM: model, Tools: []tools.Tool{say("", "")}}, "react: a tool has no name"},
		{react.Loop{LLM: model, Tools: []tools.Tool{say("a b", "")}}, `react: tool name "a b" holds blanks or signs that do not show; write it as one word, such as read_file`},
		{react.Loop{LLM: model, Tools: []tools.Tool{say("OBS", "")}}, `react: tool name "OBS" is a label of the protocol`},
		{react.Loop{LLM: model, Tools: []tools.Tool{{Name: "x", Lines: 7, Call: list[0].Call}}}, `react: tool "x" takes Lines(7); want tools.One, tools.Block or tools.Body`},
		{react.Loop{LLM: model, Instructions: "Do.\nTASK: this"}, `react: a line of the instructions, the example or a tool's usage begins with "TASK:"; the task goes to Run`},
		{react.Loop{LLM: model, Example: "TASK: this"}, `react: a line of the instructions, the example or a tool's usage begins with "TASK:"; the task goes to Run`},
	} {
		prior := react.Step{Task: "t", Ask: 1, Move: react.Move{Kind: react.Act, Tool: "x"}, Observation: "o"}
		result, err := c.loop.Run(t.Context(), "t", prior)
		require.EqualError(t, err, c.want)
		assert.Equal(t, []react.Step{prior}, result.Steps, "nothing is lost")
		for step, err := range c.loop.Steps(t.Context(), "t") {
			assert.Empty(t, step)
			require.EqualError(t, err, c.want)
		}
	}
	assert.Empty(t, model.Prompts)
}

func TestLoopSteps(t *testing.T) {
	replies := []string{"ACT: list 1", "ACT: list 2", "DONE: x"}
	list := []tools.Tool{say("list", "a")}
	for broken := 1; broken <= 4; broken++ {
		model := script(replies...)
		var seen []string
		for step, err := range (react.Loop{LLM: model, Tools: list}).Steps(t.Context(), "t") {
			require.NoError(t, err)
			if seen = append(seen, step.Reply); len(seen) == broken {
				break
			}
		}
		assert.Equal(t, replies[:min(broken, 3)], seen)
		assert.Len(t, model.Prompts, min(broken, 3), "breaking out stops the run")
	}
	var seen, failed int
	for _, err := range (react.Loop{LLM: script(replies[:1]...), Tools: list, MaxSteps: 1}).Steps(t.Context(), "t") {
		if err == nil {
			seen++
			continue
		}
		require.ErrorIs(t, err, react.ErrStepLimit)
		failed++
	}
	assert.Equal(t, [2]int{1, 1}, [2]int{seen, failed})
}

func TestLoopRetriesInARow(t *testing.T) {
	list := []tools.Tool{say("list", "a"), {Name: "bash", Lines: tools.Block, Call: say("", "b").Call}}
	bad, mendable, good := "hm", "ACT: bash a\nb", "ACT: list ."
	for _, c := range []struct {
		name    string
		retries int
		replies []string
		fails   int // at which ask, 0 for not
	}{
		{"none allowed", 0, []string{bad}, 1},
		{"one allowed", 1, []string{bad, "DONE: x"}, 0},
		{"two in a row", 1, []string{bad, bad}, 2},
		{"a good step resets", 1, []string{bad, good, bad, "DONE: x"}, 0},
		{"an unknown tool resets", 1, []string{bad, "ACT: nope", bad, "DONE: x"}, 0},
		{"a mendable act needs none", 0, []string{mendable, mendable, "ACT:", "DONE: x"}, 0},
		{"a mendable act does not reset", 1, []string{bad, mendable, bad}, 3},
		{"empty counts", 1, []string{"", bad}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := react.Loop{LLM: script(c.replies...), Tools: list, Retries: c.retries}.Run(t.Context(), "t")
			if c.fails == 0 {
				require.NoError(t, err)
				assert.Equal(t, "x", result.Answer)
				return
			}
			bad, ok := errors.AsType[*react.ProtocolError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, c.fails, bad.Step)
			require.Len(t, result.Steps, c.fails, "the refused reply is kept")

			again := script("DONE: now")
			loop := react.Loop{LLM: again, Tools: list, Retries: c.retries}
			result, err = loop.Run(t.Context(), "t", result.Steps...)
			require.NoError(t, err)
			assert.Equal(t, c.fails+1, result.Asks)
			assert.Contains(t, again.Prompts[0], "REFUSED:")
		})
	}
}

func TestLoopSaysWhyCut(t *testing.T) {
	for reason, want := range map[string]string{
		"":       "error: nothing was run: the reply was cut off; write the reply again",
		"length": "error: nothing was run: the reply was cut off (length); write a shorter reply",
		"\x1b[31mred\n" + strings.Repeat("q", 500): "error: nothing was run: the reply was cut off (red " + strings.Repeat("q", 71) + "…); write the reply again",
	} {
		cut := llm.AskFunc(func(context.Context, string) (string, error) {
			return "", &llm.TruncatedError{Text: "x", Reason: reason}
		})
		result, err := react.Loop{LLM: after(cut, script("DONE: x")), Retries: 1}.Run(t.Context(), "t")
		require.NoError(t, err)
		assert.Equal(t, want, result.Steps[0].Observation)
	}
}

func TestLoopNotes(t *testing.T) {
	same := "ACT: list ."
	result, err := react.Loop{LLM: script(same, same, same, same, "DONE: x"), Tools: []tools.Tool{say("list", "a")}, MaxSteps: 5}.Run(t.Context(), "t")
	require.NoError(t, err)
	var notes []string
	for _, s := range result.Steps {
		notes = append(notes, s.Note)
	}
	assert.Equal(t, []string{"", "",
		"this act has given the same observation three times in a row; try something else, or answer with DONE:",
		"one reply is left: answer with DONE:", ""}, notes)

	result, err = react.Loop{LLM: script(same, same, same, "DONE: x"), Tools: []tools.Tool{say("list", "a")}, MaxSteps: 4}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, 2, len(strings.Split(result.Steps[2].Note, "\n")))

	model := script("DONE: x")
	_, err = react.Loop{LLM: model, MaxSteps: 1}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.NotContains(t, model.Prompts[0], "NOTE: one", "there is no step before the only reply")
}

func TestLoopContinues(t *testing.T) {
	list := []tools.Tool{say("list", "a")}
	first, err := react.Loop{LLM: script("ACT: list 1", "ACT: list 2"), Tools: list, MaxSteps: 2}.Run(t.Context(), "t")
	require.ErrorIs(t, err, react.ErrStepLimit)

	none := script()
	_, err = react.Loop{LLM: none, Tools: list, MaxSteps: 2}.Run(t.Context(), "t", first.Steps...)
	require.ErrorIs(t, err, react.ErrStepLimit, "their asks count")
	assert.Empty(t, none.Prompts)

	model := script("DONE: x")
	result, err := react.Loop{LLM: model, Tools: list, MaxSteps: 3}.Run(t.Context(), "t", first.Steps...)
	require.NoError(t, err)
	assert.Equal(t, 3, result.Asks)
	assert.Equal(t, "one reply is left: answer with DONE:", result.Steps[0].Note, "said by the first run")
	assert.Equal(t, "one reply is left: answer with DONE:", result.Steps[1].Note, "said by the second")
	assert.Empty(t, first.Steps[1].Note, "the caller's steps stay as they are")

	model = script("DONE: y")
	result, err = react.Loop{LLM: model, Tools: list}.Run(t.Context(), "t", result.Steps...)
	require.NoError(t, err)
	assert.Equal(t, 1, result.Asks, "an answered task is history, the same words are a new task")
	assert.True(t, strings.HasSuffix(model.Prompts[0], "\n\nDONE: x\n\nTASK: t"))
	assert.Len(t, result.Steps, 4)
}

func TestLoopUnknownTools(t *testing.T) {
	list := standardWithCalls()
	for name, want := range map[string]string{
		"red_file":       "error: unknown tool red_file; did you mean read_file?; tools: ",
		"functions.list": "error: unknown tool functions.list; did you mean list?; tools: ",
		"bash(x)":        "error: unknown tool bash(x); did you mean bash?; tools: ",
		"done":           "error: unknown tool done; to end the run, write DONE: and the answer; tools: ",
		"None":           "error: unknown tool None; to end the run, write DONE: and the answer; tools: ",
		"speak":          "error: unknown tool speak; to end the run, write DONE: and the answer; tools: ",
		"a\u200db":       `error: unknown tool "a\u200db"; tools: `,
		"customer":       "error: unknown tool customer; tools: ",
		"ls":             "error: unknown tool ls; did you mean list?; tools: ",
		"read":           "error: unknown tool read; did you mean read_file?; tools: ",
	} {
		result, err := react.Loop{LLM: script("ACT: "+name, "DONE: x"), Tools: list}.Run(t.Context(), "t")
		require.NoError(t, err)
		assert.Equal(t, want+"bash, read_file, write_file, edit_file, list, glob, grep, boom, web, attach", result.Steps[0].Observation)
	}
	result, err := react.Loop{LLM: script("ACT: "+strings.Repeat("x", 5000), "DONE: x")}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Less(t, len(result.Steps[0].Observation), 300)
	assert.Contains(t, result.Steps[0].Observation, "there are no tools; answer with DONE:")
}

func TestLoopInstructionsAndExample(t *testing.T) {
	list := []tools.Tool{{Name: "say", Usage: "TEXT: says it\nloudly", Lines: tools.Body, Call: say("", "").Call}}
	model := script("DONE: x")
	_, err := react.Loop{LLM: model, Tools: list, Instructions: "Rules.\n", Example: "Like this.\n"}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, "Rules.\n\nTools:\n- say TEXT: says it\n  loudly (first line, then a fence)\n\nLike this.\n\nTASK: t", model.Prompts[0])

	model = script("DONE: x")
	_, err = react.Loop{LLM: model, Example: react.NoExample}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, react.Rules+"\n\nTools: none; answer with DONE:\n\nTASK: t", model.Prompts[0])
}

func TestLoopParts(t *testing.T) {
	var got [][]llm.Part
	replies := []string{"ACT: list .", "hm", "DONE: x"}
	model := llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
		parts := llm.ContextParts(ctx)
		got = append(got, parts)
		assert.Equal(t, len(prompt), parts[len(parts)-1].End)
		return replies[len(got)-1], nil
	})
	loop := react.Loop{LLM: model, Tools: []tools.Tool{say("list", "a")}, Retries: 1}
	result, err := loop.Run(t.Context(), "t")
	require.NoError(t, err)
	var names []string
	for _, p := range got[2] {
		names = append(names, string(p.Role)+" "+p.Name)
	}
	assert.Equal(t, []string{"system instructions", "user task", "assistant act 1", "user observation 1", "user refused 2", "user observation 2"}, names)
	assert.Equal(t, got[2][:4], got[1], "earlier parts do not move")

	tr, err := loop.Transcript("u", result.Steps...)
	require.NoError(t, err)
	assert.Equal(t, "answer 3", tr.Parts()[6].Name)
	assert.Equal(t, llm.Part{Role: llm.User, Name: "task", End: tr.Parts()[7].End}, tr.Parts()[7])
}

func TestLoopResultAsJSON(t *testing.T) {
	var r recorder
	result, err := react.Loop{LLM: script(eventful...), Tools: r.tools(), Retries: 1, MaxSteps: 11}.Run(t.Context(), "t")
	require.NoError(t, err)
	data, err := json.Marshal(result)
	require.NoError(t, err)
	var back react.Result
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, result, back)
	again, err := json.Marshal(back)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(again))
	assert.Contains(t, string(data), `"lines":"block"`)
}

func TestResultWandered(t *testing.T) {
	for asks, want := range map[int]bool{1: false, 5: false, 6: true, 15: true} {
		assert.Equal(t, want, react.Result{Asks: asks, Limit: 15}.Wandered(), "%d asks", asks)
	}
	assert.False(t, react.Result{Asks: 1, Limit: 1}.Wandered(), "a straight answer")
}

// TestPromptOfABlock holds how the input of a Block is shown again: on the line
// where it can be, else in the shortest fence that holds it.
func TestPromptOfABlock(t *testing.T) {
	list := []tools.Tool{{Name: "bash", Lines: tools.Block, Call: func(context.Context, string) (string, error) { return "a", nil }}}
	for reply, want := range map[string]string{
		"ACT: bash ls -l":                                "ACT: bash ls -l",
		"ACT: bash\n```\nls -l\n```":                     "ACT: bash ls -l",
		"ACT: bash\n```\n`ls`\n```":                      "ACT: bash\n```\n`ls`\n```",
		"ACT: bash\n```\n  ls\n```":                      "ACT: bash\n```\n  ls\n```",
		"ACT: bash\n```\nls </s>\n```":                   "ACT: bash\n```\nls </s>\n```",
		"ACT: bash\n```\ncat <<A\n```":                   "ACT: bash\n```\ncat <<A\n```",
		"ACT: bash\n```\ncd a\nls\n```":                  "ACT: bash\n```\ncd a\nls\n```",
		"ACT: bash\n`````\ncd a\necho '```' more\n`````": "ACT: bash\n````\ncd a\necho '```' more\n````",
	} {
		model := script(reply, "DONE: x")
		_, err := react.Loop{LLM: model, Tools: list}.Run(t.Context(), "t")
		require.NoError(t, err)
		added := strings.TrimPrefix(model.Prompts[1], model.Prompts[0])
		shown, _, _ := strings.Cut(strings.TrimLeft(added, "\n"), "\nOBS:")
		assert.Equal(t, want, shown, "%q", reply)
	}
}

// TestLoopLimitsExactly holds where the limits begin.
func TestLoopLimitsExactly(t *testing.T) {
	list := []tools.Tool{say("list", "a")}
	model := script("ACT: list", "DONE: x")
	_, err := react.Loop{LLM: model, Tools: list}.Run(t.Context(), "t")
	require.NoError(t, err)
	n := len(model.Prompts[1])
	_, err = react.Loop{LLM: script("ACT: list", "DONE: x"), Tools: list, MaxPrompt: n}.Run(t.Context(), "t")
	require.NoError(t, err)
	_, err = react.Loop{LLM: script("ACT: list", "DONE: x"), Tools: list, MaxPrompt: n - 1}.Run(t.Context(), "t")
	assert.Equal(t, &react.LimitError{Limit: n - 1, Need: n, Err: react.ErrPromptLimit}, err)
	_, err = react.Loop{LLM: script("ACT: list"), Tools: list, MaxSteps: 1}.Run(t.Context(), "t")
	assert.Equal(t, &react.LimitError{Limit: 1, Need: 2, Err: react.ErrStepLimit}, err)
}

// TestLoopPriorRefusals holds that the refusals which a run ended with count when
// it goes on.
func TestLoopPriorRefusals(t *testing.T) {
	before, err := react.Loop{LLM: script("hm"), Retries: 1}.Run(t.Context(), "t")
	require.Error(t, err)
	require.Len(t, before.Steps, 1)
	model := script("hm", "DONE: x")
	_, err = react.Loop{LLM: model, Retries: 1}.Run(t.Context(), "t", before.Steps...)
	_, ok := errors.AsType[*react.ProtocolError](err)
	require.True(t, ok, "%v", err)
	assert.Len(t, model.Prompts, 1)
}

func TestLoopRefusalsOfAnotherTask(t *testing.T) {
	other := react.Step{Task: "other", Ask: 1, Reply: "hm", Refused: "no move", Observation: "error: x"}
	mine := other
	mine.Task = "t"
	loop := react.Loop{LLM: script("hm", "DONE: x"), Retries: 2}
	result, err := loop.Run(t.Context(), "t", other, other, mine)
	require.NoError(t, err)
	assert.Equal(t, 3, result.Asks)
}

func TestLoopPriorSteps(t *testing.T) {
	good := react.Step{Task: "t", Ask: 1, Move: react.Move{Kind: react.Act, Tool: "x"}, Observation: "o"}
	for _, c := range []struct {
		change func(*react.Step)
		want   string
	}{
		{func(s *react.Step) { s.Ask = -5 }, "react: prior step 2: ask -5; they are numbered from 1"},
		{func(s *react.Step) { s.Ask = 0 }, "react: prior step 2: ask 0; they are numbered from 1"},
		{func(s *react.Step) { s.Move.Kind = "odd" }, `react: prior step 2: a move of kind "odd"; want "act", "done" or none`},
		{func(s *react.Step) { s.Move.Lines = 7 }, "react: prior step 2: the move's tool takes Lines(7)"},
		{func(s *react.Step) { s.Task = "\xff" }, "react: prior step 2: invalid UTF-8"},
	} {
		bad := good
		c.change(&bad)
		model := script("DONE: x")
		_, err := react.Loop{LLM: model}.Run(t.Context(), "t", good, bad)
		require.EqualError(t, err, c.want)
		assert.Empty(t, model.Prompts)
	}
}

func TestLoopCancelled(t *testing.T) {
	t.Run("the ask's own failure is kept", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := llm.AskFunc(func(context.Context, string) (string, error) {
			cancel()
			return "", &llm.StatusError{Code: 401}
		})
		_, err := react.Loop{LLM: model}.Run(ctx, "t")
		assertCancelled(t, err, 1)
		status, ok := errors.AsType[*llm.StatusError](err)
		require.True(t, ok)
		assert.Equal(t, 401, status.Code)
	})
	t.Run("cut by the cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := llm.AskFunc(func(context.Context, string) (string, error) {
			cancel()
			return "", &llm.TruncatedError{Text: "ACT: l"}
		})
		result, err := react.Loop{LLM: model, Retries: 3}.Run(ctx, "t")
		assertCancelled(t, err, 1)
		assert.Empty(t, result.Steps)
	})
	t.Run("an Asker that says nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := llm.AskFunc(func(context.Context, string) (string, error) { cancel(); return "", nil })
		result, err := react.Loop{LLM: model}.Run(ctx, "t")
		assertCancelled(t, err, 1)
		assert.Empty(t, result.Steps)
	})
	t.Run("in the last act", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		list := tools.Tool{Name: "list", Call: func(context.Context, string) (string, error) { cancel(); return "a", nil }}
		result, err := react.Loop{LLM: script("ACT: list"), Tools: []tools.Tool{list}, MaxSteps: 1}.Run(ctx, "t")
		assertCancelled(t, err, 2)
		assert.Len(t, result.Steps, 1)
	})
	t.Run("after the answer", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := llm.AskFunc(func(context.Context, string) (string, error) { cancel(); return "DONE: x", nil })
		result, err := react.Loop{LLM: model}.Run(ctx, "t")
		require.NoError(t, err)
		assert.Equal(t, "x", result.Answer)
	})
}

// An oddProtocol breaks the rules of Protocol.
type oddProtocol struct {
	react.ActDone
	move react.Move
	err  error
}

func (p oddProtocol) Parse(reply string, list []tools.Tool) (react.Move, error) {
	if strings.HasPrefix(reply, "DONE") {
		return p.ActDone.Parse(reply, list)
	}
	return p.move, p.err
}
func (oddProtocol) Stop([]tools.Tool) func(string) bool { return nil }

func TestLoopOddProtocol(t *testing.T) {
	for name, p := range map[string]oddProtocol{
		"no cause":     {err: &react.ProtocolError{Reply: "r"}},
		"plain error":  {err: errBroken},
		"unknown kind": {move: react.Move{Kind: "odd", Tool: "list"}},
		"no kind":      {},
	} {
		t.Run(name, func(t *testing.T) {
			model, _ := streamed(2, "hm", "DONE: x")
			loop := react.Loop{LLM: model, Tools: []tools.Tool{say("list", "a")}, Protocol: p, EarlyStop: true, Retries: 1}
			result, err := loop.Run(t.Context(), "t")
			require.NoError(t, err)
			assert.Equal(t, "no move", result.Steps[0].Refused)
		})
	}
	odd := oddProtocol{move: react.Move{Kind: react.Act, Tool: "list", Input: "\xff"}}
	result, err := react.Loop{LLM: script("hm", "DONE: x"), Tools: []tools.Tool{say("list", "a")}, Protocol: odd}.Run(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, "\ufffd", result.Steps[0].Move.Input)
}

func TestTranscriptByHand(t *testing.T) {
	tr, err := react.Loop{Tools: []tools.Tool{{Name: "list"}}}.Transcript("t")
	require.NoError(t, err)
	require.Error(t, tr.Observe("early", nil))
	first, err := tr.Prompt()
	require.NoError(t, err)
	again, err := tr.Prompt()
	require.NoError(t, err)
	assert.Equal(t, first, again, "asking for it changes nothing")

	_, err = tr.Reply("", errBroken)
	require.EqualError(t, err, "ask at step 1: broken")
	move, err := tr.Reply("ACT: list .", nil)
	require.NoError(t, err)
	assert.Equal(t, react.Act, move.Kind)
	_, err = tr.Prompt()
	require.EqualError(t, err, "react: the act of step 1 has no observation yet")
	_, err = tr.Reply("DONE: x", nil)
	require.Error(t, err)
	assert.Empty(t, tr.Steps())
	require.NoError(t, tr.Observe("", nil))
	assert.Equal(t, "(no output)", tr.Steps()[0].Observation)
	move, err = tr.Reply("DONE: x", nil)
	require.NoError(t, err)
	assert.Equal(t, "x", move.Answer)
	_, err = tr.Prompt()
	require.EqualError(t, err, "react: the run has ended with an answer")
	_, err = tr.Reply("DONE: y", nil)
	require.Error(t, err)
	assert.Equal(t, 2, tr.Asks())

	tr, err = react.Loop{MaxSteps: 1, Retries: 5}.Transcript("t")
	require.NoError(t, err)
	_, err = tr.Reply("hm", nil)
	require.NoError(t, err)
	_, err = tr.Reply("hm", nil)
	require.ErrorIs(t, err, react.ErrStepLimit, "also for a driver that does not look at Prompt's error")
}
