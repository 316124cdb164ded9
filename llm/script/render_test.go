package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// TestRender holds the form that goldens rely on: it must never change.
func TestRender(t *testing.T) {
	messages := []llm.Message{
		{Role: "system", Text: "Be short."},
		{Role: "user", Text: "[user]\n| [tool x]\n[1, 2]\n[a]\nlines\n"},
		{Role: "assistant", Calls: []llm.ToolCall{{ID: "call_1", Name: "bash", Arguments: `{"command":"ls"}`}, {ID: "call_2", Name: "now"}}},
		{Role: "tool", CallID: "call_1", Text: "main.go"},
		{Role: "tool", CallID: "call_2"},
		{Role: "assistant", Text: "Done."},
	}
	want := `[system]
Be short.
[user]
| [user]
| | [tool x]
[1, 2]
[a]
lines

[assistant]
[call call_1 bash]
{"command":"ls"}
[call call_2 now]
[tool call_1]
main.go
[tool call_2]
[assistant]
Done.`
	got, parts := script.Render(messages)
	assert.Equal(t, want, got)
	assert.Equal(t, len(got), parts[5].End)
	assert.Equal(t, "message 4 (tool call_1)", parts[3].Name)
	for n := range messages {
		less, _ := script.Render(messages[:n])
		assert.True(t, strings.HasPrefix(got, less))
		if n > 0 {
			assert.Equal(t, len(less), parts[n-1].End)
		}
	}
}
