package react_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
)

// replySeeds are replies that once went wrong, or easily could.
var replySeeds = []string{
	"ACT: bash ls",
	"ACT: bash ls\n```",
	"ACT: write_file a b\n```\nx\n\n```",
	"ACT: write_file `a <<E`",
	"ACT: write_file a <<A <<B\nx\nB",
	"ACT: write_file a <|x|> <<B\nx\nB",
	"ACT: bash cat <<'E' <<F\n1\nE\n2\nF\nOBS: x",
	"ACT: bash `cat <<E`",
	"ACT: bash\n```sh\ncat <<E\n```",
	"ACT: grep `<|x|>`",
	"ACT: grep `` `x` ``",
	"ACT: read_file <|a|><|b|>",
	"**ACT: list x<|im_end|>**",
	"## `ACT:` list .\nOBS: y",
	"ACT:\nlist .\nObservation: z",
	"DONE",
	"DONE\nDONE\n x",
	"DONE\nfoo </s>\nbar",
	"DONE: a\nOBS:\nOBS:",
	"DONE:\n    indented\nTASK: forged\n| ACT: x",
	"OBS: fake\nNOTE: fake\n| | TASK: y\nobs : z\n```obs\nDONE: no\n```\nACT: list .",
	"```\nACT: list .\n```\n<think>x</think>",
	"prose\n```\nACT: bash rm\n```",
	"<think>\nACT: bash rm\n</think>ACT: list",
	"a\n</think>\nACT: list",
	"~~~\n```\nACT: list\n~~~\nACT: grep x",
	"\ufeffACT： list .\r\r\n",
	"ACT: \xff\xfe",
	"ACT: nosuch x\n````\n```\n````",
	"REFUSED:\n```reply\nx\n```",
	"DONE<|x|>\nACT: list .",
	"a\nDONE </s>\nb",
	"ACT:\r ",
	"`ACT:\r`",
	"**ACT: bash \r**",
	"**ACT: bash ls\r**",
	"ACT:<|0|> <<B\nB",
	"ACT: foo\r  \n",
	"ACT: list x\r ",
	"DONE: x\r \r ",
	"\u00a0ACT\u00a0:\u00a0list\u00a0.",
}

// checkMove holds what is true of every reply: law 4 and law 11 for what Parse
// returns, law 10 for every way to stream it.
func checkMove(t *testing.T, reply string) {
	list := standardTools()
	m, err := react.Parse(reply, list)
	if err != nil {
		var bad *react.ProtocolError
		require.ErrorAs(t, err, &bad)
		require.NotEmpty(t, bad.Cure)
		require.Equal(t, react.Move{}, m)
		return
	}
	require.True(t, utf8.ValidString(m.Tool+m.Input+m.Answer+m.Thought+m.Reply))
	step := react.Step{Task: "t", Ask: 1, Move: m}
	var prompt strings.Builder
	react.ActDone{}.Move(&prompt, step, 1)
	again, err := react.Parse(prompt.String(), list)
	require.NoError(t, err, "rendered %q of %q", prompt.String(), reply)
	require.Equal(t, m.Kind, again.Kind)
	require.Equal(t, [3]any{m.Tool, m.Lines, m.Input}, [3]any{again.Tool, again.Lines, again.Input}, "rendered %q of %q", prompt.String(), reply)
	_, blocks, err := readPrompt("i\n\nTASK: t" + prompt.String())
	require.NoError(t, err, "rendered %q", prompt.String())
	require.Len(t, blocks, 2)
	require.Equal(t, m.Thought, blocks[1].Said)
	if m.Kind == react.Done {
		require.Equal(t, m.Answer, blocks[1].Text)
	}
}

// checkStop holds law 10: wherever a stream of the reply may stop, the move is
// that of the whole reply.
func checkStop(t *testing.T, reply string) {
	if strings.Contains(reply, "<think") || strings.Contains(reply, "</think") {
		return
	}
	list := standardTools()
	whole, wholeErr := react.Parse(reply, list)
	stop := react.ActDone{}.Stop(list)
	for n := 1; n <= len(reply); n++ {
		if !stop(reply[:n]) {
			continue
		}
		part, err := react.Parse(reply[:n], list)
		require.NoError(t, err)
		require.NoError(t, wholeErr, "stopped after %q", reply[:n])
		part.Dropped, whole.Dropped = "", ""
		require.Equal(t, whole, part, "stopped after %q", reply[:n])
		return
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range replySeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		checkMove(t, reply)
		checkStop(t, reply)
	})
}

func FuzzTranscript(f *testing.F) {
	for i, s := range replySeeds {
		f.Add(s, s, replySeeds[(i+7)%len(replySeeds)], s, false)
	}
	f.Add("two\nlines\n```task\n", "ACT: list .", "DONE: x", "a\x1b]0;t\ab\r\nc\u009b1m\n", true)
	f.Fuzz(func(t *testing.T, task, first, second, output string, failed bool) {
		loop := react.Loop{Tools: standardTools(), Retries: 1, MaxSteps: 3, MaxObservation: 100}
		tr, err := loop.Transcript(task)
		require.NoError(t, err)
		last, ended := "", false
		for _, reply := range []string{first, second, first} {
			prompt, err := tr.Prompt()
			require.NoError(t, err)
			checkPrompt(t, tr, prompt, last, task)
			last = prompt
			move, err := tr.Reply(reply, nil)
			if move.Kind == react.Act {
				var failure error
				if failed {
					failure = errors.New(output)
				}
				require.NoError(t, tr.Observe(output, failure))
			}
			if ended = err != nil || move.Kind == react.Done; ended {
				break
			}
		}
		checkResumed(t, loop, tr, task, last)
	})
}

// checkPrompt holds laws 1 and 7 and the layout of parts.
func checkPrompt(t *testing.T, tr *react.Transcript, prompt, before, task string) {
	require.True(t, strings.HasPrefix(prompt, before))
	require.False(t, strings.HasSuffix(prompt, "\n"))
	instructions, blocks, err := readPrompt(prompt)
	require.NoError(t, err, "prompt %q", prompt)
	require.True(t, strings.HasPrefix(prompt, instructions))
	require.Equal(t, wantBlocks(strings.ToValidUTF8(task, "\ufffd"), tr.Steps()), blocks)
	parts := tr.Parts()
	require.Equal(t, len(prompt), parts[len(parts)-1].End)
	require.Equal(t, len(instructions), parts[0].End)
}

// checkResumed holds laws 8 and 11: the prompt is a function of task and steps,
// also after JSON.
func checkResumed(t *testing.T, loop react.Loop, tr *react.Transcript, task, last string) {
	data, err := json.Marshal(tr.Steps())
	require.NoError(t, err)
	var steps []react.Step
	require.NoError(t, json.Unmarshal(data, &steps))
	require.Equal(t, tr.Steps(), steps)
	loop.MaxSteps = 10
	again, err := loop.Transcript(task, steps...)
	require.NoError(t, err)
	prompt, err := again.Prompt()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(prompt, last))
	_, _, err = readPrompt(prompt)
	require.NoError(t, err)
}
