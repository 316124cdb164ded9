package llmtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// quiet keeps switches of the environment from the tests that set their own, or
// plant bugs.
func quiet(t *testing.T) {
	if flag.Lookup("llm.update").Value.String() == "true" || flag.Lookup("llm.record").Value.String() != "" {
		t.Skip("not with -llm.update and -llm.record")
	}
	for _, name := range []string{"CI", "LLMTEST_UPDATE", "LLMTEST_RECORD"} {
		t.Setenv(name, "")
	}
}

// look is a tool that says what it was given.
var look = tools.Tool{Name: "look", Call: func(_ context.Context, what string) (string, error) {
	if what == "nowhere" {
		return "", errors.New("there is nothing")
	}
	return "saw " + what, nil
}}

func loop(model llm.Asker) react.Loop {
	return react.Loop{LLM: model, Tools: []tools.Tool{look}, Instructions: "Act.", Example: react.NoExample}
}

// unlined returns text without the numbers of lines of this file.
func unlined(text string) string {
	return regexp.MustCompile(`player_test\.go:\d+`).ReplaceAllString(text, "player_test.go:N")
}

// ask asks a model prompts, whatever comes of it.
func ask(model llm.Asker, prompts ...string) {
	for _, prompt := range prompts {
		_, _ = model.Ask(context.Background(), prompt)
	}
}

// TestFinish holds that a script fails its test by itself, once.
func TestFinish(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *spy)
		want string // the only failure
		log  string
	}{
		{"as-scripted", func(t *spy) { ask(llmtest.Script(t, "a", "b"), "p", "pq") }, "", ""},
		{"no-ask", func(t *spy) { llmtest.Script(t) }, "", ""},
		{"ask-too-many", func(t *spy) { ask(llmtest.Script(t, "DONE: a"), "p", "p\nq") },
			"scripted: ask 2 has no reply (player_test.go:N)\nreplies: 1, used\nadded since the last ask: \"\\nq\"\nhint: the agent asks more often than the script answers; add replies, or give each run a script of its own", ""},
		{"ask-of-none", func(t *spy) { ask(llmtest.Script(t), "p") },
			"scripted: ask 1 has no reply (player_test.go)\nreplies: none were given\nadded since the last ask: \"p\"\nhint: set Replies before the first ask", ""},
		{"left-over", func(t *spy) { ask(llmtest.Script(t, "a", "b", "c"), "p") },
			`scripted: 2 of 3 replies were not used, from reply 2 (player_test.go:N) on: "b"; the run ended earlier than scripted`, ""},
		{"left-over-after-failure", func(t *spy) { llmtest.Script(t, "a"); t.Errorf("own failure") },
			"own failure", `scripted: 1 of 1 replies were not used, from reply 1 (player_test.go:N) on: "a"; the run ended earlier than scripted`},
		{"no-growth", func(t *spy) { ask(llmtest.Script(t, "a", "b", "c"), "p", "q", "r") },
			`player_test.go:N: ask 2 of lane main: the prompt no longer extends the previous one; first change at line 1
    --- ask 1
    +++ ask 2
    -p
    +q
  if it is cut down on purpose, say so with the check shrinks; if another conversation begins here, give each a lane`, ""},
		{"growth-off", func(t *spy) {
			p := llmtest.Script(t, "a", "b")
			p.Regrow = true
			ask(p, "p", "q")
		}, "", ""},
		{"shared", func(t *spy) { ask(llmtest.Script(t, "a", "b", "c"), "p", "p\nq", "p\nr") },
			`player_test.go:N: scripted: two conversations share one sequence of replies: ask 3 (ending "p\nr") goes on from ask 1, but ask 2 was another's (ending "p\nq"); give each conversation a ScriptedLLM of its own, or, in a script file, a lane`, ""},
		{"not-a-step", func(t *spy) { llmtest.Script(t, "a", 7) },
			"llmtest: step 2 of the script: it is a int; want the reply as a string, or a *script.Step", ""},
		{"no-script", func(t *spy) { llmtest.Open(t, "missing") },
			"llmtest: there is no script testdata/missing.txtar; write one, if only its task and a reply: recording needs it too", ""},
		{"path-for-name", func(t *spy) { llmtest.Open(t, "testdata/missing.txtar") },
			"llmtest: there is no script testdata/testdata/missing.txtar.txtar; write one, if only its task and a reply: recording needs it too (a name has neither testdata/ nor .txtar in it)", ""},
		{"no-match", func(t *spy) { llmtest.ScriptsOf(t, "nowhere/*.txtar") }, "llmtest: no script matches nowhere/*.txtar", ""},
		{"folder", func(t *spy) { llmtest.ScriptsOf(t, "testdata") }, "llmtest: testdata is a folder; want a pattern such as testdata/*.txtar", ""},
		{"bad-pattern", func(t *spy) { llmtest.ScriptsOf(t, "[") }, "llmtest: [: syntax error in pattern", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := spyOn(t, "TestIt", c.test)
			assert.Equal(t, c.want, unlined(s.text()))
			if c.want == "" {
				assert.Empty(t, s.errors)
			} else {
				assert.Len(t, s.errors, 1)
			}
			if c.log != "" {
				assert.Equal(t, c.log, unlined(strings.Join(s.logs, "\n")))
			}
		})
	}
}

// TestLine holds that the steps of a script in code stand where it was made.
func TestLine(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	p := llmtest.Script(t, "a", llmtest.Status(500))
	ask(p, "p", "pq")
	for _, call := range p.Calls() {
		assert.Equal(t, fmt.Sprintf("player_test.go:%d", line+1), call.At)
	}
}

// TestFaults holds the steps that are not replies.
func TestFaults(t *testing.T) {
	own := errors.New("the line is dead")
	p := llmtest.Script(t, llmtest.Fail(2, own), llmtest.Status(429), &script.Step{Reply: script.Section{Text: "part"}, Options: script.Options{Finish: "length"}}, "DONE: 1")
	for range 2 {
		_, err := p.Ask(t.Context(), "p")
		assert.Same(t, own, err)
	}
	_, err := p.Ask(t.Context(), "p")
	assert.Equal(t, &llm.StatusError{Code: 429, Message: "Too Many Requests"}, err)
	_, err = p.Ask(t.Context(), "p")
	assert.Equal(t, &llm.TruncatedError{Text: "part", Reason: "length"}, err)
	reply, err := p.Ask(t.Context(), "p")
	require.NoError(t, err)
	assert.Equal(t, "DONE: 1", reply)
	llmtest.Asked(t, p, 5)
}

// TestAsserts holds what each of the assertions says when it does not hold, and
// that it is silent when it does.
func TestAsserts(t *testing.T) {
	p := llmtest.Script(t, "ACT: look here", "ACT: look nowhere", "DONE: 2")
	result, err := loop(p).Run(t.Context(), "go")
	require.NoError(t, err)
	steps := result.Steps

	llmtest.Asked(t, p, 3)
	llmtest.Prompt(t, p, 2, llmtest.Has("OBS: saw here"), llmtest.Lacks("nowhere"), llmtest.Matches("^TASK: .o$"))
	llmtest.OnlyGrew(t, p)
	llmtest.Acted(t, steps, "look", "nowhere")
	llmtest.Observed(t, steps, "look", llmtest.Has("error"), llmtest.Lacks("saw"))
	assert.Equal(t, "\n\nACT: look here\nOBS: saw here", p.Added(2))
	assert.Equal(t, p.Prompts()[1]+p.Added(3), p.Prompts()[2])

	for _, c := range []struct {
		name string
		test func(t *spy)
		want string
	}{
		{"asked", func(t *spy) { llmtest.Asked(t, p, 2) }, `player_test.go: asked 3 times, want 2
  1, lane main: reply player_test.go:N
  2, lane main: reply player_test.go:N
  3, lane main: reply player_test.go:N`},
		{"prompt", func(t *spy) {
			llmtest.Prompt(t, p, 2, llmtest.Has("x y"), llmtest.Lacks("TASK"), llmtest.Matches("z$"), llmtest.Matches("("))
		}, "player_test.go: prompt 2: this does not hold: contains x y\nthis does not hold: ! contains TASK\nthis does not hold: match z$\nbad regular expression: missing closing ): `(`; regular expressions are RE2's\nit adds:\n    \n    \n    ACT: look here\n    OBS: saw here"},
		{"prompt-none", func(t *spy) { llmtest.Prompt(t, p, 4, llmtest.Has("x")) }, "player_test.go: there was no ask 4, but 3 asks"},
		{"acted", func(t *spy) { llmtest.Acted(t, steps, "look", "there") }, "no act look \"there\"; the acts are:\n  look \"here\"\n  look \"nowhere\""},
		{"acted-none", func(t *spy) { llmtest.Acted(t, nil, "look", "there") }, `no act look "there"; the acts are: none`},
		{"observed", func(t *spy) { llmtest.Observed(t, steps, "look", llmtest.Has("saw"), llmtest.Has("error")) },
			"no observation of look is as wanted; they are:\n  \"saw here\": this does not hold: contains error\n  \"error: there is nothing\": this does not hold: contains saw"},
		{"observed-none", func(t *spy) { llmtest.Observed(t, steps, "bash") }, "no observation of bash is as wanted; they are: none"},
		{"only-grew", func(t *spy) {
			p := llmtest.Script(t, "a", "b")
			p.Regrow = true
			ask(p, "p", "q")
			llmtest.OnlyGrew(t, p)
		}, "player_test.go: prompt 2 does not begin with the one before it in lane main"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, unlined(spyOn(t, "TestIt", c.test).text())) })
	}
}

// TestLane runs two conversations at once and looks at each alone.
func TestLane(t *testing.T) {
	p := llmtest.Open(t, "lanes")
	var all sync.WaitGroup
	for _, region := range []string{"north", "south"} {
		all.Go(func() {
			_, err := loop(p).Run(t.Context(), "region: "+region)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	llmtest.Asked(t, p, 3)
	north := p.Lane("north")
	llmtest.Asked(t, north, 2)
	llmtest.Prompt(t, north, 2, llmtest.Has("saw north"))
	llmtest.Asked(t, p.Lane("south"), 1)
	llmtest.OnlyGrew(t, p)
	assert.PanicsWithValue(t, "llmtest: testdata/lanes.txtar has no lane east; it has north, south", func() { p.Lane("east") })
}

// TestNoSecrets finds keys by their shape.
func TestNoSecrets(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "a"), []byte("key:\n  ghp_"+"0123456789abcdefghijklmnopqrstuvwxyzAB"), 0o666))
	s := spyOn(t, "TestIt", func(s *spy) { llmtest.NoSecrets(s, dir) })
	assert.Equal(t, filepath.ToSlash(dir)+"/sub/a:2:3: a secret: GitHub token", s.text())
	s = spyOn(t, "TestIt", func(s *spy) { llmtest.NoSecrets(s, t.TempDir()) })
	assert.Contains(t, s.text(), "holds no file")
	s = spyOn(t, "TestIt", func(s *spy) { llmtest.NoSecrets(s, filepath.Join(dir, "none")) })
	assert.NotEmpty(t, s.errors)
	llmtest.NoSecrets(t, "testdata")
}
