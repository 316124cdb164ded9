package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// savedSteps are steps with all fields that there are.
var savedSteps = []react.Step{
	{Task: "a\n<b>", Ask: 1, Reply: "x", Reasoning: "hm",
		Move:        react.Move{Kind: react.Act, Thought: "ü", Tool: "bash", Input: "ls\nls", Lines: tools.Block},
		Call:        llm.ToolCall{ID: "1", Name: "bash", Arguments: `{"command":"ls"}`},
		Observation: "\u2028&", Note: "n"},
	{Task: "a\n<b>", Ask: 2, Refused: "empty", Observation: "error"},
	{Task: "a\n<b>", Ask: 3, Reply: "DONE: 7", Move: react.Move{Kind: react.Done, Answer: "7"}},
}

func TestSteps(t *testing.T) {
	for _, steps := range [][]react.Step{nil, savedSteps} {
		data, err := formatSteps(steps)
		require.NoError(t, err)
		got, err := parseSteps("x", data)
		require.NoError(t, err)
		assert.Equal(t, steps, got)
		got, err = parseSteps("x", data[:len(data)-1]) // the last newline
		require.NoError(t, err)
		assert.Equal(t, steps, got)
	}
}

func TestStepsDamaged(t *testing.T) {
	const first = `{"kind":"actdone steps","version":1}` + "\n"
	const good = `{"task":"a","ask":1,"reply":"","move":{"kind":"done"}}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "x:1: the file is empty; --save writes one"},
		{"text", "hello\n", "x:1: not a file of steps: --save writes one"},
		{"other-json", "[1]\n", "x:1: not a file of steps: --save writes one"},
		{"other-kind", `{"kind":"x","version":1}`, "x:1: not a file of steps: --save writes one"},
		{"version", `{"kind":"actdone steps","version":2}`, "x:1: version 2 of the format; this actdone reads version 1"},
		{"no-version", `{"kind":"actdone steps"}`, "x:1: version 0 of the format; this actdone reads version 1"},
		{"cut", first + good + good[:20], "x:3: the line is damaged: it ends too early"},
		{"cut-at-line", first + good[:20] + "\n" + good, "x:2: the line is damaged: it ends too early"},
		{"blank", first + "\n" + good, "x:2: the line is damaged: it ends too early"},
		{"text-line", first + "steps\n", "x:2: the line is damaged: invalid character 's' looking for beginning of value"},
		{"two", first + "{\"task\":\"a\",\"ask\":1} {}\n", "x:2: the line is damaged: more than one value"},
		{"field", first + good + `{"task":"a","ask":1,"colour":1}`, `x:3: the line is damaged: unknown field "colour"`},
		{"type", first + `{"task":7}`, "x:2: the line is damaged: cannot unmarshal number into Go struct field Step.task of type string"},
		{"no-step", first + "{}\n", "x:2: the line is damaged: ask 0; they are numbered from 1"},
		{"bytes", first + "{\"task\":\"a\xff\",\"ask\":1}\n", "x:2: the line is damaged: invalid UTF-8"},
		{"move", first + `{"task":"a","ask":1,"move":{"kind":"jump"}}`, `x:2: the line is damaged: a move of kind "jump"; want "act", "done" or none`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseSteps("x", []byte(test.text))
			assert.EqualError(t, err, test.want)
		})
	}
}

// TestStepFile: a file is only replaced by one that holds more.
func TestStepFile(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	file, err := newStepFile(name("new"), nil)
	require.NoError(t, err)
	assert.NoFileExists(t, name("new"))
	require.NoError(t, file.write(savedSteps[:1]))
	require.NoError(t, file.write(savedSteps[:2]), "its own")
	assertSteps(t, 2, name("new"))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(name("new"))
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode(), "steps may hold what nobody else is to read")
	}

	_, err = newStepFile(name("new"), nil)
	assert.EqualError(t, err, name("new")+" is there already; name a new file, or go on from that one with --continue")
	known, _, err := readStepFile(name("new"))
	require.NoError(t, err)
	file, err = newStepFile(dir+"/./new", known)
	require.NoError(t, err)
	require.NoError(t, file.write(savedSteps))
	assertSteps(t, 3, name("new"))

	require.NoError(t, os.WriteFile(name("empty"), nil, 0o600))
	file, err = newStepFile(name("empty"), nil)
	require.NoError(t, err)
	require.NoError(t, file.write(savedSteps[:1]))
	assertSteps(t, 1, name("empty"))
	file, err = newStepFile(name("none"), nil)
	require.NoError(t, err)
	require.NoError(t, file.write(nil))
	file, err = newStepFile(name("none"), nil)
	require.NoError(t, err, "it holds no steps")
	require.NoError(t, file.write(savedSteps[:2]))
	assertSteps(t, 2, name("none"))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 3, "no temporary files")
}

func assertSteps(t *testing.T, want int, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	steps, err := parseSteps("x", data)
	require.NoError(t, err)
	assert.Equal(t, savedSteps[:want], steps)
}

// TestStepFileChanged: what somebody else has written meanwhile stays, and the
// steps are not lost either.
func TestStepFileChanged(t *testing.T) {
	for _, there := range []bool{false, true} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		path := filepath.Join(dir, "s.jsonl")
		if there {
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}
		file, err := newStepFile(path, nil)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte("theirs"), 0o600))
		err = file.write(savedSteps)
		require.ErrorContains(t, err, path+" has been changed by somebody else; the steps are in ")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "theirs", string(data))
		others, err := filepath.Glob(path + ".*")
		require.NoError(t, err)
		require.Len(t, others, 1)
		assertSteps(t, 3, others[0])
	}
}

func TestStepFileOdd(t *testing.T) {
	dir := t.TempDir()
	_, err := newStepFile(dir, nil)
	assert.EqualError(t, err, dir+": not a regular file")
	_, err = newStepFile(filepath.Join(dir, "none", "x"), nil)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	if _, err := os.Stat(os.DevNull); err == nil {
		_, err = newStepFile(os.DevNull, nil)
		assert.EqualError(t, err, os.DevNull+": not a regular file")
	}
	if os.Symlink("real", filepath.Join(dir, "link")) != nil || os.WriteFile(filepath.Join(dir, "real"), nil, 0o600) != nil {
		t.Skip("no links")
	}
	file, err := newStepFile(filepath.Join(dir, "link"), nil)
	require.NoError(t, err)
	require.NoError(t, file.write(savedSteps))
	assertSteps(t, 3, filepath.Join(dir, "real"))
	target, err := os.Readlink(filepath.Join(dir, "link"))
	require.NoError(t, err)
	assert.Equal(t, "real", target)
}
