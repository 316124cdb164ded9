package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// The exercises, and their answers. What is called and shown on the way stands in
// testdata/exercises.txtar.
var exercises = []struct{ question, answer string }{
	{"create hello.py that prints Hello, World!", "hello.py is there."},
	{"list all Python files here", "hello.py"},
	{"what is the current git branch?", "trunk"},
	{"create test_output with three files in it", "test_output holds a, b and c."},
}

// newFolder returns a git repository and the bash that works in it.
func newFolder(t *testing.T) (string, tools.Tool) {
	dir := t.TempDir()
	for _, program := range []string{"git", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	require.NoError(t, exec.Command("git", "init", "-q", "-b", "trunk", dir).Run())
	folder, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.AllowAll{}, Runner: workspace.Unconfined{}})
	require.NoError(t, err)
	t.Cleanup(func() { folder.Close() })
	bash, err := bashOf(folder)
	require.NoError(t, err)
	return dir, bash
}

// checkDone checks what the exercises leave behind.
func checkDone(t *testing.T, dir string) {
	hello, err := os.ReadFile(filepath.Join(dir, "hello.py"))
	require.NoError(t, err)
	assert.Equal(t, "print(\"Hello, World!\")\n", string(hello))
	for _, name := range []string{"a", "b", "c"} {
		assert.FileExists(t, filepath.Join(dir, "test_output", name))
	}
}

func TestWrittenOut(t *testing.T) {
	dir, bash := newFolder(t)
	model := llmtest.Open(t, "exercises")
	var messages []llm.Message
	for _, exercise := range exercises {
		messages = append(messages, llm.Message{Role: llm.User, Text: exercise.question})
		var text string
		var err error
		text, messages, err = writtenOut(t.Context(), model, bash, messages)
		require.NoError(t, err)
		assert.Equal(t, exercise.answer, text)
	}
	checkDone(t, dir)
}

func TestNative(t *testing.T) {
	dir, bash := newFolder(t)
	model := llmtest.Open(t, "exercises")
	var steps []react.Step
	for _, exercise := range exercises {
		result, err := native(model, bash).Run(t.Context(), exercise.question, steps...)
		require.NoError(t, err)
		assert.Equal(t, exercise.answer, result.Answer)
		steps = result.Steps
	}
	checkDone(t, dir)
}

// TestLength holds the loop to what is said of it.
func TestLength(t *testing.T) {
	source, err := os.ReadFile("loop.go")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(source), "\nfunc writtenOut")
	body, _, _ = strings.Cut(body, "\n}\n")
	assert.Less(t, strings.Count(body, "\n")+2, 30)
}
