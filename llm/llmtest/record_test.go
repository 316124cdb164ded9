package llmtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// record plays a script with a live model, and returns the test and the script
// afterwards.
func record(t *testing.T, text string, live llm.Asker, agent func(*llmtest.Case) (string, error)) (*spy, string) {
	path := write(t, text)
	quiet(t)
	t.Setenv("LLMTEST_RECORD", "x.txtar$")
	s := spyOn(t, "TestIt", func(s *spy) {
		llmtest.Play(s, path, func(c *llmtest.Case) (string, error) {
			c.Live, c.LiveName = live, "parrot-1"
			return agent(c)
		})
	})
	t.Setenv("LLMTEST_RECORD", "")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if len(s.errors) == 0 {
		again := spyOn(t, "TestIt", func(s *spy) {
			llmtest.Play(s, path, func(c *llmtest.Case) (string, error) {
				c.FreshReplies = true
				return agent(c)
			})
		})
		assert.Empty(t, again.errors, "what was recorded does not pass")
	}
	return s, regexp.MustCompile(` on=\d{4}-\d\d-\d\d`).ReplaceAllString(string(data), " on=TODAY")
}

// TestRecord replaces replies, adds and cuts steps; goldens come with them where
// the script has any.
func TestRecord(t *testing.T) {
	const task = "-- task --\nLook.\n-- file a.txt --\none\n"
	p1 := "TASK: Look."
	p2 := p1 + "\n\nACT: read a.txt\nOBS: one"
	p3 := p2 + "\n\nACT: write a.txt two\nOBS: (no output)"
	mark := func(prompt string) string { return " on=TODAY model=parrot-1 of=" + script.Hash(prompt) }
	for _, c := range []struct {
		name, text string
		live       []string
		want       string
	}{
		{"from-nothing", task + "-- reply --\n?\n-- answer --\n?\n-- after a.txt --\n?\n",
			[]string{"ACT: read a.txt", "ACT: write a.txt two", "DONE: done"},
			task + "-- reply" + mark(p1) + " --\nACT: read a.txt\n-- reply" + mark(p2) + " --\nACT: write a.txt two\n-- reply" + mark(p3) + " --\nDONE: done\n-- answer --\ndone\n-- after a.txt --\ntwo\n"},
		{"goldens", task + "-- expect --\ncontains Look\n-- prompt --\n?\n-- reply --\n?\n",
			[]string{"ACT: read a.txt", "DONE: done"},
			task + "-- expect --\ncontains Look\n-- prompt --\n" + p1 + "\n-- reply" + mark(p1) + " --\nACT: read a.txt\n-- added --\n\nACT: read a.txt\nOBS: one\n-- reply" + mark(p2) + " --\nDONE: done\n"},
		{"shorter", task + "-- reply --\nACT: read a.txt\n-- added --\nx\n-- reply delay=1ms --\nDONE: x\n-- answer --\nx\n",
			[]string{"DONE: done"},
			task + "-- prompt --\n" + p1 + "\n-- reply" + mark(p1) + " --\nDONE: done\n-- answer --\ndone\n"},
		{"times", task + "-- reply times=2 --\n?\n",
			[]string{"ACT: read a.txt", "DONE: done"},
			task + "-- reply" + mark(p1) + " --\nACT: read a.txt\n-- reply" + mark(p2) + " --\nDONE: done\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := record(t, c.text, llmtest.Script(t, toAny(c.live)...), edit)
			assert.Empty(t, s.errors)
			assert.Equal(t, c.want, got)
		})
	}
}

func toAny(list []string) (out []any) {
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// TestRecordRefused holds when nothing is written: the file stays, and what was
// recorded is kept beside the test's artifacts.
func TestRecordRefused(t *testing.T) {
	const start = "-- task --\nLook.\n"
	busy := &llm.StatusError{Code: 503, Message: "busy"}
	// An agent that swallows errors.
	deaf := func(c *llmtest.Case) (string, error) {
		answer, err := edit(c)
		if err != nil {
			answer = "nothing"
		}
		return answer, nil
	}
	for _, c := range []struct {
		name, text string
		live       llm.Asker
		agent      func(*llmtest.Case) (string, error)
		want       string
	}{
		{"failing-check", start + "-- expect --\ncontains Listen\n-- reply --\nDONE: x\n", llm.Fixed("DONE: y"), edit, "the prompt does not contain"},
		{"failing-agent", start + "-- reply --\nDONE: x\n", llm.Fixed("DONE: y"), func(c *llmtest.Case) (string, error) {
			_, err := edit(c)
			return "", errors.Join(err, errors.New("no luck"))
		}, "no luck"},
		{"failing-model", start + "-- reply --\nDONE: x\n", asker(busy), deaf, "recording: ask 1 of lane main: server answered 503: busy"},
		{"no-model", start + "-- reply --\nDONE: x\n", nil, edit, "llmtest: recording needs the player's Live, such as &openai.Client{}"},
		{"fault-left", start + "-- reply --\nDONE: x\n-- fault status 500 --\n", llm.Fixed("DONE: y"), edit, "1 of 2 replies were not used"},
		{"expect-left", start + "-- reply --\nDONE: x\n-- expect --\ncontains x\n-- reply --\nDONE: x\n", llm.Fixed("DONE: y"), edit, "1 of 2 replies were not used"},
		{"secret", start + "-- reply --\nDONE: x\n", llm.Fixed("DONE: ghp_" + strings.Repeat("a1", 18)), edit, "nothing is written: the reply of ask 1 of lane main, line 1, column 7, looks like a secret (GitHub token)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := record(t, c.text, c.live, c.agent)
			assert.Contains(t, s.text(), c.want)
			assert.Equal(t, c.text, got)
			if c.name == "failing-check" {
				kept, err := os.ReadFile(filepath.Join(t.ArtifactDir(), "x.txtar"))
				require.NoError(t, err)
				assert.Contains(t, string(kept), "DONE: y")
			}
		})
	}
}

// asker fails.
func asker(err error) llm.Asker {
	return llm.AskFunc(func(context.Context, string) (string, error) { return "", err })
}

// TestRecordFaults plays the faults of a script and records round them; a reply
// cut by its length is one that a script can hold.
func TestRecordFaults(t *testing.T) {
	agent := func(c *llmtest.Case) (string, error) {
		l := loop(c)
		l.Retries = 2
		result, err := l.Run(context.Background(), c.Task)
		if _, busy := errors.AsType[*llm.StatusError](err); busy {
			result, err = l.Run(context.Background(), c.Task)
		}
		return result.Answer, err
	}
	live := 0
	model := llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
		llm.ContextTrace(ctx).Usage(llm.Usage{Prompt: 10, Reply: 2, Cached: 4})
		if live++; live == 1 {
			return "", &llm.TruncatedError{Text: "I think", Reason: "length"}
		}
		return "DONE: 2", nil
	})
	s, got := record(t, "-- task --\nt\n-- fault status 429 --\nwait\n-- reply --\n?\n", model, agent)
	assert.Empty(t, s.errors)
	assert.Regexp(t, `-- fault status 429 --\nwait\n-- reply in=10 out=2 cached=4 finish=length on=TODAY model=parrot-1 of=\w{8} --\nI think\n-- reply in=10 out=2 cached=4 on=TODAY model=parrot-1 of=\w{8} --\nDONE: 2\n`, got)
	assert.Equal(t, 2, live)
}

// TestRecordLanes records two conversations, each into its lane.
func TestRecordLanes(t *testing.T) {
	agent := func(c *llmtest.Case) (string, error) {
		var answers []string
		for _, region := range []string{"south", "north"} {
			result, err := loop(c).Run(context.Background(), "region: "+region)
			if err != nil {
				return "", err
			}
			answers = append(answers, result.Answer)
		}
		return strings.Join(answers, " "), nil
	}
	model := llm.AskFunc(func(_ context.Context, prompt string) (string, error) {
		if strings.Contains(prompt, "OBS: saw") || strings.Contains(prompt, "south") {
			return "DONE: " + prompt[strings.Index(prompt, "region: ")+8:][:5], nil
		}
		return "ACT: look up", nil
	})
	text := "-- lane north --\n-- when --\ncontains north\n-- reply --\n?\n-- lane south --\n-- when --\ncontains south\n-- reply --\n?\n-- answer --\n?\n"
	s, got := record(t, text, model, agent)
	assert.Empty(t, s.errors)
	got = regexp.MustCompile(` on=.*? --`).ReplaceAllString(got, " --")
	assert.Equal(t, "-- lane north --\n-- when --\ncontains north\n-- reply --\nACT: look up\n-- reply --\nDONE: north\n-- lane south --\n-- when --\ncontains south\n-- reply --\nDONE: south\n-- answer --\nsouth north\n", got)

	s, _ = record(t, strings.Replace(text, "-- lane south", "-- lane west --\n-- when --\ncontains west\n-- reply --\n?\n-- lane south", 1), model, agent)
	assert.Contains(t, s.text(), "1 of 1 replies were not used", "a lane that did not begin")
}

// TestRecordChat records calls of functions, under IDs of the script's own.
func TestRecordChat(t *testing.T) {
	agent := func(c *llmtest.Case) (string, error) {
		result, err := react.Native{LLM: c, Tools: []tools.Tool{look}}.Run(context.Background(), c.Task)
		return result.Answer, err
	}
	live := struct {
		llm.Asker
		llm.ChatFunc
	}{ChatFunc: func(_ context.Context, r llm.ChatRequest) (llm.Message, error) {
		if last := r.Messages[len(r.Messages)-1]; last.Role == llm.ToolResult {
			return llm.Message{Role: llm.Assistant, Text: "It is " + last.Text}, nil
		}
		call := llm.ToolCall{ID: "chatcmpl-tool-8f2c", Name: "look", Arguments: `{"input": "up"}`}
		return llm.Message{Role: llm.Assistant, Text: "I look.", Calls: []llm.ToolCall{call}}, nil
	}}
	s, got := record(t, "-- task --\nt\n-- prompt --\n?\n-- reply --\n?\n-- answer --\n?\n", live, agent)
	assert.Empty(t, s.errors)
	assert.Regexp(t, `(?s)-- reply on=TODAY model=parrot-1 of=\w+ --\nI look.\n-- call look --\n\{"input": "up"\}\n-- added --\n.*\[call call_1 look\]\n.*\[tool call_1\]\nsaw up\n-- reply on=TODAY .* --\nIt is saw up\n-- answer --\nIt is saw up\n$`, got)

	s, _ = record(t, "-- task --\nt\n-- reply --\n?\n", llm.Fixed("x"), agent)
	assert.Contains(t, s.text(), "needs a Live that is a llm.Chatter; llm.AskFunc is none")
}

// TestRecordEarlyStop keeps of a reply what had come when the loop had heard
// enough.
func TestRecordEarlyStop(t *testing.T) {
	model := llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
		text := "ACT: look up\n"
		if strings.Contains(prompt, "saw up") {
			text = "DONE: seen"
		}
		llm.ContextTrace(ctx).Delta(text)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return text, nil
	})
	s, got := record(t, "-- task --\nt\n-- reply --\n?\n-- answer --\n?\n", model, func(c *llmtest.Case) (string, error) {
		l := loop(c)
		l.EarlyStop = true
		result, err := l.Run(context.Background(), c.Task)
		return result.Answer, err
	})
	assert.Empty(t, s.errors)
	assert.Regexp(t, `-- reply on=TODAY .* --\nACT: look up\n\n-- reply on=TODAY .* --\nDONE: seen\n`, got)
}

// TestStale tells of replies recorded for other prompts.
func TestStale(t *testing.T) {
	quiet(t)
	path := write(t, "-- task --\nt\n-- reply of=12345678 --\nDONE: x\n")
	for _, fresh := range []bool{false, true} {
		s := spyOn(t, "TestIt", func(s *spy) {
			llmtest.Play(s, path, func(c *llmtest.Case) (string, error) {
				c.FreshReplies = fresh
				return edit(c)
			})
		})
		told := s.logs
		if fresh {
			told = s.errors
		}
		assert.Equal(t, []string{"reply at " + filepath.ToSlash(path) + ":3 was recorded for another prompt"}, told)
		assert.Equal(t, fresh, s.failed)
	}
}
