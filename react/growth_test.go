package react_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/internal/growthtest"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// TestGrowth holds that a run of one reply takes time in proportion to its
// length, whatever task, reply and output are. What parsing and rendering alone
// take is tested beside the dialects, for all protocols.
func TestGrowth(t *testing.T) {
	for name, text := range growthtest.Texts {
		t.Run(name, func(t *testing.T) {
			growthtest.Linear(t, growthtest.Writing, func(size int) func() {
				long := text(size)
				return func() { live(t, long) }
			})
		})
	}
}

// live plays a run in which everything that others write is text.
func live(t *testing.T, text string) {
	loop := react.Loop{Tools: standardTools(), Retries: 1, MaxSteps: 3, MaxObservation: 1 << 30}
	tr, err := loop.Transcript(text)
	require.NoError(t, err)
	for _, reply := range []string{text, "ACT: list ."} {
		_, err := tr.Prompt()
		require.NoError(t, err)
		move, err := tr.Reply(reply, nil)
		require.NoError(t, err)
		switch move.Kind {
		case react.Done:
			return
		case react.Act:
			require.NoError(t, tr.Observe(text, nil))
		}
	}
	_, err = tr.Prompt()
	require.NoError(t, err)
}

// TestGrowthOfUnknownTool is about a long name that no tool has: it is compared
// with the names of all tools.
func TestGrowthOfUnknownTool(t *testing.T) {
	var list []tools.Tool
	for i := range 100 {
		list = append(list, say(fmt.Sprintf("tool%d", i), ""))
	}
	growthtest.Linear(t, growthtest.Writing, func(size int) func() {
		name := strings.Repeat("a_", size/2)
		return func() {
			result, err := react.Loop{LLM: script("ACT: "+name, "DONE: x"), Tools: list}.Run(t.Context(), "t")
			require.NoError(t, err)
			assert.Contains(t, result.Steps[0].Observation, "error: unknown tool a_a_")
		}
	})
}
