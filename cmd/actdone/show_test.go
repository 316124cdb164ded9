package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/react"
)

func TestShow(t *testing.T) {
	act := react.Move{Kind: react.Act, Thought: "I look.", Tool: "bash", Input: "ls"}
	long := react.Move{Kind: react.Act, Tool: "bash", Input: "cd x\nls"}
	for _, test := range []struct {
		name string
		step react.Step
		want string
	}{
		{"act", react.Step{Ask: 1, Move: act, Observation: "a.go"}, " 1. I look.\n    ACT: bash ls\n    OBS: a.go\n\n"},
		{"lines", react.Step{Ask: 12, Move: long, Observation: "a\nb"}, "12. ACT: bash\n    cd x\n    ls\n    OBS:\n    a\n    b\n\n"},
		{"note", react.Step{Ask: 1, Move: long, Observation: "a", Note: "stop"}, " 1. ACT: bash\n    cd x\n    ls\n    OBS: a\n    NOTE: stop\n\n"},
		{"done", react.Step{Ask: 2, Move: react.Move{Kind: react.Done, Answer: "7"}}, " 2. DONE:\n"},
		{"refused", react.Step{Ask: 2, Reply: "hm", Refused: "no move", Observation: "error: x"}, " 2. REFUSED: hm\n    OBS: error: x\n\n"},
		{"empty", react.Step{Ask: 2, Refused: "empty", Observation: "error: x"}, " 2. REFUSED:\n    OBS: error: x\n\n"},
		{"no-input", react.Step{Ask: 2, Move: react.Move{Kind: react.Act, Tool: "list"}, Observation: "a"}, " 2. ACT: list\n    OBS: a\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := show{w: &out}
			if test.step.Move.Kind == react.Act {
				p.move(test.step.Ask, test.step.Move) // as the trace does, before the act
			}
			p.step(test.step)
			assert.Equal(t, test.want, out.String())
		})
	}
}

func TestShowColour(t *testing.T) {
	var out bytes.Buffer
	p := show{w: &out, colour: true}
	p.step(react.Step{Ask: 1, Move: react.Move{Kind: react.Act, Thought: "I look.", Tool: "list"}, Observation: "a\x1b[31m"})
	assert.Equal(t, " 1. \x1b[2mI look.\x1b[0m\n    \x1b[1;36mACT:\x1b[0m list\n    \x1b[1;36mOBS:\x1b[0m a\\u001b[31m\n\n", out.String())
}

func TestShortened(t *testing.T) {
	assert.Equal(t, "a\nb\n… (2 more lines)", shortened("a\nb\nc\nd\n", 2))
	assert.Equal(t, "a\nb", shortened("a\nb\n", 2))
	assert.Equal(t, strings.Repeat("ü", showChars)+"…", shortened(strings.Repeat("ü", showChars+1), 2))
	assert.Equal(t, "", shortened("", 2))
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc ü":            "a\tb\nc ü",
		"\x1b]0;x\a":           `\u001b]0;x\u0007`,
		"a\rb\u009bc":          `a\u000db\u009bc`,
		"\u202egnp.exe\u2066x": `\u202egnp.exe\u2066x`,
		"a\x9bb":               "a\ufffdb",
	} {
		assert.Equal(t, want, visible(text))
	}
}
