package workspace_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools/workspace"
)

// TestRunsAreAlike plays one script in two folders: prompts and steps are equal,
// byte for byte, so nothing of the folder, the clock or a process shows in them.
func TestRunsAreAlike(t *testing.T) {
	play := func() (prompts []string, steps string) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "src"), 0o755))
		for name, text := range map[string]string{"src/a.go": "package a\n\nvar x = 1\n", "notes.txt": "one\n", ".env": "KEY=1\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		w, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.AllowAll{}, Runner: workspace.Unconfined{}})
		require.NoError(t, err)
		defer w.Close()
		model := &llm.ScriptedLLM{Replies: []string{
			"ACT: list depth=2 .",
			"ACT: read_file src/a.go",
			"ACT: read_file .env",
			"ACT: read_file ../up",
			"ACT: read_file nots.txt",
			"ACT: bash\n```\ncat notes.txt src/a.go\necho more >>notes.txt\nfalse\n```",
			"ACT: bash sleep 999 & echo started",
			"ACT: bash cat nowhere",
			"ACT: list .",
			"DONE: all seen",
		}}
		result, err := react.Loop{LLM: model, Tools: w.Tools()}.Run(t.Context(), "look round")
		require.NoError(t, err)
		require.NoError(t, model.Check())
		data, err := json.Marshal(result)
		require.NoError(t, err)
		assert.NotContains(t, string(data), dir)
		return model.Prompts, string(data)
	}
	prompts, steps := play()
	againPrompts, againSteps := play()
	assert.Equal(t, prompts, againPrompts)
	assert.Equal(t, steps, againSteps)
}
