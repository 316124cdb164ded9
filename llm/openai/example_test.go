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
