package ci

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/actdone/actdone/internal/clienttest"
)

// goOpenAI is the client that llm/openai is built on, as it is.
type goOpenAI struct {
	client  *openai.Client
	request openai.ChatCompletionRequest
}

func newGoOpenAI(base string, _ int, h *http.Client) client {
	config := openai.DefaultConfig("none")
	config.BaseURL, config.HTTPClient = base, h
	return &goOpenAI{openai.NewClientWithConfig(config), openai.ChatCompletionRequest{
		Model:    "small",
		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "go on"}},
		Tools: []openai.Tool{{Type: "function", Function: &openai.FunctionDefinition{
			Name: "bash", Parameters: map[string]any{"type": "object", "properties": map[string]any{}},
		}}},
	}}
}

func (g *goOpenAI) ask(ctx context.Context, stream bool) clienttest.Turn {
	if stream {
		return g.stream(ctx)
	}
	var turn clienttest.Turn
	reply, err := g.client.CreateChatCompletion(ctx, g.request)
	if err != nil {
		turn.Error = goOpenAIProblem(err)
		turn.Error.RetryAfter = reply.Header().Get("Retry-After")
		return turn
	}
	use(&turn, &reply.Usage)
	for _, choice := range reply.Choices {
		turn.Text, turn.Finish = choice.Message.Content, string(choice.FinishReason)
		addCalls(&turn, choice.Message.ToolCalls)
	}
	return turn
}

// stream puts the pieces of a stream together, as the client's README does it.
func (g *goOpenAI) stream(ctx context.Context) (turn clienttest.Turn) {
	request := g.request
	request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	pieces, err := g.client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		turn.Error = goOpenAIProblem(err)
		return turn
	}
	defer pieces.Close()
	for {
		piece, err := pieces.Recv()
		if errors.Is(err, io.EOF) {
			return turn
		}
		if err != nil {
			turn.Error = goOpenAIProblem(err)
			return turn
		}
		use(&turn, piece.Usage)
		for _, choice := range piece.Choices {
			turn.Text += choice.Delta.Content
			turn.Finish = string(choice.FinishReason)
			addCalls(&turn, choice.Delta.ToolCalls)
		}
	}
}

// addCalls adds calls, or pieces of them.
func addCalls(turn *clienttest.Turn, calls []openai.ToolCall) {
	for i, call := range calls {
		if call.Index != nil {
			i = *call.Index
		}
		for i >= len(turn.Calls) {
			turn.Calls = append(turn.Calls, clienttest.Call{})
		}
		turn.Calls[i].ID += call.ID
		turn.Calls[i].Name += call.Function.Name
		turn.Calls[i].Arguments += call.Function.Arguments
	}
}

func use(turn *clienttest.Turn, u *openai.Usage) {
	if u == nil {
		return
	}
	turn.Usage = [3]int{u.PromptTokens, u.CompletionTokens, 0}
	if u.PromptTokensDetails != nil {
		turn.Usage[2] = u.PromptTokensDetails.CachedTokens
	}
}

func goOpenAIProblem(err error) *clienttest.Problem {
	status, ok := errors.AsType[*openai.APIError](err)
	if !ok || status.HTTPStatusCode == 0 {
		return &clienttest.Problem{Broken: true}
	}
	code, _ := status.Code.(string)
	return &clienttest.Problem{Status: status.HTTPStatusCode, Message: status.Message, Code: code}
}

func (g *goOpenAI) goOn(turn clienttest.Turn) {
	reply := openai.ChatCompletionMessage{Role: "assistant", Content: turn.Text}
	var results []openai.ChatCompletionMessage
	for _, call := range turn.Calls {
		reply.ToolCalls = append(reply.ToolCalls, openai.ToolCall{ID: call.ID, Type: "function",
			Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments}})
		results = append(results, openai.ChatCompletionMessage{Role: "tool", ToolCallID: call.ID, Content: "result of " + call.ID})
	}
	if results == nil {
		results = append(results, openai.ChatCompletionMessage{Role: "user", Content: "go on"})
	}
	g.request.Messages = append(append(g.request.Messages, reply), results...)
}

// TestGoOpenAI serves scripts to go-openai.
func TestGoOpenAI(t *testing.T) { each(t, newGoOpenAI, wantGoOpenAI) }

// wantGoOpenAI knows that this client never tries again, and that it loses the
// header of an error where it asks for a stream.
func wantGoOpenAI(c clienttest.Case, stream bool) []clienttest.Turn {
	want := slices.Clone(c.Turns(stream))
	if c.Retries > 0 {
		limit := &clienttest.Problem{Status: 429, Message: "Rate limit reached for requests", Code: "rate_limit_exceeded", RetryAfter: "1"}
		want = slices.Insert(want, 0, clienttest.Turn{Error: limit})
	}
	for i := range want {
		if stream && want[i].Error != nil {
			headless := *want[i].Error
			headless.RetryAfter = ""
			want[i].Error = &headless
		}
	}
	return want
}
