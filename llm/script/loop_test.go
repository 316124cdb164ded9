package script_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// says is a tool that always says the same.
func says(name, text string) tools.Tool {
	return tools.Tool{Name: name, Usage: "X", Lines: tools.Block, Call: func(context.Context, string) (string, error) { return text, nil }}
}

// TestLoop plays a whole run.
func TestLoop(t *testing.T) {
	for output, want := range map[string]string{
		"2": "",
		"3": `count.txtar:22: ask 3 of lane main: added text differs in observation 2
    --- script
    +++ asked
     ACT: bash ls *.go | wc -l
    -OBS: 2
    +OBS: 3
  step 1 and act 2 are as recorded`,
	} {
		p := &script.Player{Script: open(t, "count")}
		result, err := react.Loop{LLM: p, Tools: []tools.Tool{says("bash", output)}}.Run(t.Context(), p.Script.Task.Text)
		require.NoError(t, err)
		assert.Equal(t, p.Script.Answer.Text, result.Answer)
		if want == "" {
			require.NoError(t, p.Check())
			continue
		}
		require.EqualError(t, p.Check(), want)
	}
}

// TestLoopInstructions changes the instructions: once the goldens are all there,
// that is one message, and one golden to write anew.
func TestLoopInstructions(t *testing.T) {
	run := func(p *script.Player, instructions string) string {
		loop := react.Loop{LLM: p, Tools: []tools.Tool{says("bash", "2")}, Instructions: instructions}
		_, err := loop.Run(t.Context(), p.Script.Task.Text)
		require.NoError(t, err)
		return string(p.Script.Bytes())
	}
	p := &script.Player{Script: open(t, "count"), Update: true}
	run(p, "Act.\nOne move.\n")
	require.NoError(t, p.Check())
	p.Rewrite(true)
	before := string(p.Script.Bytes())
	p = &script.Player{Script: parse(t, before)}
	run(p, "Act.\nTwo moves.\n")
	assert.Contains(t, p.Check().Error(), "ask 1 of lane main: prompt differs in instructions\n")
	assert.Contains(t, p.Check().Error(), "    -One move.\n    +Two moves.\n")
	assert.Contains(t, p.Check().Error(), "nothing else changed: task is as recorded")
	p = &script.Player{Script: parse(t, before), Update: true}
	run(p, "Act.\nTwo moves.\n")
	p.Rewrite(false)
	assert.Equal(t, strings.Replace(before, "One move.", "Two moves.", 1), string(p.Script.Bytes()))
}

// TestLoopLanes runs two agents at once, one of them slow.
func TestLoopLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &script.Player{Script: open(t, "lanes")}
		answers := map[string]string{}
		var all sync.WaitGroup
		var mu sync.Mutex
		for _, region := range []string{"north", "south"} {
			all.Go(func() {
				loop := react.Loop{LLM: p, Tools: []tools.Tool{says("lookup", "12")}}
				result, err := loop.Run(t.Context(), "region: "+region)
				assert.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				answers[region] = result.Answer
			})
		}
		all.Wait()
		require.NoError(t, p.Check())
		assert.Equal(t, map[string]string{"north": "12", "south": "7"}, answers)
	})
}

// TestLoopEarlyStop ends an ask as soon as it holds a move: the answer counts as
// given.
func TestLoopEarlyStop(t *testing.T) {
	p := player(t, "-- reply chunk=line gap=1ms --\nACT: look here\nOBS: invented\nDONE: invented\n-- reply --\nDONE: 2\n")
	look := says("look", "2")
	look.Lines = tools.One
	result, err := react.Loop{LLM: p, Tools: []tools.Tool{look}, EarlyStop: true}.Run(t.Context(), "go")
	require.NoError(t, err)
	assert.Equal(t, "2", result.Answer)
	require.NoError(t, p.Check())
}

// TestLoopErrors keeps the types of errors through the loop.
func TestLoopErrors(t *testing.T) {
	p := player(t, "-- fault status 429 retry-after=3s --\nwait\n")
	_, err := react.Loop{LLM: p}.Run(t.Context(), "go")
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 429, status.Code)
	_, err = react.Loop{LLM: p}.Run(t.Context(), "go")
	var dry *llm.UnexpectedAskError
	require.ErrorAs(t, err, &dry)
	assert.Same(t, dry, p.Check())
}

// TestChat plays a script to code that sends chat requests.
func TestChat(t *testing.T) {
	p := player(t, `-- expect --
tool bash
-- reply --
I look.
-- call bash --
{"command": "ls"}
-- added --
[assistant]
I look.
[call call_1 bash]
{"command": "ls"}
[tool call_1]
main.go
-- call bash --
{}
-- expect --
! model m
-- fault cut --
part
-- reply --
-- expect --
model m
-- reply --
One.
`)
	user := llm.Message{Role: llm.User, Text: "What is here?"}
	r := llm.ChatRequest{Messages: []llm.Message{user}, Tools: []llm.ToolSpec{{Name: "bash"}}}
	m, err := p.Chat(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, llm.Message{Role: llm.Assistant, Text: "I look.", Calls: []llm.ToolCall{{ID: "call_1", Name: "bash", Arguments: `{"command": "ls"}`}}}, m)
	r.Messages = append(r.Messages, m, llm.Message{Role: llm.ToolResult, CallID: "call_1", Text: "main.go"})
	m, err = p.Chat(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "call_2", Name: "bash", Arguments: "{}"}}}, m)
	_, err = p.Chat(t.Context(), r)
	assert.Equal(t, &llm.TruncatedError{Text: "part", Reason: "stream ended without a finish reason"}, err)
	_, err = p.Chat(t.Context(), r)
	require.ErrorIs(t, err, llm.ErrNoReply)
	m, err = p.Chat(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, "One.", m.Text)
	require.EqualError(t, p.Check(), "x.txtar:22: ask 5 of lane main: a request in process names no model; the check model is for scripts that are served")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Chat(ctx, r)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.Chat(t.Context(), r)
	var dry *llm.UnexpectedAskError
	require.ErrorAs(t, err, &dry)
}
