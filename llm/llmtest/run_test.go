package llmtest_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
)

// An editor is an agent that reads and writes the files of a folder. It has the
// smallest prompt there can be.
func editor(ctx context.Context, model llm.Asker, dir, task string) (string, error) {
	prompt := "TASK: " + task
	for {
		reply, err := model.Ask(ctx, prompt)
		if err != nil {
			return "", err
		}
		if answer, ok := strings.CutPrefix(reply, "DONE: "); ok {
			return answer, nil
		}
		words := strings.SplitN(strings.TrimPrefix(reply, "ACT: "), " ", 3)
		seen := "(no output)"
		switch path := filepath.Join(dir, words[1]); words[0] {
		case "read":
			data, err := os.ReadFile(path)
			if seen = strings.TrimSuffix(string(data), "\n"); err != nil {
				seen = "error: no such file"
			}
		case "write":
			if err := os.WriteFile(path, []byte(words[2]+"\n"), 0o666); err != nil {
				return "", err
			}
		}
		prompt += "\n\n" + reply + "\nOBS: " + seen
	}
}

func edit(c *llmtest.Case) (string, error) {
	return editor(context.Background(), c, c.Dir, c.Task)
}

func TestRun(t *testing.T) {
	llmtest.Run(t, "testdata/run/*.txtar", func(_ *testing.T, c *llmtest.Case) (string, error) { return edit(c) })
}

// write makes a script of text in a folder of its own and returns its path.
func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "x.txtar")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// TestRunFails holds what a run tells that is not as scripted: all of it, in one
// failure.
func TestRunFails(t *testing.T) {
	data, err := os.ReadFile("testdata/run/mend.txtar")
	require.NoError(t, err)
	for _, c := range []struct {
		name     string
		old, new string // what is other in the script
		want     string
	}{
		{"answer", "-- answer --\nmended", "-- answer --\nbetter", `x.txtar:25: the answer is "mended", the script wants "better"`},
		{"no-answer", "-- answer --\nmended\n", "", ""},
		{"after", "-- after a.txt --\nmended", "-- after a.txt --\nbetter",
			"x.txtar:27: after the run a.txt is not as the script has it\n    --- script\n    +++ folder\n    -better\n    +mended"},
		{"missing", "-- after sub/b.txt --", "-- after c.txt --", "x.txtar:29: there is no c.txt after the run"},
		{"error", "-- answer --\nmended\n", "-- error --\ncontains x\n", "x.txtar:25: the run has an answer, the script wants an error"},
		{"left-over", "-- answer --\nmended\n", "-- reply --\nDONE: again\n", `scripted: 1 of 4 replies were not used, from reply 4 (x.txtar:25) on: "DONE: again"; the run ended earlier than scripted`},
		{"too-few", "DONE: mended\n-- answer --\nmended\n", "ACT: read a.txt\n",
			"scripted: ask 4 has no reply (x.txtar:23)\nreplies: 3, all used\nadded since the last ask: \"\\n\\nACT: read a.txt\\nOBS: mended\"\nhint: the last reply is an act; end the script with DONE:"},
		{"drift", "OBS: broken", "OBS: brocken", `x.txtar:13: ask 2 of lane main: added text differs at line 3
    --- script
    +++ asked
     ACT: read a.txt
    -OBS: brocken
    +OBS: broken
  accept with: go test -run 'TestIt$' -llm.update`},
	} {
		t.Run(c.name, func(t *testing.T) {
			quiet(t)
			path := write(t, strings.Replace(string(data), c.old, c.new, 1))
			s := spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, edit) })
			assert.Equal(t, c.want, strings.ReplaceAll(s.text(), filepath.ToSlash(path), "x.txtar"))
			assert.LessOrEqual(t, len(s.errors), 1)
		})
	}
}

// TestRunStops holds what is told when the agent stops the test or panics.
func TestRunStops(t *testing.T) {
	quiet(t)
	path := write(t, "-- reply --\nDONE: x\n")
	s := spyOn(t, "TestIt", func(s *spy) {
		llmtest.Play(s, path, func(*llmtest.Case) (string, error) { s.Fatalf("stop"); return "", nil })
	})
	assert.Equal(t, "stop", s.text())
	require.Len(t, s.logs, 1)
	assert.Contains(t, s.logs[0], "1 of 1 replies were not used")

	s = spyOn(t, "TestIt", func(s *spy) {
		llmtest.Play(s, path, func(*llmtest.Case) (string, error) { panic("the agent is broken") })
	})
	assert.Contains(t, s.text(), "panic: the agent is broken")

	s = spyOn(t, "TestIt", func(s *spy) {
		llmtest.Play(s, path, func(*llmtest.Case) (string, error) { return "", errors.New("no luck") })
	})
	assert.Contains(t, s.text(), "no luck\n")
	assert.Len(t, s.errors, 1)
}

// TestOpenMistake holds that a mistake in a script ends the test with its place.
func TestOpenMistake(t *testing.T) {
	quiet(t)
	path := write(t, "-- reply --\nDONE: x\n-- repyl --\n")
	s := spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, edit) })
	assert.Regexp(t, `x\.txtar:3: `, s.text())
}

// TestComplain holds what Main tells.
func TestComplain(t *testing.T) {
	quiet(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"used.txtar": "-- reply --\nDONE: x\n", "new.txtar": "-- reply --\nDONE: x\n", "other.txtar": "-- go.mod --\n", "x.txt": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, filepath.Join(dir, "used.txtar"), edit) })
	var told strings.Builder
	assert.Equal(t, 1, llmtest.Complain(&told, dir))
	assert.Equal(t, "llmtest: no test opens "+filepath.ToSlash(dir)+"/new.txtar\n", told.String())
	spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, filepath.Join(dir, "new.txtar"), edit) })
	told.Reset()
	assert.Zero(t, llmtest.Complain(&told, dir))
	assert.Empty(t, told.String())

	f := flag.Lookup("llm.record")
	old := f.Value.String()
	defer func() { assert.NoError(t, f.Value.Set(old)) }()
	for re, want := range map[string]string{"new": "", "nwe": "llmtest: -llm.record=nwe matches none of the scripts that were opened\n"} {
		require.NoError(t, f.Value.Set(re))
		told.Reset()
		assert.Equal(t, want != "", llmtest.Complain(&told, dir) == 1)
		assert.Equal(t, want, told.String())
	}
}
