package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools/workspace"
)

// A chat is a request of Native as the server has noted it.
type chat struct {
	Body struct {
		Stream   bool
		Messages []map[string]any
		Tools    []struct {
			Type     string
			Function struct {
				Name       string
				Parameters map[string]any
			}
		}
	}
}

// chats returns the requests of the test, in order.
func (s *server) chats(t *testing.T) []chat {
	t.Helper()
	resp, err := http.Get(s.url + "/__aimock/journal?path=/v1/chat/completions&testId=" + url.QueryEscape(t.Name()))
	require.NoError(t, err)
	defer resp.Body.Close()
	var all []chat
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&all))
	return all
}

// worked lets a model that calls functions work on the task.
func worked(t *testing.T, model *openai.Client) (o outcome) {
	t.Helper()
	folder, err := workspace.Open(workspace.Config{Dir: project(t)})
	require.NoError(t, err)
	defer folder.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	loop := react.Native{LLM: model, Tools: folder.Tools()}
	o.result, o.err = loop.Run(llm.WithTrace(ctx, &llm.Trace{
		Delta:     func(s string) { o.text += s; o.pieces++ },
		Reasoning: func(s string) { o.reasoning += s },
		Usage:     func(u llm.Usage) { o.used = append(o.used, u) },
	}), task)
	require.NoError(t, ctx.Err(), "in time")
	return o
}

// A nativeRun is what a model of the fixtures does, and what comes of it.
type nativeRun struct {
	model        string
	calls        []llm.ToolCall
	observations []string
	thought      string
	reasoning    string
	content      any // of the message that calls, as it is handed back
}

var nativeRuns = []nativeRun{
	{
		model:        "native-one",
		calls:        []llm.ToolCall{{ID: "call_read", Name: "read_file", Arguments: `{"path": "server.conf"}`}},
		observations: []string{"port = 8080"},
	},
	{
		model: "native-several",
		calls: []llm.ToolCall{
			{ID: "call_list", Name: "list", Arguments: `{}`},
			{ID: "call_read", Name: "read_file", Arguments: `{"path":"server.conf"}`},
			{ID: "call_none", Name: "read_file", Arguments: `{"path":"none.conf"}`},
		},
		observations: []string{"server.conf", "port = 8080", "error: "},
	},
	{
		model:        "native-text",
		calls:        []llm.ToolCall{{ID: "call_read", Name: "read_file", Arguments: `{"path":"server.conf"}`}},
		observations: []string{"port = 8080"},
		thought:      "The config file should say.",
		reasoning:    "A server has a configuration.",
		content:      "The config file should say.",
	},
}

func TestNative(t *testing.T) {
	for _, run := range nativeRuns {
		for name, plain := range map[string]bool{"stream": false, "plain": true} {
			t.Run(run.model+"-"+name, func(t *testing.T) {
				t.Parallel()
				s := shared(t)
				model := client(t, s, run.model)
				model.Plain, model.ReasoningField = plain, "reasoning_content"
				o := worked(t, model)
				require.NoError(t, o.err)
				assert.Equal(t, answer, o.result.Answer)
				run.assertSteps(t, o.result.Steps)
				assert.Equal(t, run.thought+answer, o.text)
				assert.Equal(t, run.reasoning, o.reasoning)
				requests := s.chats(t)
				require.Len(t, requests, 2)
				run.assertRequests(t, requests, plain)
				if run.model == "native-text" {
					assert.Equal(t, []llm.Usage{{Prompt: 100, Reply: 20}, {Prompt: 120, Reply: 9}}, o.used)
				}
			})
		}
	}
}

// assertSteps checks the calls, in order, and the answer behind them.
func (run nativeRun) assertSteps(t *testing.T, steps []react.Step) {
	t.Helper()
	require.Len(t, steps, len(run.calls)+1)
	for i, call := range run.calls {
		assert.Equal(t, call, steps[i].Call)
		assert.Equal(t, react.Act, steps[i].Move.Kind)
		assert.Contains(t, steps[i].Observation, run.observations[i])
		assert.Equal(t, 1, steps[i].Ask)
	}
	assert.Equal(t, run.thought, steps[0].Move.Thought)
	assert.Equal(t, run.reasoning, steps[0].Reasoning)
	assert.Equal(t, react.Done, steps[len(run.calls)].Move.Kind)
}

// assertRequests checks what the server was sent: tools with schemas, and each
// call answered under its ID.
func (run nativeRun) assertRequests(t *testing.T, requests []chat, plain bool) {
	t.Helper()
	for _, request := range requests {
		assert.Equal(t, plain, !request.Body.Stream)
		require.NotEmpty(t, request.Body.Tools)
		for _, tool := range request.Body.Tools {
			assert.Equal(t, "function", tool.Type)
			assert.NotEmpty(t, tool.Function.Name)
			assert.Equal(t, "object", tool.Function.Parameters["type"])
		}
	}
	first, second := requests[0].Body.Messages, requests[1].Body.Messages
	require.Len(t, first, 2)
	assert.Equal(t, map[string]any{"role": "user", "content": task}, first[1])
	require.Len(t, second, len(first)+1+len(run.calls))
	assert.Equal(t, first, second[:2])
	var calls []any
	for i, call := range run.calls {
		calls = append(calls, map[string]any{"id": call.ID, "type": "function",
			"function": map[string]any{"name": call.Name, "arguments": call.Arguments}})
		result := second[3+i]
		assert.Equal(t, "tool", result["role"])
		assert.Equal(t, call.ID, result["tool_call_id"])
		assert.Contains(t, result["content"], run.observations[i])
	}
	reasoning := run.reasoning
	if reasoning == "" {
		reasoning = " "
	}
	assert.Equal(t, map[string]any{"role": "assistant", "content": run.content, "tool_calls": calls, "reasoning_content": reasoning}, second[2])
}

// TestNativeCut: a call of a reply that was cut is never run, however whole it looks.
func TestNativeCut(t *testing.T) {
	for name, plain := range map[string]bool{"stream": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := client(t, shared(t), "native-cut")
			model.Plain = plain
			o := worked(t, model)
			cut, ok := errors.AsType[*llm.TruncatedError](o.err)
			require.True(t, ok, "%v", o.err)
			assert.Equal(t, &llm.TruncatedError{Reason: "length"}, cut)
			require.Len(t, o.result.Steps, 1)
			assert.Equal(t, "truncated", o.result.Steps[0].Refused)
		})
	}
}
