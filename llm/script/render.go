package script

import (
	"fmt"
	"strings"

	"github.com/actdone/actdone/llm"
)

// Render returns the text that stands for a chat request, which is what the
// checks and goldens of a script see of it: [llm.Render] less the final newline.
// Its form is frozen, since it stands in goldens. The parts are the messages.
func Render(messages []llm.Message) (string, []llm.Part) {
	var b strings.Builder
	parts := make([]llm.Part, 0, len(messages))
	for i, m := range messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSuffix(llm.Render([]llm.Message{m}), "\n"))
		label := string(m.Role)
		if m.CallID != "" {
			label += " " + m.CallID
		}
		parts = append(parts, llm.Part{Role: m.Role, Name: fmt.Sprintf("message %d (%s)", i+1, label), End: b.Len()})
	}
	return b.String(), parts
}
