package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// A scripted model gives its replies in order and keeps what it was asked.
type scripted struct {
	replies  []llm.Message
	requests []llm.ChatRequest
}

func (s *scripted) Chat(_ context.Context, r llm.ChatRequest) (llm.Message, error) {
	s.requests = append(s.requests, r)
	if len(s.requests) > len(s.replies) {
		return llm.Message{}, errors.New("all replies used")
	}
	return s.replies[len(s.requests)-1], nil
}

// calls is a reply that runs commands.
func calls(id int, commands ...string) llm.Message {
	m := llm.Message{Role: llm.Assistant}
	for i, command := range commands {
		arguments, _ := json.Marshal(map[string]string{"command": command}) // strings can be encoded
		m.Calls = append(m.Calls, llm.ToolCall{ID: strconv.Itoa(id) + "-" + strconv.Itoa(i), Name: "bash", Arguments: string(arguments)})
	}
	return m
}

func answer(text string) llm.Message { return llm.Message{Role: llm.Assistant, Text: text} }

var questions = []string{
	"create hello.py that prints Hello, World!",
	"list all Python files here",
	"what is the current git branch?",
	"create test_output with three files in it",
}

// newModel returns a model that does the four exercises.
func newModel() *scripted {
	return &scripted{replies: []llm.Message{
		calls(1, `echo 'print("Hello, World!")' >hello.py`, "cat hello.py"), // two in one reply
		answer("hello.py is there."),
		calls(2, "ls *.py"),
		answer("hello.py"),
		calls(3, "git symbolic-ref --short HEAD"),
		answer("trunk"),
		calls(4, "mkdir test_output && touch test_output/{a,b,c}"),
		answer("test_output holds a, b and c."),
	}}
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

// checkDone checks what the exercises leave behind, and what the model was shown.
func checkDone(t *testing.T, dir string, model *scripted) {
	hello, err := os.ReadFile(filepath.Join(dir, "hello.py"))
	require.NoError(t, err)
	assert.Equal(t, "print(\"Hello, World!\")\n", string(hello))
	for _, name := range []string{"a", "b", "c"} {
		assert.FileExists(t, filepath.Join(dir, "test_output", name))
	}
	require.Len(t, model.requests, len(model.replies))
	var shown []string
	before := ""
	for _, r := range model.requests {
		text := llm.Render(r.Messages)
		assert.True(t, strings.HasPrefix(text, before), "the conversation only grows")
		before = text
	}
	for _, m := range model.requests[len(model.requests)-1].Messages {
		if m.Role == llm.ToolResult {
			shown = append(shown, m.CallID+": "+m.Text)
		}
	}
	assert.Equal(t, []string{"1-0: (no output)", `1-1: print("Hello, World!")`, "2-0: hello.py", "3-0: trunk", "4-0: (no output)"}, shown)
}

func TestWrittenOut(t *testing.T) {
	dir, bash := newFolder(t)
	model := newModel()
	var messages []llm.Message
	for i, question := range questions {
		messages = append(messages, llm.Message{Role: llm.User, Text: question})
		var text string
		var err error
		text, messages, err = writtenOut(t.Context(), model, bash, messages)
		require.NoError(t, err)
		assert.Equal(t, model.replies[2*i+1].Text, text)
	}
	checkDone(t, dir, model)
}

func TestNative(t *testing.T) {
	dir, bash := newFolder(t)
	model := newModel()
	var steps []react.Step
	for i, question := range questions {
		result, err := native(model, bash).Run(t.Context(), question, steps...)
		require.NoError(t, err)
		assert.Equal(t, model.replies[2*i+1].Text, result.Answer)
		steps = result.Steps
	}
	checkDone(t, dir, model)
}

// TestLength holds the loop to what is said of it.
func TestLength(t *testing.T) {
	source, err := os.ReadFile("loop.go")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(source), "\nfunc writtenOut")
	body, _, _ = strings.Cut(body, "\n}\n")
	assert.Less(t, strings.Count(body, "\n")+2, 30)
}
