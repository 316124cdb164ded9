package script_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

func TestLanes(t *testing.T) {
	p := &script.Player{Script: open(t, "lanes")}
	p.Script.Lanes[0].Steps[0].Delay = 0
	north := "I\n\nTASK: region: north"
	assert.Equal(t, []string{"DONE: 7", "ACT: lookup north", "DONE: 12"},
		asks(t, p, "I\n\nTASK: region: south", north, north+"\n\nACT: lookup north\nOBS: 12"))
	require.NoError(t, p.Check())
	assert.Equal(t, []string{"south", "north", "north"}, []string{p.Calls()[0].Lane, p.Calls()[1].Lane, p.Calls()[2].Lane})
}

func TestLaneRules(t *testing.T) {
	two := func(first, second string) string {
		return "-- lane a --\n" + first + "-- lane b --\n" + second
	}
	replies := func(texts ...string) string { return "-- reply --\n" + strings.Join(texts, "\n-- reply --\n") + "\n" }
	for _, test := range []struct {
		name, script   string
		prompts, wants []string
	}{
		{"first-unstarted", two(replies("a1", "a2"), replies("b1", "b2")), []string{"x", "y", "y\n", "x\n"}, []string{"a1", "b1", "b2", "a2"}},
		{"longest", two(replies("a1", "a2"), "-- when --\ncontains z\n"+replies("b1", "b2")),
			[]string{"x", "z", "x\nz", "z\n"}, []string{"a1", "b1", "a2", "b2"}},
		{"same-prompt", two(replies("ACT: a", "DONE: a"), replies("ACT: b", "DONE: b")),
			[]string{"p", "p", "p\nACT: b\nOBS: 1", "p\nACT: a\nOBS: 1"}, []string{"ACT: a", "ACT: b", "DONE: b", "DONE: a"}},
		{"same-prompt-one-begins-the-other", two(replies("ACT: ab", "DONE: ab"), replies("ACT: a", "DONE: a")),
			[]string{"p", "p", "p\nACT: a\nOBS: 1", "p\nACT: ab\nOBS: 1"}, []string{"ACT: ab", "ACT: a", "DONE: a", "DONE: ab"}},
		{"same-prompt-reply-changed", two(replies("Hm.\nACT:  a\nOBS: invented\nACT: b", "DONE: a"), replies("Hm.\n| ACT: b", "DONE: b")),
			[]string{"p", "p", "p\nHm.\n| ACT: b\nOBS:", "p\nHm.\nACT: a\nOBS: 1"}, []string{"Hm.\nACT:  a\nOBS: invented\nACT: b", "Hm.\n| ACT: b", "DONE: b", "DONE: a"}},
		{"task-that-begins-another", two(replies("a1", "a2"), replies("b1", "b2")),
			[]string{"I\n\nTASK: go", "I\n\nTASK: go on", "I\n\nTASK: go on\n\nb1", "I\n\nTASK: go\n\na1"}, []string{"a1", "b1", "b2", "a2"}},
		{"retry", two("-- fault error --\nbusy\n"+replies("a1"), replies("b1")), []string{"x", "x", "y"}, []string{"busy", "a1", "b1"}},
		{"shrinks", two(replies("a1")+"-- expect --\nshrinks\n"+replies("a2", "a3"), "-- when --\ncontains y\n"+replies("b1")),
			[]string{"long prompt", "short", "y", "short prompt"}, []string{"a1", "a2", "b1", "a3"}},
		{"by-content", "-- script --\nallow concurrent\n" + two("-- when --\ncontains x\n-- reply times=2 --\na1\n", "-- when --\ncontains y\n"+replies("b1")),
			[]string{"xy", "y", "x"}, []string{"a1", "b1", "a1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := player(t, test.script)
			assert.Equal(t, test.wants, asks(t, p, test.prompts...))
			assert.NoError(t, p.Check())
		})
	}
}

// TestLaneParts tells a longer part from a further one.
func TestLaneParts(t *testing.T) {
	p := player(t, "-- lane a --\n-- reply --\na1\n-- reply --\na2\n-- lane b --\n-- reply --\nb1\n")
	ask := func(prompt string, ends ...int) string {
		var parts []llm.Part
		for _, end := range ends {
			parts = append(parts, llm.Part{End: end})
		}
		reply, err := p.Ask(llm.WithParts(t.Context(), parts), prompt)
		require.NoError(t, err)
		return reply
	}
	assert.Equal(t, "a1", ask("go", 2))
	assert.Equal(t, "b1", ask("go on", 5))
	assert.Equal(t, "a2", ask("go on!", 2, 6))
}

func TestNoLane(t *testing.T) {
	const two = "-- lane a --\n-- reply --\na1\n-- reply --\na2\n-- lane b --\n-- when --\ncontains region: south\n-- reply --\nb1\n-- lane c --\n-- when --\ncontains cO\n-- reply --\nc1\n"
	for _, test := range []struct {
		name, script string
		prompts      []string
		want         string
	}{
		{"diverges", two, []string{"I\n\nTASK: count", "I\n\nTASK: cOunt", "I\n\nTASK: mount"}, `
x.txtar: ask 3 of all belongs to no lane
  lane a (line 1): its last prompt is left at line 3
  lane b (line 6): the prompt does not fit its when: contains region: south
  lane c (line 11): its last prompt is left at line 3
  the closest is lane a:
    --- its last prompt
    +++ asked
     I

    -TASK: count
    +TASK: mount
  a prompt goes on from the last one of its lane, or begins a lane that has not begun; one that was cut down says so with the check shrinks`},
		{"same", two, []string{"x", "x"}, `
x.txtar: ask 2 of all belongs to no lane
  lane a (line 1): has this prompt as its last, and it was answered
  lane b (line 6): the prompt does not fit its when: contains region: south
  lane c (line 11): the prompt does not fit its when: contains cO
  a prompt goes on from the last one of its lane, or begins a lane that has not begun; one that was cut down says so with the check shrinks`},
		{"several-shrink", "-- lane a --\n-- when --\ncontains x\n" + shrinking + "-- lane b --\n-- when --\ncontains y\n" + shrinking, []string{"x", "y", "z"}, `
x.txtar: ask 3 of all belongs to no lane
  lane a (line 1): waits for a prompt that is cut down
  lane b (line 10): waits for a prompt that is cut down
  it could belong to any of the lanes a, b; give the one that is cut down a lane of its own, with a when`},
		{"content", "-- script --\nallow concurrent\n-- lane a --\n-- when --\ncontains x\n-- reply --\na\n-- lane b --\n-- when --\ncontains x\n-- reply --\na\n", []string{"xy", "y"}, `
x.txtar: ask 2 of all belongs to no lane
  lane a (line 3): the prompt does not fit its when: contains x
  lane b (line 8): the prompt does not fit its when: contains x`},
		{"content-used-up", "-- script --\nallow concurrent\n-- lane a --\n-- when --\ncontains x\n-- reply --\na\n-- lane b --\n-- when --\ncontains y\n-- reply --\na\n", []string{"x", "xz"}, `
x.txtar: ask 2 of all belongs to no lane
  lane a (line 3): has no step left
  lane b (line 8): the prompt does not fit its when: contains y`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := player(t, test.script)
			replies := asks(t, p, test.prompts...)
			assert.Equal(t, test.want[1:], replies[len(replies)-1])
			var none *script.NoLaneError
			require.ErrorAs(t, p.Check(), &none)
			assert.Equal(t, test.prompts[len(test.prompts)-1], none.Prompt)
			assert.Equal(t, len(test.prompts), none.Ask)
		})
	}
}

const shrinking = "-- reply --\nr\n-- expect --\nshrinks\n-- reply --\ns\n"

// TestLaneSchedules runs eight conversations at once, a thousand times, in an
// order that is never the same. Half of them have the same task, so that only
// their own replies tell them apart.
func TestLaneSchedules(t *testing.T) {
	const runs, asks = 8, 4
	var file strings.Builder
	for run := range runs {
		fmt.Fprintf(&file, "-- lane %d --\n", run)
		if run >= runs/2 {
			fmt.Fprintf(&file, "-- when --\ncontains TASK: %d\n", run)
		} else {
			file.WriteString("-- when --\ncontains TASK: same\n")
		}
		for ask := range asks {
			fmt.Fprintf(&file, "-- reply --\nrun %d ask %d\n", run, ask)
		}
	}
	s := parse(t, file.String())
	schedules := 1000
	if testing.Short() {
		schedules = 50
	}
	for seed := range schedules {
		p := &script.Player{Script: s}
		var all sync.WaitGroup
		for run := range runs {
			random := rand.New(rand.NewPCG(uint64(seed), uint64(run)))
			all.Go(func() { converse(t, p, run, runs/2, asks, random) })
		}
		all.Wait()
		require.NoError(t, p.Check(), "seed %d", seed)
	}
}

// converse is one agent. It checks that all replies are those of one lane, in
// order.
func converse(t *testing.T, p *script.Player, run, same, asks int, random *rand.Rand) {
	task := fmt.Sprint(run)
	if run < same {
		task = "same"
	}
	prompt, lane := "I\n\nTASK: "+task, ""
	for ask := range asks {
		for range random.IntN(4) {
			runtime.Gosched()
		}
		reply, err := p.Ask(context.Background(), prompt)
		if !assert.NoError(t, err) {
			return
		}
		if ask == 0 {
			lane = strings.TrimSuffix(reply, " ask 0")
		}
		assert.Equal(t, fmt.Sprintf("%s ask %d", lane, ask), reply)
		if run >= same {
			assert.Equal(t, fmt.Sprint("run ", run), lane)
		}
		prompt += "\n\n" + reply + "\nOBS: " + fmt.Sprint(random.IntN(3))
	}
}
