package llmtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// TestSize writes the goldens of thirteen runs of 2 to 14 asks and compares them
// with what a recorder of requests would keep: every prompt, in one line of JSON.
// No line of a golden is longer than those of what was said.
func TestSize(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	t.Chdir(t.TempDir())
	source := strings.Repeat("func half(n int) int { return n / 2 } // of a file that is read\n", 24)
	read := tools.Tool{Name: "read", Call: func(context.Context, string) (string, error) { return source, nil }}
	requests := 0
	for run := range 13 {
		var steps []any
		for i := range run + 1 {
			steps = append(steps, fmt.Sprintf("The next file should say.\nACT: read %d.go", i))
		}
		s := spyOn(t, fmt.Sprint("Run", run), func(s *spy) {
			p := llmtest.Script(s, append(steps, "DONE: half")...)
			_, err := react.Loop{LLM: p, Tools: []tools.Tool{read}}.Run(t.Context(), "What does it do?")
			require.NoError(t, err)
			llmtest.Golden(s, p)
			for _, prompt := range p.Prompts() {
				requests += len(prompt)
			}
		})
		require.Empty(t, s.errors)
	}
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	require.NoError(t, err)
	require.Len(t, paths, 13)
	goldens, longest := 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		goldens += len(data)
		for line := range strings.Lines(string(data)) {
			longest = max(longest, len(line)-1)
		}
	}
	said := 0
	for line := range strings.Lines(react.Rules + "\n" + react.Example + "\n" + source) {
		said = max(said, len(strings.TrimSuffix(line, "\n")))
	}
	t.Logf("prompts %d bytes, goldens %d bytes (%d%%); longest line %d", requests, goldens, 100*goldens/requests, longest)
	assert.Less(t, float64(goldens), 0.43*float64(requests))
	assert.Equal(t, said, longest)
}
