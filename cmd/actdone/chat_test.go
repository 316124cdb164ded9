package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
)

// looks is a reply with text and two calls.
var looks = answer{text: "I look.", finish: "tool_calls", calls: [][2]string{{"list", `{"path":"."}`}, {"read_file", `{"path":"a.go"}`}}}

func TestNativeModel(t *testing.T) {
	for _, flags := range [][]string{{"--native"}, {"--native", "--no-stream"}} {
		f := serve(t, looks, answer{text: "one"})
		exit, stdout, stderr := f.ask(t, flags...)
		assert.Equal(t, 0, exit)
		assert.Equal(t, "one\n", stdout)
		assert.Contains(t, stderr, ` 1. I look.
    ACT: list {"path":"."}
    OBS: a.go (10 bytes)

 1. ACT: read_file {"path":"a.go"}
    OBS: package a
`)
		require.Len(t, f.asked, 2)
		assert.NotEmpty(t, f.asked[0]["tools"])
		messages := f.asked[1]["messages"].([]any)
		require.Len(t, messages, 5, "the rules, the task, the calls, a result for each")
		assert.Equal(t, "c1", messages[4].(map[string]any)["tool_call_id"])
	}
}

func TestChatModel(t *testing.T) {
	f := serve(t, looks, answer{text: "one", prompt: 400}, answer{text: "two", prompt: 500})
	exit, stdout, stderr := call(t, "how many?\nand now?", "chat", "-C", t.TempDir(), "--native", "--base-url", f.url, "--model", "small")
	assert.Equal(t, 0, exit)
	assert.Equal(t, "one\ntwo\n", stdout)
	assert.Contains(t, stderr, ", with small\n")
	assert.Contains(t, stderr, "I look.\n$ list {\"path\":\".\"}\n(empty directory)\n$ read_file {\"path\":\"a.go\"}\nerror: ")
	assert.Regexp(t, `\nactdone: 2 asks in \d+\.\ds; tokens: 400 prompt \(5 cached\), 7 reply \(told for 1 of 2 asks\)\n`, stderr)
	require.Len(t, f.asked, 3)
	assert.Len(t, f.asked[2]["messages"].([]any), 7, "the second question stands behind the first run")
}

func TestChatNoModel(t *testing.T) {
	serve(t)
	exit, _, stderr := call(t, "", "chat", "--base-url", listing(t, 200, `{"data":[{"id":"qwen3"}]}`), "--native")
	assert.Equal(t, 2, exit)
	assert.Contains(t, stderr, "no model to ask")
	assert.Regexp(t, `\n +actdone chat --base-url http://127\.0\.0\.1:\d+/v1 --model qwen3 --native=true\n`, stderr)
}

// TestAsked: the same question again has a whole run before it.
func TestAsked(t *testing.T) {
	steps := []react.Step{{Task: "a", Ask: 1, Move: react.Move{Kind: react.Done}}, {Task: "b", Ask: 1}, {Task: "b", Ask: 2}}
	assert.Equal(t, 0, asked(nil, "b"))
	assert.Equal(t, 0, asked(steps[:1], "a"))
	assert.Equal(t, 2, asked(steps, "b"))
	assert.Equal(t, 0, asked(steps, "c"))
}

func TestChatShow(t *testing.T) {
	act := react.Move{Kind: react.Act, Thought: "I look.", Tool: "bash", Input: "cd x\nls"}
	for _, test := range []struct {
		name string
		step react.Step
		want string
	}{
		{"act", react.Step{Move: act, Observation: "a\nb"}, "I look.\n$ cd x\n  ls\na\nb\n"},
		{"native", react.Step{Move: react.Move{Kind: react.Act, Tool: "bash", Input: `{"command":"ls","timeout":3}`}, Observation: "a"}, "$ ls\na\n"},
		{"not-native", react.Step{Move: react.Move{Kind: react.Act, Tool: "bash", Input: `{"x":1}`}, Observation: "a"}, "$ {\"x\":1}\na\n"},
		{"tool", react.Step{Move: react.Move{Kind: react.Act, Tool: "list", Input: "."}, Observation: "a", Note: "again"}, "$ list .\na\nagain\n"},
		{"long", react.Step{Move: react.Move{Kind: react.Act, Tool: "list"}, Observation: strings.Repeat("漢", previewChars+1)}, "$ list\n" + strings.Repeat("漢", previewChars) + "…\n"},
		{"just-fits", react.Step{Move: react.Move{Kind: react.Act, Tool: "list"}, Observation: strings.Repeat("漢", previewChars) + "\n"}, "$ list\n" + strings.Repeat("漢", previewChars) + "\n"},
		{"escapes", react.Step{Move: react.Move{Kind: react.Act, Tool: "bash", Input: "echo \x1b[2J"}, Observation: "\x1b[2J"}, "$ echo \\u001b[2J\n\\u001b[2J\n"},
		{"refused", react.Step{Refused: "no move", Reply: "hm", Observation: "error: x"}, "(refused: no move) hm\n"},
		{"done", react.Step{Move: react.Move{Kind: react.Done, Thought: "I see.", Answer: "7"}}, "I see.\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := chatShow{w: &out}
			p.step(test.step)
			assert.Equal(t, test.want, out.String())
			if test.step.Move.Kind == react.Act {
				out.Reset()
				p.move(1, test.step.Move) // as the trace does, before the act
				p.step(test.step)
				assert.Equal(t, test.want, out.String())
			}
		})
	}
}

// TestInput: what arrives after the wait has ended is for the next who asks.
func TestInput(t *testing.T) {
	from, to := io.Pipe()
	in := &input{from: from}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := in.line(ctx)
	require.ErrorIs(t, err, context.Canceled)
	go io.WriteString(to, "one\ntwo\nthr")
	for _, want := range []string{"one\n", "two\n"} {
		line, err := in.line(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, line)
	}
	half := make([]byte, 2)
	n, err := in.Read(half)
	require.NoError(t, err)
	assert.Equal(t, "th", string(half[:n]))
	go to.Close()
	line, err := in.line(t.Context())
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "r", line)
}

// TestPaste: a paste is the same question wherever its bytes are parted.
func TestPaste(t *testing.T) {
	const typed = "a\x1b[D漢\x1b[200~b\r\nc\x1bd\t漢\n\x1b[201~e\rf"
	want := "a\x1b[D漢b⏎cd 漢⏎e\rf"
	for i := range len(typed) + 1 {
		for j := i; j <= len(typed); j++ {
			p := paste{}
			got := p.take([]byte(typed[:i])) + p.take([]byte(typed[i:j])) + p.take([]byte(typed[j:]))
			assert.Equal(t, want, got, "%q %q %q", typed[:i], typed[i:j], typed[j:])
		}
	}
}

func TestWhole(t *testing.T) {
	for keys, want := range map[string]bool{
		"": false, "a": true, "漢": true, "漢"[:1]: false, "漢"[:2]: false, "a漢"[:3]: false, "\xff": true,
		"\x1b": false, "\x1b[": false, "\x1b[A": true, "\x1b[1;5": false, "\x1b[1;5C": true, "\x1b[3~": true, "a\x1b": false,
	} {
		assert.Equal(t, want, whole(keys), "%q", keys)
	}
}
