package scripted

import (
	"testing"

	"github.com/actdone/actdone/llm/llmtest"
)

// TestTriage plays each script in testdata: what the model says stands there,
// and what it must be asked.
func TestTriage(t *testing.T) {
	llmtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *llmtest.Case) (string, error) {
		return Triage(t.Context(), c, In(c.Dir), c.Task)
	})
}

// TestMain fails for a script that no test plays.
func TestMain(m *testing.M) { llmtest.Main(m) }
