package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// A conversation is a prompt that grows, part by part.
type conversation struct {
	prompt string
	parts  []llm.Part
}

func (c *conversation) add(name, text string) {
	c.prompt += text
	c.parts = append(c.parts, llm.Part{Name: name, End: len(c.prompt)})
}

// steps returns the prompts of a run whose acts and observations are given.
func steps(t *testing.T, p *script.Player, instructions, task string, acts ...string) {
	t.Helper()
	c := &conversation{}
	c.add("instructions", instructions)
	c.add("task", "\n\nTASK: "+task)
	c.ask(t, p)
	for i, act := range acts {
		n := string(rune('1' + i))
		act, observation, _ := strings.Cut(act, "→")
		c.add("act "+n, "\n\nACT: "+act)
		c.add("observation "+n, "\nOBS: "+observation)
		c.ask(t, p)
	}
}

func (c *conversation) ask(t *testing.T, p *script.Player) {
	t.Helper()
	_, err := p.Ask(llm.WithParts(t.Context(), c.parts), c.prompt)
	require.NoError(t, err)
}

// counting is a script of three asks.
const counting = `-- prompt --
Act, then wait.

TASK: count
-- reply --
ACT: bash ls
-- added --

ACT: bash ls
OBS: a.go b.go
-- reply --
ACT: bash ls | wc -l
-- added --

ACT: bash ls | wc -l
OBS: 2
-- reply --
DONE: 2
`

func TestDrift(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, test := range []struct {
		name, script       string
		instructions, task string
		acts               []string
		want               string
	}{
		{"observation", counting, "Act, then wait.", "count", []string{"bash ls→a.go b.go", "bash ls | wc -l→3"}, `
x.txtar:13: ask 3 of lane main: added text differs in observation 2
    --- script
    +++ asked
     ACT: bash ls | wc -l
    -OBS: 2
    +OBS: 3
  nothing else changed: instructions, task, step 1 and act 2 are as recorded
  accept with: go test -update`},
		{"act", counting, "Act, then wait.", "count", []string{"bash  ls→a.go b.go", "bash ls | wc -l→3"}, `
x.txtar:7: ask 2 of lane main: added text differs in act 1
    --- script
    +++ asked
    -ACT: bash ls
    +ACT: bash  ls
     OBS: a.go b.go
  nothing else changed: instructions, task and observation 1 are as recorded
  accept with: go test -update`},
		{"both", counting, "Act, then wait.", "count", []string{"bash LS→a.go\u200b b.go "}, `
x.txtar:7: ask 2 of lane main: added text differs in act 1 and observation 1
    --- script
    +++ asked
    -ACT: bash ls
    -OBS: a.go b.go
    +ACT: bash LS
    +OBS: a.go\u200b b.go·
  nothing else changed: instructions and task are as recorded
  accept with: go test -update`},
		{"instructions", counting, "Act, then stop.", "count", nil, `
x.txtar:1: ask 1 of lane main: prompt differs in instructions
    --- script
    +++ asked
    -Act, then wait.
    +Act, then stop.

     TASK: count
  nothing else changed: task is as recorded
  accept with: go test -update`},
		{"task", counting, "Act, then wait.", "count\tall", nil, `
x.txtar:1: ask 1 of lane main: prompt differs in task
    --- script
    +++ asked
     Act, then wait.

    -TASK: count
    +TASK: count\tall
  nothing else changed: instructions are as recorded
  accept with: go test -update`},
		{"long-line", "-- prompt --\nI\n\nTASK: " + long + "end\n-- reply --\na\n", "I", long + "End", nil, `
x.txtar:1: ask 1 of lane main: prompt differs in task
    --- script
    +++ asked
     I

    -…d word word word word word word word word word word word word word word word word word word word word word word word end
    +…d word word word word word word word word word word word word word word word word word word word word word word word End
  nothing else changed: instructions are as recorded
  accept with: go test -update`},
		{"without-first-golden", strings.Replace(counting, "-- prompt --\nAct, then wait.\n\nTASK: count\n", "", 1), "I", "count", []string{"bash ls→a.go b.go", "bash ls | wc -l→"}, `
x.txtar:9: ask 3 of lane main: added text differs in observation 2
    --- script
    +++ asked
     ACT: bash ls | wc -l
    -OBS: 2
    +OBS:·
  step 1 and act 2 are as recorded
  accept with: go test -update`},
		{"contains", "-- expect --\ncontains How many Go files are there?\n-- reply --\na\n", "I", "How many Go files are here?", nil, `
x.txtar:2: ask 1 of lane main: the prompt does not contain "How many Go files are there?"
  closest is line 3, in task:
    {+TASK: +}How many Go files are [-there?-]{+here?+}`},
		{"contains-nothing-like-it", "-- expect --\ncontains zebra\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt does not contain "zebra"`},
		{"contains-lines", "-- expect --\ncontains \"I\\n\\nTASK: sum\"\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt does not contain "I\n\nTASK: sum"
  closest is line 3, in task:
    TASK: [-sum-]{+count+}`},
		{"contains-not", "-- reply --\nACT: a\n-- expect --\n! contains unknown tool\n-- reply --\na\n", "I", "count", []string{"rm→error: unknown tool rm"}, `
x.txtar:4: ask 2 of lane main: the prompt contains "unknown tool"; line 6, in observation 1:
    OBS: error: unknown tool rm`},
		{"match", "-- expect --\nmatch ^TASK: [0-9]+$\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt does not match "^TASK: [0-9]+$"`},
		{"match-not", "-- expect --\n! match ^TASK\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt matches "^TASK"; line 3, in task:
    TASK: count`},
		{"starts", "-- expect --\nstarts You are an agent.\n-- reply --\na\n", "You are a bot.", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt does not start with "You are an agent."
  closest is line 1, in instructions:
    You are [-an agent.-]{+a bot.+}`},
		{"starts-not", "-- expect --\n! starts You\n-- reply --\na\n", "You are a bot.", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt starts with "You"; line 1, in instructions:
    You are a bot.`},
		{"ends", "-- expect --\nends TASK: sum\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt does not end with "TASK: sum"
  closest is line 3, in task:
    TASK: [-sum-]{+count+}`},
		{"ends-not", "-- expect --\n! ends count\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt ends with "count"; line 3, in task:
    TASK: count`},
		{"count", "-- reply --\na\n-- expect --\ncount 1 OBS:\n-- reply --\nb\n-- reply --\nc\n", "I, OBS: too", "count", []string{"a→b", "c→d"}, `
x.txtar:4: ask 2 of lane main: the prompt contains "OBS:" 2 times, not once; line 6, in observation 1:
    OBS: b`},
		{"count-none", "-- expect --\ncount 2 OBS:\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt contains "OBS:" 0 times, not 2 times`},
		{"count-not", "-- expect --\n! count 1 TASK:\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: the prompt contains "TASK:" once, not any number but once; line 3, in task:
    TASK: count`},
		{"tool", "-- expect --\ntool bash\n-- reply --\na\n", "I", "count", nil, `
x.txtar:2: ask 1 of lane main: an ask of plain text names no tool; the check tool bash is for scripts that are served`},
		{"shrinks", "-- reply --\na\n-- expect --\nshrinks\n-- reply --\nb\n", "I", "count", []string{"a→b"}, `
x.txtar:4: ask 2 of lane main: the prompt was to be cut down, but it goes on from the previous one`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := player(t, test.script)
			p.Accept = "go test -update"
			steps(t, p, test.instructions, test.task, test.acts...)
			require.EqualError(t, p.Check(), test.want[1:])
			var drift *script.DriftError
			require.ErrorAs(t, p.Check(), &drift)
			assert.True(t, strings.HasPrefix(test.want[1:], drift.At+": "))
		})
	}
}

// TestDriftPrefix breaks the promise that prompts only grow.
func TestDriftPrefix(t *testing.T) {
	p := player(t, "-- reply --\na\n-- reply --\nb\n-- reply --\nc\n")
	first := &conversation{}
	first.add("instructions", "Act, then wait.\nIt is 12:00.\nBe short.")
	first.add("task", "\n\nTASK: count")
	first.ask(t, p)
	second := &conversation{}
	second.add("instructions", "Act, then wait.\nIt is 12:01.\nBe short.")
	second.add("task", "\n\nTASK: count")
	second.add("act 1", "\n\nACT: a")
	second.ask(t, p)
	second.ask(t, p)
	require.EqualError(t, p.Check(), `x.txtar:3: ask 2 of lane main: the prompt no longer extends the previous one; first change at line 2, inside instructions
    --- ask 1
    +++ ask 2
     Act, then wait.
    -It is 12:00.
    +It is 12:01.
     Be short.

     TASK: count
    +
    +ACT: a
  if it is cut down on purpose, say so with the check shrinks; if another conversation begins here, give each a lane`)
	var drift *script.DriftError
	require.ErrorAs(t, p.Check(), &drift)
	assert.Equal(t, "grows", drift.Check)
	assert.Equal(t, "instructions", drift.Part)
	assert.Equal(t, 2, drift.Ask)

	p = player(t, "-- reply --\na\n-- reply --\nb\n-- reply --\nc\n")
	p.Regrow = true
	asks(t, p, "one", "two", "one")
	require.NoError(t, p.Check())
}

// TestDriftWithoutParts compares prompts of code that does not tell their parts.
func TestDriftWithoutParts(t *testing.T) {
	p := player(t, "-- reply --\na\n-- added --\nb\nc\n-- reply --\nb\n-- added newline=no --\nx\n-- reply --\nc\n")
	asks(t, p, "p", "p\nb\nd")
	require.EqualError(t, p.Check(), `x.txtar:3: ask 2 of lane main: added text differs at line 2
    --- script
    +++ asked
     b
    -c
    +d`)
	p = player(t, "-- reply --\na\n-- added --\nb\n-- reply --\nb\n-- reply --\nc\n")
	asks(t, p, "p", "pb", "q")
	require.EqualError(t, p.Check(), "x.txtar:3: ask 2 of lane main: added text goes on in the last line of the previous prompt; the script has it on a new line: accept it with newline=no")
	p = player(t, "-- reply --\na\n-- added newline=no --\nb\n-- reply --\nb\n")
	asks(t, p, "p", "p\nb")
	require.EqualError(t, p.Check(), "x.txtar:3: ask 2 of lane main: added text begins on a new line; the script has it go on in the last line of the previous prompt: accept it without newline=no")
}

// TestDriftOnce reports the first cause of a conversation only, answers its
// further asks, and goes on comparing the other conversation.
func TestDriftOnce(t *testing.T) {
	p := player(t, `-- lane a --
-- when --
contains a:
-- expect --
contains 1
contains 2
-- reply --
r1
-- added --
x
-- reply --
r2
-- reply --
r3
-- lane b --
-- expect --
contains 3
-- reply --
r4
`)
	assert.Equal(t, []string{"r1", "r2", "r4"}, asks(t, p, "a:", "a:\nr1", "b:"))
	require.EqualError(t, p.Check(), "x.txtar:5: ask 1 of lane a: the prompt does not contain \"1\"\nx.txtar:17: ask 1 of lane b: the prompt does not contain \"3\"")
}

// TestDriftHidesSecrets checks that no message shows one.
func TestDriftHidesSecrets(t *testing.T) {
	t.Setenv("SOME_TOKEN", "correct horse battery")
	p := player(t, "-- prompt --\nkey: none\n-- reply --\na\n")
	asks(t, p, "key: correct horse battery "+fakeKey)
	assert.Contains(t, p.Check().Error(), "+key: <secret SOME_TOKEN> <secret OpenAI key>")
}
