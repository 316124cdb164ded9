package openai_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
)

// Two chats that are refused a null at once both learn of it.
func TestChatNullAtOnce(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	model, _ := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n <= 2 {
			both.Done()
			both.Wait()
			raw(400, "text/plain", "content must be a string, not null")(w, r, n)
			return
		}
		stream(whole("ok"))(w, r, n)
	})
	var chats sync.WaitGroup
	for range 2 {
		chats.Go(func() {
			_, err := model.Chat(t.Context(), llm.ChatRequest{Messages: history})
			assert.NoError(t, err)
		})
	}
	chats.Wait()
}

// Anthropic's name for a reply that calls tools, which some proxies pass on.
func TestChatToolUse(t *testing.T) {
	_, reply := chatted(t, t.Context(), nil, streams(delta(`"delta":{"tool_calls":[`+called(`"index":0,"id":"a"`, "time", "{}")+`]}`), finish("tool_use"), end))
	assert.Equal(t, []llm.ToolCall{{ID: "a", Name: "time", Arguments: "{}"}}, reply.Calls)
}
