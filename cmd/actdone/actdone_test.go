package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

// call runs actdone in this process.
func call(t *testing.T, stdin string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return exit, out.String(), errs.String()
}

func TestWithoutBash(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	t.Setenv("PATH", t.TempDir())

	exit, stdout, stderr := call(t, "", "demo")
	assert.Equal(t, 1, exit)
	assert.Empty(t, stdout)
	assert.Equal(t, "actdone: the demo needs bash: open workspace: no bash on this system; the bash tool is off\n", stderr)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)

	exit, stdout, stderr = call(t, "", "tools")
	assert.Equal(t, 0, exit)
	assert.NotContains(t, stdout, "bash")
	assert.Contains(t, stdout, "read_file (one line)\n")
	assert.Contains(t, stderr, "actdone: without bash: ")
}

// TestDemoScript checks that what the demo shows is what it says it shows.
func TestDemoScript(t *testing.T) {
	s, err := script.Parse("demo.txtar", demoScript)
	require.NoError(t, err)
	assert.NotEmpty(t, s.Task)
	assert.NotEmpty(t, s.Files)
	steps := s.Lanes[0].Steps
	assert.Contains(t, steps[len(steps)-1].Reply.Text, "DONE: "+s.Answer.Text)
}

// TestBuiltin checks the tools that parse knows against those there are.
func TestBuiltin(t *testing.T) {
	folder, err := openFolder(t.TempDir(), true)
	if err != nil {
		t.Skip(err)
	}
	defer folder.Close()
	known := map[string]string{}
	for _, tool := range builtin {
		known[tool.Name] = tool.Lines.String()
	}
	for _, tool := range folder.Tools() {
		assert.Equal(t, tool.Lines.String(), known[tool.Name], tool.Name)
	}
}

func TestParseHuge(t *testing.T) {
	huge := strings.Repeat("x", maxInput+1)
	data, err := readInput("-", strings.NewReader(huge[1:]))
	require.NoError(t, err)
	assert.Len(t, data, maxInput)
	exit, stdout, stderr := call(t, huge, "parse")
	assert.Equal(t, 2, exit)
	assert.Empty(t, stdout)
	assert.Equal(t, "actdone: standard input: more than 16 MiB, too much for a reply or script\n", stderr)
}

// TestPromptExact compares the prompt printed with that of a run.
func TestPromptExact(t *testing.T) {
	dir := t.TempDir()
	folder, err := openFolder(dir, false)
	require.NoError(t, err)
	defer folder.Close()
	transcript, err := react.Loop{Tools: folder.Tools()}.Transcript("two\nlines")
	require.NoError(t, err)
	want, err := transcript.Prompt()
	require.NoError(t, err)
	exit, stdout, stderr := call(t, "", "prompt", "-C", dir, "two\nlines")
	assert.Equal(t, 0, exit)
	assert.Equal(t, want+"\n", stdout)
	assert.Empty(t, stderr)
}

func TestRemarks(t *testing.T) {
	for _, test := range []struct {
		name   string
		result react.Result
		err    error
		want   string
	}{
		{"straight", react.Result{Asks: 5, Limit: 15}, nil, ""},
		{"wandered", react.Result{Asks: 6, Limit: 15}, nil, "actdone: the run took 6 of 15 asks, more than a third: a sign of tools or instructions that do not fit the task\n"},
		{"failed", react.Result{Asks: 15, Limit: 15}, react.ErrStepLimit, ""},
		{"lost", react.Result{Asks: 3, Limit: 15, LostPrompt: 2}, nil, "actdone: the server dropped part of the prompt at ask 2 without saying so: its context is too small for this run\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			remarks(&stderr, test.result, test.err)
			assert.Equal(t, test.want, stderr.String())
		})
	}
}

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"/tmp/a":       "/tmp/a",
		"Why does it?": "'Why does it?'",
		"don't":        `'don'\''t'`,
		"":             "''",
	} {
		assert.Equal(t, want, quoted(text))
	}
}
