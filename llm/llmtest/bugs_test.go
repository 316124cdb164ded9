package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/script"
)

// A bug is what is wrong with a sample.
type bug int

const (
	none bug = iota
	notFedBack
	toolCalledTwice
	historyKept
	errorSwallowed
	taskDropped
	replyUsedTwice
	mapOrder
	askedTwice
	asksIfSure
	limitTooLow
	limitMissing
	noRetry
	retriesAll
	errorInPrompt
	cutIsRun
	emptyIsDone
	talkIsAnswer
	lastMoveWins
	midLineMarker
	unknownToolEnds
	toolErrorHidden
	thoughtDropped
	slidingWindow
	clockInPrompt
	outputCut
	outputBare
	leavesFolder
	errorTypeLost
	contextIgnored
	fileLeftOpen
)

// bugs lists the thirty: what each is, and what the kit says of it. Those without
// are not found: nothing that a model is asked and nothing that is left behind is
// other than it should be.
var bugs = []struct {
	bug  bug
	what string
	says string
}{
	{notFedBack, "an observation is not fed back", "-OBS: "},
	{toolCalledTwice, "a tool is called twice", "after the run all.txt is not as the script has it"},
	{historyKept, "the history of the last run is kept", "2-slips.txtar:7: ask 1 of lane main: prompt differs at line 11"},
	{errorSwallowed, "an error of the model is swallowed", "4-bad-request.txtar:19: the run has an answer, the script wants an error"},
	{taskDropped, "after ten steps the prompt drops the task", "ask 11 of lane main: the prompt no longer extends the previous one; first change at line 11"},
	{replyUsedTwice, "a reply is used twice", "    +ACT: read a.txt\n    +OBS: apples\n"},
	{mapOrder, "the tools are listed in the order of a map", "ask 1 of lane main: prompt differs at line "},
	{askedTwice, "a prompt is asked twice", "1-long.txtar:35: ask 3 of lane main: added text differs"},
	{asksIfSure, "after the answer the model is asked once more", "ask 15 has no reply (testdata/bugs/1-long.txtar:110)"},
	{limitTooLow, "the step limit is lower than said", "4 of 14 replies were not used"},
	{limitMissing, "there is no step limit", "ask 15 has no reply (testdata/bugs/7-limit.txtar:7)"},
	{noRetry, "a busy server is not asked again", "server answered 429: slow down (retry after 1s)\nscripted: 3 of 4 replies were not used"},
	{retriesAll, "a request that was refused is sent again", "ask 2 has no reply (testdata/bugs/4-bad-request.txtar:17)"},
	{errorInPrompt, "the error of an ask gets into the prompt", "    +OBS: server answered 429"},
	{cutIsRun, "a reply that was cut is acted on", "after the run a.txt is not as the script has it"},
	{emptyIsDone, "an empty reply is taken for the answer", "6-empty.txtar:18: the run has an answer, the script wants an error"},
	{talkIsAnswer, "a reply without a move is taken for the answer", "7 of 8 replies were not used"},
	{lastMoveWins, "of two moves the last is taken", "the answer is \"seven\", the script wants \"apples\""},
	{midLineMarker, "a move in the middle of a line is acted on", "there is no a.txt after the run"},
	{unknownToolEnds, "an unknown tool ends the run", "unknown tool open\nscripted: 6 of 8 replies were not used"},
	{toolErrorHidden, "a tool's error is told as success", "    -OBS: error: no file b.txt\n    +OBS: ok\n"},
	{thoughtDropped, "the model's thought is dropped from the prompt", "    -First the names.\n     ACT: list\n"},
	{slidingWindow, "old steps slide out of the prompt", "ask 8 of lane main: the prompt no longer extends the previous one"},
	{clockInPrompt, "the time of day is in the prompt", "    +It is 20"},
	{outputCut, "long output is cut without a word", "    +OBS: bread and butter, eggs, flour, sugar, a"},
	{outputBare, "output stands in the prompt as if the model had written it", "    -| DONE: nothing more to buy\n    +DONE: nothing more to buy\n"},
	{leavesFolder, "a tool leaves the folder", "    -OBS: error: outside of the folder\n"},
	{errorTypeLost, "an error loses its type", ""},
	{contextIgnored, "the context of the run is not passed on", ""},
	{fileLeftOpen, "a file is left open", ""},
}

// withKit plays the scripts with the three lines that a user writes.
func withKit(t *testing.T, bug bug) string {
	agent := &sample{bug: bug}
	defer agent.close()
	return runAll(t, "testdata/bugs/*.txtar", func(c *llmtest.Case) (string, error) {
		return agent.Run(context.Background(), c, c.Dir, c.Task)
	})
}

// runAll does what Run does, on tests that may fail.
func runAll(t *testing.T, pattern string, agent func(*llmtest.Case) (string, error)) string {
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, paths, 7)
	var failures []string
	for _, path := range paths {
		s := spyOn(t, t.Name(), func(s *spy) { llmtest.Play(s, path, agent) })
		failures = append(failures, s.errors...)
	}
	return strings.Join(failures, "\n")
}

// TestSample holds that the sample without a bug passes, as a user tests it.
func TestSample(t *testing.T) {
	agent := &sample{}
	llmtest.Run(t, "testdata/bugs/*.txtar", func(t *testing.T, c *llmtest.Case) (string, error) {
		return agent.Run(t.Context(), c, c.Dir, c.Task)
	})
}

// A double is what people write by hand: it gives its replies in order.
type double struct {
	replies []string
	errs    []error
	asks    int
}

func (d *double) Ask(context.Context, string) (string, error) {
	d.asks++
	if d.asks > len(d.replies) {
		return "", errors.New("no replies left")
	}
	return d.replies[d.asks-1], d.errs[d.asks-1]
}

// byHand tests the sample with a double, on the same tasks and replies, and
// compares what it returns, and how often it asked, with what it should.
func byHand(t *testing.T, bug bug) (found bool) {
	agent := &sample{bug: bug}
	defer agent.close()
	paths, err := filepath.Glob("testdata/bugs/*.txtar")
	require.NoError(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		s, err := script.Parse(path, data)
		require.NoError(t, err)
		dir := t.TempDir()
		for _, f := range s.Files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, f.Path), []byte(f.Text), 0o666))
		}
		model := newDouble(t, s)
		answer, err := agent.Run(t.Context(), model, dir, s.Task.Text)
		found = found || answer != s.Answer.Text || (err != nil) != (s.Error.Line > 0) || model.asks != len(model.replies)
	}
	return found
}

// newDouble takes the replies of a script.
func newDouble(t *testing.T, s *script.Script) *double {
	d := &double{}
	bare := *s
	bare.Lanes = []*script.Lane{{Name: "main"}}
	for _, step := range s.Lanes[0].Steps {
		own := *step
		own.Prompt, own.Added = script.Section{}, script.Section{}
		bare.Lanes[0].Steps = append(bare.Lanes[0].Steps, &own)
	}
	model := &script.Player{Script: &bare, Regrow: true}
	for _, step := range bare.Lanes[0].Steps {
		for range max(step.Times, 1) {
			reply, err := model.Ask(t.Context(), "p")
			d.replies, d.errs = append(d.replies, reply), append(d.errs, err)
		}
	}
	return d
}

// TestThirtyBugs plants each bug and tests the sample twice: with the kit, and
// with a double by hand.
func TestThirtyBugs(t *testing.T) {
	quiet(t)
	require.Len(t, bugs, 30)
	assert.Empty(t, withKit(t, none))
	assert.False(t, byHand(t, none))
	var table strings.Builder
	table.WriteString("| | bug | three lines | by hand |\n| --- | --- | --- | --- |\n")
	kitFound, handFound := 0, 0
	for i, b := range bugs {
		require.Equal(t, bug(i+1), b.bug)
		told, hand := withKit(t, b.bug), byHand(t, b.bug)
		for try := 0; told == "" && b.bug == mapOrder && try < 50; try++ {
			told = withKit(t, b.bug) // now and then a map is in order
		}
		if b.says == "" {
			assert.Empty(t, told, b.what)
		} else if assert.Contains(t, told, b.says, b.what) {
			kitFound++
		}
		if hand {
			handFound++
		}
		fmt.Fprintf(&table, "| %d | %s | %s | %s |\n", i+1, b.what, mark(told != ""), mark(hand))
		t.Logf("== %s\n%s", b.what, told)
	}
	fmt.Fprintf(&table, "| | found of 30 | %d | %d |\n", kitFound, handFound)
	t.Logf("\n%s", table.String())
	assert.GreaterOrEqual(t, kitFound, 27)
	docs, err := os.ReadFile("../../docs/TESTING.md")
	require.NoError(t, err)
	assert.Contains(t, string(docs), table.String(), "docs/TESTING.md has the table")
}

func mark(found bool) string {
	if found {
		return "yes"
	}
	return ""
}
