package react_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A Chatter of one's own may return a ProtocolError with nothing in it, or with
// any bytes: the step survives JSON and can be continued.
func TestNativeForeignProtocolError(t *testing.T) {
	for _, c := range []struct {
		err           *react.ProtocolError
		reply, said   string
		refused, want string
	}{
		{&react.ProtocolError{}, "", "error: nothing was run: reply has neither ACT: nor DONE: at the start of a line",
			"no move", "step 1: reply has neither ACT: nor DONE: at the start of a line"},
		{&react.ProtocolError{Reply: "a\xff", Err: react.ErrNoMove, Cure: "write a move"}, "a\ufffd",
			"error: nothing was run: reply has neither ACT: nor DONE: at the start of a line; write a move",
			"no move", "step 1: reply has neither ACT: nor DONE: at the start of a line: \"a\ufffd\""},
	} {
		model := &chatScript{replies: []llm.Message{{}}, errs: map[int]error{1: c.err}}
		result, err := react.Native{LLM: model}.Run(t.Context(), "x")
		require.EqualError(t, err, c.want)
		assert.Equal(t, react.Step{Task: "x", Ask: 1, Reply: c.reply, Refused: c.refused, Observation: c.said}, result.Steps[0])
		_, err = react.Native{LLM: chatted(answers("y"))}.Run(t.Context(), "x", result.Steps...)
		assert.NoError(t, err)
	}
}

// A Chatter that is cancelled may return nothing at all: that is no reply.
func TestNativeCancelledWithoutReply(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	nothing := llm.ChatFunc(func(context.Context, llm.ChatRequest) (llm.Message, error) {
		cancel()
		return llm.Message{}, nil
	})
	result, err := react.Native{LLM: nothing}.Run(ctx, "x")
	assert.True(t, found[*react.CancelError](err), "%v", err)
	assert.Empty(t, result.Steps)
}

// What prior steps hold is said in a form that servers take: an answer of
// nothing, which a Loop allows, and calls that no run has made.
func TestNativeOddHistory(t *testing.T) {
	empty, err := react.Loop{LLM: script("DONE:")}.Run(t.Context(), "a")
	require.NoError(t, err)
	odd := react.Step{Task: "b", Ask: 1, Move: react.Move{Kind: react.Act, Tool: "list"}, Observation: "seen",
		Call: llm.ToolCall{ID: "i", Name: "a list", Arguments: "no JSON"}}
	model := chatted(answers("c"))
	_, err = react.Native{LLM: model}.Run(t.Context(), "b", append(empty.Steps, odd)...)
	require.NoError(t, err)
	messages := model.requests[0].Messages
	assertValid(t, messages)
	assert.Equal(t, answers("(no answer)"), messages[2])
	assert.Equal(t, calls("", "i", "a_list", `{"input":"no JSON"}`), messages[4])
}

// A question is one also if it begins like what Native says during a run.
func TestAsChatterQuestionLikeAnError(t *testing.T) {
	const question = "error: nothing was run: what does that mean?"
	model := script("DONE: one", "DONE: two")
	loop := react.Native{LLM: react.AsChatter(model, nil)}
	first, err := loop.Run(t.Context(), "first")
	require.NoError(t, err)
	_, err = loop.Run(t.Context(), question, first.Steps...)
	require.NoError(t, err)
	assert.Contains(t, model.Prompts[1], "\n\nDONE: one\n\nTASK: "+question)
}

// Where nothing can be dropped, the smallest Compact begins no new line of
// prompts either.
func TestCompactSmallest(t *testing.T) {
	var replies []llm.Message
	for i := range 9 {
		replies = append(replies, calls("", "", "list", fmt.Sprintf(`{"input":"%d"}`, i)))
	}
	model := chatted(append(replies, answers("x"))...)
	result, err := react.Native{LLM: model, Tools: []tools.Tool{say("list", "seen")}, Compact: 1}.Run(t.Context(), "x")
	require.NoError(t, err)
	assertOnlyAppended(t, model.requests)
	last := len(llm.Render(model.requests[9].Messages))
	assert.Equal(t, result.PromptBytes-last, result.RepeatedBytes)
}

// Reasoning that comes both beside the text and in it is kept apart.
func TestNativeReasoningTwice(t *testing.T) {
	reply := llm.Message{Role: llm.Assistant, Text: "<think>b</think>c", Reasoning: "a"}
	result, err := react.Native{LLM: chatted(reply)}.Run(t.Context(), "x")
	require.NoError(t, err)
	assert.Equal(t, "c", result.Answer)
	assert.Equal(t, "a\n\nb", result.Steps[0].Reasoning)
}
