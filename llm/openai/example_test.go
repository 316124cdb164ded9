package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

func ExampleClient() {
	// A server at home, or in a test.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Hello "}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"there."},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer server.Close()

	model := &openai.Client{BaseURL: server.URL + "/v1", Model: "qwen3"}
	ctx := llm.WithTrace(context.Background(), &llm.Trace{
		Delta: func(text string) { fmt.Printf("piece: %q\n", text) },
		Usage: func(u llm.Usage) { fmt.Printf("tokens: %d in, %d out\n", u.Prompt, u.Reply) },
	})
	reply, err := model.Ask(ctx, "Say hello.")
	fmt.Println(reply, err)
	// Output:
	// piece: "Hello "
	// piece: "there."
	// tokens: 5 in, 2 out
	// Hello there. <nil>
}

func ExampleClient_Chat() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"weather","arguments":""}}]}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Rome\"}"}}]}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer server.Close()

	model := &openai.Client{BaseURL: server.URL + "/v1", Model: "qwen3"}
	reply, err := model.Chat(context.Background(), llm.ChatRequest{
		Messages: []llm.Message{{Role: llm.User, Text: "How warm is it in Rome?"}},
		Tools: []llm.ToolSpec{{
			Name:        "weather",
			Description: "today's weather in a city",
			Schema:      []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
		}},
	})
	fmt.Println(reply.Calls, err)
	// Output:
	// [{c1 weather {"city":"Rome"}}] <nil>
}
