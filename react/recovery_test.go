package react_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/react"
)

// TestRecovery lets a model slip in ten ways, a thousand times each, and once
// more in all of them: with two retries the run comes to its answer, and nothing
// runs but what was meant.
func TestRecovery(t *testing.T) {
	for _, slip := range llmtest.Slips() {
		t.Run(strings.ReplaceAll(string(slip), " ", "-"), func(t *testing.T) { recovers(t, slip) })
	}
	t.Run("all", func(t *testing.T) { recovers(t, llmtest.Slips()...) })
}

func recovers(t *testing.T, slips ...llmtest.Slip) {
	replies := []string{
		"I look.\nACT: list .",
		"ACT: read_file a.go",
		"ACT: bash go test ./...",
		"I mend it.\nACT: write_file a.go\n```\npackage a\n```",
		"ACT: bash\n```\ngo vet ./...\ngo test ./...\n```",
		"DONE: mended",
	}
	meant := []string{"list .", "read_file a.go", "bash go test ./...", "write_file a.go\npackage a", "bash go vet ./...\ngo test ./..."}
	const seeds = 1000
	reached, spoilt, wasted := 0, 0, 0
	for seed := range uint64(seeds) {
		script := &llm.ScriptedLLM{Replies: replies}
		model := &llmtest.Chaos{LLM: script, Seed: seed, Slips: slips}
		var r recorder
		result, err := react.Loop{LLM: model, Tools: r.tools(), Retries: 2, MaxSteps: 40}.Run(t.Context(), "mend it")
		require.NotContains(t, fmt.Sprint(r.calls), llmtest.Invented, "seed %d: false run: %q", seed, model.Spoilt())
		spoilt += len(model.Spoilt())
		wasted += result.Asks - len(replies)
		if err == nil && result.Answer == "mended" {
			reached++
			require.Equal(t, meant, r.calls, "seed %d: false run: %q", seed, model.Spoilt())
			require.NoError(t, script.Check())
		}
	}
	t.Logf("%d of %d runs reached the answer; %.1f replies spoilt and %.1f asks wasted a run",
		reached, seeds, float64(spoilt)/seeds, float64(wasted)/seeds)
	assert.GreaterOrEqual(t, reached, seeds*99/100)
}
