package main

import (
	"context"
	"errors"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/tools"
)

// writtenOut is an agent without package react, whole: send the messages; run the
// tools that the reply calls and answer each call under its id; stop when a
// reply calls none. It returns the answer and the messages, which the next
// question goes on from.
func writtenOut(ctx context.Context, model llm.Chatter, bash tools.Tool, messages []llm.Message) (string, []llm.Message, error) {
	specs := []llm.ToolSpec{{Name: bash.Name, Description: bash.Usage, Schema: bash.Schema}}
	for range 15 {
		reply, err := model.Chat(ctx, llm.ChatRequest{Messages: messages, Tools: specs})
		if err != nil {
			return "", messages, err
		}
		messages = append(messages, reply)
		if len(reply.Calls) == 0 {
			return reply.Text, messages, nil
		}
		for _, call := range reply.Calls {
			output, err := "", errors.New("unknown tool "+call.Name)
			if call.Name == bash.Name {
				output, err = bash.Do(ctx, call.Arguments)
			}
			if err != nil {
				output = "error: " + err.Error() + "\n" + output
			}
			messages = append(messages, llm.Message{Role: llm.ToolResult, CallID: call.ID, Text: output})
		}
	}
	return "", messages, errors.New("no answer after 15 asks")
}
