package ci

import (
	"context"
	"errors"
	"net/http"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/actdone/actdone/internal/clienttest"
)

// official is OpenAI's own client for Go.
type official struct {
	openai.Client
	params openai.ChatCompletionNewParams
}

func newOfficial(base string, retries int, h *http.Client) client {
	return &official{
		openai.NewClient(option.WithBaseURL(base), option.WithAPIKey("none"), option.WithMaxRetries(retries), option.WithHTTPClient(h)),
		openai.ChatCompletionNewParams{
			Model:    "small",
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("go on")},
			Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
				Name: "bash", Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{}},
			})},
		},
	}
}

func (o *official) ask(ctx context.Context, stream bool) clienttest.Turn {
	var reply openai.ChatCompletion
	var err error
	if stream {
		reply, err = o.stream(ctx)
	} else if whole, failed := o.Chat.Completions.New(ctx, o.params); failed != nil {
		err = failed
	} else {
		reply = *whole
	}
	turn := clienttest.Turn{Error: officialProblem(err)}
	turn.Usage = [3]int{int(reply.Usage.PromptTokens), int(reply.Usage.CompletionTokens), int(reply.Usage.PromptTokensDetails.CachedTokens)}
	if len(reply.Choices) > 0 {
		choice := reply.Choices[0]
		turn.Text, turn.Finish = choice.Message.Content, choice.FinishReason
		for _, call := range choice.Message.ToolCalls {
			turn.Calls = append(turn.Calls, clienttest.Call{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
		}
	}
	return turn
}

// stream puts the pieces of a stream together, as the client's README does it.
func (o *official) stream(ctx context.Context) (openai.ChatCompletion, error) {
	params := o.params
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	pieces := o.Chat.Completions.NewStreaming(ctx, params)
	defer pieces.Close()
	var all openai.ChatCompletionAccumulator
	for pieces.Next() {
		all.AddChunk(pieces.Current())
	}
	return all.ChatCompletion, pieces.Err()
}

func officialProblem(err error) *clienttest.Problem {
	if err == nil {
		return nil
	}
	status, ok := errors.AsType[*openai.Error](err)
	if !ok || status.StatusCode == 0 {
		return &clienttest.Problem{Broken: true}
	}
	return &clienttest.Problem{Status: status.StatusCode, Message: status.Message, Code: status.Code, RetryAfter: status.Response.Header.Get("Retry-After")}
}

func (o *official) goOn(turn clienttest.Turn) {
	reply := openai.ChatCompletionAssistantMessageParam{}
	if turn.Text != "" {
		reply.Content.OfString = openai.String(turn.Text)
	}
	var results []openai.ChatCompletionMessageParamUnion
	for _, call := range turn.Calls {
		reply.ToolCalls = append(reply.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: call.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: call.Arguments},
		}})
		results = append(results, openai.ToolMessage("result of "+call.ID, call.ID))
	}
	if results == nil {
		results = append(results, openai.UserMessage("go on"))
	}
	o.params.Messages = append(o.params.Messages, openai.ChatCompletionMessageParamUnion{OfAssistant: &reply})
	o.params.Messages = append(o.params.Messages, results...)
}

// TestOfficialClient serves scripts to OpenAI's own client for Go.
func TestOfficialClient(t *testing.T) { each(t, newOfficial, clienttest.Case.Turns) }
