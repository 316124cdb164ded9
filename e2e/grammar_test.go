package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/internal/walk"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// addon is llama.cpp as node-llama-cpp builds it.
var addon = filepath.Join("node_modules", "@node-llama-cpp", "linux-x64", "bins", "linux-x64", "llama-addon.node")

// grammarTools are lists of tools, with names that a notation could trip over.
var grammarTools = map[string][]tools.Tool{
	"none": nil,
	"usual": {
		{Name: "bash", Lines: tools.Block}, {Name: "read_file"}, {Name: "write_file", Lines: tools.Body}, {Name: "list"},
	},
	"odd": {
		{Name: `a"b\c`}, {Name: `c++`}, {Name: `a.b|c`}, {Name: `(x)*`, Lines: tools.Block}, {Name: `[y]{2}`, Lines: tools.Body},
		{Name: `$^`}, {Name: "`z`"}, {Name: `\n`}, {Name: "a:"}, {Name: "x::=y"}, {Name: "-/#&~"}, {Name: "查询天气", Lines: tools.Body},
	},
}

// TestGrammarElsewhere holds that llama.cpp reads the grammar as this module does,
// and that the engines of JavaScript and Python read the regular expression so:
// they admit what was written by a walk over the grammar, and of its spoilt
// copies the same as Go's engine.
func TestGrammarElsewhere(t *testing.T) {
	for name, list := range grammarTools {
		texts, want := replies(t, list)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("llama.cpp", func(t *testing.T) {
				if _, err := os.Stat(addon); err != nil {
					t.Skip(`llama.cpp is not installed; on Linux with x64 "npm ci" in the folder e2e installs it: `, err)
				}
				agrees(t, texts, want, map[string]any{"gbnf": react.GBNF(list)}, "node", "grammar.mjs")
			})
			t.Run("javascript", func(t *testing.T) {
				agrees(t, texts, want, map[string]any{"regexp": react.Regexp(list)}, "node", "grammar.mjs")
			})
			t.Run("python", func(t *testing.T) {
				agrees(t, texts, want, map[string]any{"regexp": react.Regexp(list)}, "python3", "grammar.py")
			})
		})
	}
}

// TestGrammarIsSent holds that a grammar reaches the server as it is.
func TestGrammarIsSent(t *testing.T) {
	t.Parallel()
	s := shared(t)
	model := client(t, s, "any")
	grammar := react.GBNF(grammarTools["odd"])
	model.Extra = map[string]any{"grammar": grammar}
	for _, request := range agent(t, model, 0).answered(t, s, 2) {
		assert.Equal(t, grammar, request.Body.Grammar)
	}
}

// replies returns replies written by walks over the grammars of a list, and bad
// ones, each with whether Go's engine admits it.
func replies(t *testing.T, list []tools.Tool) (texts []string, want []bool) {
	t.Helper()
	byGBNF, err := walk.GBNF(react.GBNF(list))
	require.NoError(t, err)
	byRegexp, err := walk.Regexp(react.Regexp(list))
	require.NoError(t, err)
	whole := regexp.MustCompile(`\A(?:` + react.Regexp(list) + `)\z`)
	r := rand.New(rand.NewPCG(3, 4))
	w := &walk.Walker{Rand: r}
	texts = []string{
		"", "ACT: rm x", "ACT: list\nOBS: x", "ACT: bash ls\nls", "ACT: bash\n```\na", "ACT: write_file a\n```\n```go\n```\n```",
		"<think>\nx\n</think>\nACT: list", "DONE", " ACT: list", "ACT: list\n", "I am done.", "act: list",
	}
	for _, root := range []walk.Node{byGBNF, byRegexp} {
		for range 200 {
			good := w.Walk(root)
			require.Regexp(t, whole, good)
			texts = append(texts, good, spoilt(r, good), spoilt(r, good))
		}
	}
	good := 0
	for _, text := range texts {
		admitted := whole.MatchString(text)
		want = append(want, admitted)
		if admitted {
			good++
		}
	}
	assert.Greater(t, good, 400)
	assert.Greater(t, len(texts)-good, 300)
	return texts, want
}

// spoilt returns text with a piece of it lost, or some bait in it.
func spoilt(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	switch r.IntN(3) {
	case 0:
		return text[:at]
	case 1:
		return text[at:]
	}
	return text[:at] + walk.Bait[r.IntN(len(walk.Bait))] + text[at:]
}

// agrees holds that a program admits the texts that it should.
func agrees(t *testing.T, texts []string, want []bool, question map[string]any, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
	question["texts"] = texts
	in, err := json.Marshal(question)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience) // a slow start of many at once
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = bytes.NewReader(in)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	require.NoError(t, cmd.Run(), "%s", &messages)
	var got []bool
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Len(t, got, len(texts))
	good := 0
	for i, text := range texts {
		assert.Equal(t, want[i], got[i], "%q", text)
		if want[i] {
			good++
		}
	}
	t.Logf("%d replies admitted, %d not, as by Go", good, len(texts)-good)
}
