package dialects_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/dialects"
	"github.com/actdone/actdone/tools"
)

// TestCorpus runs the recorded episodes of the corpus again: a scripted model
// gives the recorded replies, tools check that they are called with what the
// recording says was done and give back the recorded observations. What came of
// an episode is computed from the steps and the answer of the run. Calls that
// together make one move are joined to one reply.
//
// A reply that is not read as the recording has it is of one of the kinds in
// explained; an unknown kind is a failure. In another folder, which ACTDONE_CORPUS
// names, only the figures of exact sources must come out again.
func TestCorpus(t *testing.T) {
	dir := corpusDir(t)
	here := os.Getenv("ACTDONE_CORPUS") == ""
	kinds := map[string]int{}
	var runs, after strings.Builder
	table := tabwriter.NewWriter(&runs, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "source\tepisodes\tcalls\tmoves\tas recorded\trefused\tas there\tnot as recorded\tlenient\tcomputed\trecorded")
	invented := tabwriter.NewWriter(&after, 0, 0, 2, ' ', 0)
	fmt.Fprintln(invented, "source\treplies\twith text after the move\tbytes of it\tbytes in all\tstopped early\tbytes saved")
	var sum inventions
	for _, source := range sources {
		episodes, left := source.load(t, dir)
		if len(episodes) == 0 {
			continue
		}
		c := source.replay(t, episodes, kinds)
		computed, recorded := source.aggregate(c.computed), source.aggregate(c.recorded)
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", source.name(left), len(episodes), c.calls, c.moves,
			c.same, c.refused, c.refusedThere, c.moves-c.same-c.refusedThere, c.lenient, computed, recorded)
		if source.apart == nil && (source.exact || here) {
			assert.Equal(t, recorded, computed, source.file)
			source.published(t, dir, c)
		}
		fmt.Fprintf(invented, "%s\t%s\n", source.name(0), c.invented)
		sum.add(c.invented)
	}
	fmt.Fprintf(invented, "all\t%s\n", sum)
	require.NoError(t, errors.Join(table.Flush(), invented.Flush()))
	var list strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		what, why, _ := strings.Cut(kind, "\x00")
		fmt.Fprintf(&list, "%5d  %s: %s\n", kinds[kind], what, why)
		if here { // other recordings may have kinds of their own
			assert.NotEmpty(t, why, "a kind that nobody has explained: %s", what)
		}
	}
	t.Logf("\n%s\nnot read as recorded:\n%s\ntext after the first move:\n%s", &runs, &list, &after)
}

// explained says why replies of a kind are not read as recorded. The key begins
// with the source where only that source's has the explanation.
var explained = map[string]string{
	"refused, was run: the action's line holds no Tool[input]":   "a bare command; the dialect has no such move",
	"refused, was run: the input has no closing bracket":         "the harness added what was missing; the dialect does it for replays if it is Lenient",
	"refused, was run: text follows the closing bracket":         "the harness took the input up to another bracket or cut words off; which of them the model meant is a guess",
	"refused, was run: text follows the input":                   "what follows may be the second half of the input",
	"llama-index refused, was an answer: text follows the input": "the model wrote the whole run itself, with results under labels of its own invention; the library believed the answer",
	"llama-index act, was an answer":                             "the model wrote the whole run itself, act, invented observation and answer; the library believed the answer, here the first act runs",
	"answer up to the next label":                                "the model went on with turns of its own after its answer; the library kept them as part of it",
	"swe-agent answer, was run":                                  "a submit that the world took for wrong: here submit ends the run, and the replay goes on with a new one",
	"read, was refused: act":                                     "well formed here; the harness wanted another layout",
}

// A source is a file of the corpus and how its episodes are to be run.
type source struct {
	file     string
	protocol react.Protocol
	tools    []tools.Tool // of the recording's world, without Call
	dialect  string       // the episodes of this dialect are run
	read     func(e *episode, g group) recordedMove
	score    func(e *episode, r replayed) float64 // computed from a run
	recorded func(e *episode) float64             // the same as recorded
	split    func(e *episode) string              // groups of the aggregate; nil is one
	how      string                               // "mean" or "count"
	apart    func(e *episode) bool                // whether what is computed may be apart from what is recorded; nil is never
	exact    bool                                 // whether it never may, in whatever episodes
	only     string                               // the beginning of the ids, if not all
	alone    bool                                 // steps are alternatives, each a run
}

var sources = []source{
	{file: "react-webshop.jsonl.gz", exact: true, protocol: dialects.Bracket{Plain: true, ActOnly: true, Lenient: true, End: "-"}, tools: named(tools.One, "search", "click", "think"),
		dialect: "bracket", read: readActOnly, score: shopScore, recorded: recordedScore, how: "mean"},
	{file: "react-fever.jsonl", exact: true, protocol: dialects.Bracket{}, tools: named(tools.One, "Search", "Lookup"),
		dialect: "bracket", read: readBracket, score: exactMatch, recorded: recordedMatch, how: "count"},
	{file: "react-demos.jsonl", protocol: dialects.Bracket{}, tools: named(tools.One, "Search", "Lookup", "search", "click", "think"),
		dialect: "bracket", read: readBracket, score: answered, recorded: recordedEnd, how: "count"},
	{file: "fireact-hotpotqa.jsonl.gz", exact: true, protocol: dialects.Bracket{Plain: true}, tools: named(tools.One, "search"),
		dialect: "bracket", read: readBracket, score: exactMatch, recorded: recordedMatch, how: "count", split: func(e *episode) string { return e.Model }},
	{file: "reflexion-hotpotqa.jsonl", exact: true, protocol: dialects.Bracket{}, tools: named(tools.One, "Search", "Lookup"),
		dialect: "bracket", read: readBracket, score: exactMatch, recorded: recordedMatch, how: "groups"},
	// A run of InterCode that used up its turns was scored after its last step,
	// and the recording of the steps does not hold that: 28 runs here.
	{file: "intercode-react.jsonl.gz", protocol: dialects.Bracket{End: "submit"}, tools: named(tools.Block, "execute"),
		dialect: "bracket", read: readBracket, score: lastReward, recorded: recordedScore, how: "mean", apart: func(e *episode) bool { return e.Outcome.Ended == "step_limit" },
		split: func(e *episode) string { return strings.Split(strings.Split(e.ID, "/")[1], "_")[0] }},
	{file: "knowagent-hotpotqa.jsonl.gz", protocol: dialects.Bracket{}, tools: named(tools.One, "Search", "Retrieve", "Lookup"),
		dialect: "bracket", read: readBracket, score: exactMatch, recorded: recordedMatch, how: "count"},
	{file: "lats-webshop-samples.jsonl", protocol: dialects.Bracket{Plain: true, ActOnly: true, End: "-"}, tools: named(tools.One, "search", "click", "think"),
		dialect: "bracket", read: readActOnly, alone: true},
	{file: "langchain-docs.jsonl", protocol: dialects.Bracket{}, tools: named(tools.One, "Search"),
		dialect: "bracket", read: readBracket, score: sameAnswer, recorded: recordedEnd, how: "count"},
	{file: "langchain-docs.jsonl", protocol: dialects.Classic{End: "AI"}, dialect: "classic",
		read: readClassic, score: sameAnswer, recorded: recordedEnd, how: "count"},
	// Answers behind which or before which the model wrote turns by itself are
	// not believed here.
	{file: "llama-index-docs.jsonl", protocol: dialects.Classic{End: "Response"}, dialect: "classic",
		read: readClassic, score: sameAnswer, recorded: recordedEnd, how: "count", apart: manyTurns},
	{file: "swe-agent.jsonl", only: "swe-agent/", protocol: dialects.Fenced{}, tools: named(tools.Block, "bash"), dialect: "fenced",
		read: readFenced("submit"), score: answered, recorded: recordedEnd, how: "count"},
	{file: "swe-agent.jsonl", only: "mini-swe-agent/", protocol: dialects.Fenced{Info: "mswea_bash_command", End: miniEnd}, tools: named(tools.Block, "bash"), dialect: "fenced",
		read: readFenced(miniEnd), score: answered, recorded: recordedEnd, how: "count"},
}

// miniEnd is the command that ends a run of mini-swe-agent.
const miniEnd = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

// manyTurns reports whether a reply of the episode holds several turns.
func manyTurns(e *episode) bool {
	for _, s := range e.Steps {
		if strings.Count(s.Reply, "Thought:") > 1 {
			return true
		}
	}
	return false
}

func named(lines tools.Lines, names ...string) (list []tools.Tool) {
	for _, name := range names {
		list = append(list, tools.Tool{Name: name, Lines: lines})
	}
	return list
}

// alike reports whether what is computed for e must be what is recorded.
func (s source) alike(e *episode) bool {
	return os.Getenv("ACTDONE_CORPUS") == "" && (s.apart == nil || !s.apart(e))
}

// name is the source's name in the tables.
func (s source) name(left int) string {
	name := orElse(strings.TrimSuffix(s.only, "/"), strings.TrimSuffix(strings.TrimSuffix(s.file, ".gz"), ".jsonl")) + ", " + s.dialect
	if left > 0 {
		name += fmt.Sprintf(" (%d of other dialects)", left)
	}
	return name
}

// An episode is a line of a corpus file.
type episode struct {
	ID, Model, Dialect, Task string
	Steps                    []struct {
		After, Reply string
		Observation  *string
		Reward       float64
		Parsed       *string `json:"parsed_action"`
	}
	Outcome struct {
		Score               float64
		EM                  int
		Answer, Gold, Ended string
		Group               string
	}
}

// A group is the calls of one move, joined.
type group struct {
	reply       string
	observation string
	observed    bool
	reward      float64
	parsed      *string
	last        bool
	calls       int
}

// groups joins the calls that the recording has asked for one move.
func (e *episode) groups(alone bool) (list []group) {
	g := group{}
	for i, s := range e.Steps {
		switch {
		case g.calls == 0:
			g.reply = s.Reply
		case strings.Contains(s.After, "\n"): // the thought as the harness cut it out
			_, thought, _ := strings.Cut(s.After, ":")
			g.reply = strings.TrimSpace(thought) + " " + s.Reply
		default:
			g.reply += "\n" + s.After + " " + s.Reply
		}
		g.calls++
		if g.last = i == len(e.Steps)-1; !alone && s.Observation == nil && !g.last {
			continue
		}
		if s.Observation != nil {
			g.observation, g.observed = *s.Observation, true
		}
		g.reward, g.parsed = s.Reward, s.Parsed
		list = append(list, g)
		g = group{}
	}
	return list
}

func corpusDir(t *testing.T) string {
	dir := os.Getenv("ACTDONE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus beside the module or where ACTDONE_CORPUS says: %v", err)
	}
	return dir
}

// load reads the episodes of the source's dialect, and counts the others.
func (s source) load(t *testing.T, dir string) (list []*episode, left int) {
	path := filepath.Join(dir, s.file)
	if _, err := os.Stat(path); err != nil { // packed or not, as it comes
		path = strings.TrimSuffix(path, ".gz")
		if !strings.HasSuffix(s.file, ".gz") {
			path += ".gz"
		}
	}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		t.Logf("no %s in %s", s.file, dir)
		return nil, 0
	}
	require.NoError(t, err)
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		in, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	for d := json.NewDecoder(in); ; {
		var e episode
		if err := d.Decode(&e); err == io.EOF {
			return list, left
		}
		require.NoError(t, err)
		if dialect, _, _ := strings.Cut(e.Dialect, ","); dialect != s.dialect || !strings.HasPrefix(e.ID, s.only) {
			left++
			continue
		}
		list = append(list, &e)
	}
}

// A recordedMove is what the recording says that a reply did.
type recordedMove struct {
	kind        react.Kind // "" if nothing was done
	tool, input string     // of an answer, the input is the answer
}

// A replayed is what came of running an episode again.
type replayed struct {
	steps  []react.Step
	answer string
	done   bool
	reward float64 // the last that the world gave
}

// counts is what came of running a source again.
type counts struct {
	calls, moves, same, refused, refusedThere, lenient int
	computed, recorded                                 []scored
	invented                                           inventions
}

// A scored is the score of an episode.
type scored struct {
	split    string
	score    float64
	answered bool
}

// replay runs the episodes.
func (s source) replay(t *testing.T, episodes []*episode, kinds map[string]int) (c counts) {
	for _, e := range episodes {
		groups := e.groups(s.alone)
		for len(groups) > 0 {
			n := len(groups)
			if s.alone {
				n = 1
			}
			r := s.run(t, e, groups[:n], &c, kinds)
			groups = groups[n:]
			if s.score != nil && len(groups) == 0 {
				split := ""
				if s.split != nil {
					split = s.split(e)
				}
				c.computed = append(c.computed, scored{split, s.score(e, r), r.done})
				if s.exact || s.alike(e) {
					assert.Equal(t, s.recorded(e), s.score(e, r), e.ID)
				}
				c.recorded = append(c.recorded, scored{split, s.recorded(e), e.Outcome.Ended == "answer" || e.Outcome.Ended == "submitted"})
			}
		}
	}
	return c
}

// run runs one episode through a Loop, and goes on behind an answer that was not
// the last reply.
func (s source) run(t *testing.T, e *episode, groups []group, c *counts, kinds map[string]int) (r replayed) {
	moves := make([]recordedMove, len(groups))
	model := &llm.ScriptedLLM{}
	for i, g := range groups {
		moves[i] = s.read(e, g)
		model.Replies = append(model.Replies, g.reply)
		c.calls += g.calls
	}
	called := make([]recordedMove, len(groups))
	world := s.world(moves, groups, func(tool, input string) string {
		at := len(model.Prompts) - 1
		called[at] = recordedMove{react.Act, tool, input}
		r.reward = groups[at].reward
		return groups[at].observation
	})
	loop := react.Loop{LLM: model, Tools: world, Protocol: s.protocol, MaxSteps: len(groups) + 1, Retries: len(groups), MaxObservation: 1 << 20, Instructions: "i", Example: react.NoExample}
	for len(r.steps) < len(groups) {
		loop.MaxSteps = len(groups) - len(r.steps)
		result, err := loop.Run(t.Context(), e.Task, r.steps...)
		if err != nil {
			require.ErrorIs(t, err, react.ErrStepLimit, e.ID)
		}
		r.steps, r.answer, r.done = result.Steps, result.Answer, err == nil
		if r.done {
			r.reward = groups[len(r.steps)-1].reward
		}
	}
	for i := 1; i < len(model.Prompts); i++ {
		require.True(t, strings.HasPrefix(model.Prompts[i], model.Prompts[i-1]), "%s: prompt %d does not extend the one before", e.ID, i+1)
	}
	for i, step := range r.steps {
		if step.Move.Kind == react.Act && called[i].kind == "" {
			known := slices.ContainsFunc(world, func(known tools.Tool) bool { return known.Name == step.Move.Tool })
			require.False(t, known, "%s: the act of step %d was not run", e.ID, i+1)
		}
		s.judge(e, groups[i], step, moves[i], c, kinds)
		s.measure(t, groups[i].reply, world, &c.invented)
	}
	return r
}

// world returns the tools of the recording.
func (s source) world(moves []recordedMove, groups []group, call func(tool, input string) string) []tools.Tool {
	list := slices.Clone(s.tools)
	if s.tools == nil { // those that were called and were there
		for i, m := range moves {
			name := strings.ReplaceAll(m.tool, " ", "_")
			if m.kind == react.Act && !strings.Contains(groups[i].observation, "not a valid tool") &&
				!slices.ContainsFunc(list, func(t tools.Tool) bool { return t.Name == name }) {
				list = append(list, tools.Tool{Name: name})
			}
		}
	}
	for i := range list {
		name := list[i].Name
		list[i].Call = func(_ context.Context, input string) (string, error) { return call(name, input), nil }
	}
	return list
}

// judge compares what was read in a reply with what the recording says.
func (s source) judge(e *episode, g group, step react.Step, want recordedMove, c *counts, kinds map[string]int) {
	c.moves++
	m := step.Move
	got := recordedMove{kind: m.Kind, tool: m.Tool, input: m.Input}
	if m.Kind == react.Done {
		got.input = m.Answer
	}
	if m.Kind == "" {
		c.refused++
	}
	if p, ok := s.protocol.(dialects.Bracket); ok && p.Lenient {
		p.Lenient = false
		if _, err := p.Parse(g.reply, s.tools); err != nil && m.Kind != "" {
			c.lenient++
		}
	}
	ranThere := g.observed && !notTaken.MatchString(g.observation)
	if got.kind == want.kind && (got.kind != "" || !ranThere) && strings.ReplaceAll(want.tool, " ", "_") == strings.ReplaceAll(got.tool, " ", "_") && want.input == got.input {
		if got.kind == "" {
			c.refusedThere++
		} else {
			c.same++
		}
		return
	}
	what := ""
	switch {
	case got.kind == "" && want.kind == react.Done:
		what = "refused, was an answer: " + s.why(g.reply)
	case got.kind == "":
		what = "refused, was run: " + s.why(g.reply)
	case want.kind == "":
		what = "read, was refused: " + map[react.Kind]string{react.Act: "act", react.Done: "answer"}[got.kind]
	case got.kind == react.Act && want.kind == react.Done:
		what = "act, was an answer"
	case got.kind == react.Done && want.kind == react.Act:
		what = "answer, was run"
	case got.kind == react.Done && strings.HasPrefix(want.input, got.input):
		what = "answer up to the next label"
	default:
		what = fmt.Sprintf("another %s: %s want %+v got %+v", got.kind, e.ID, want, got)
	}
	own := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s.file, ".gz"), ".jsonl"), "-docs")
	kinds[own+", "+what+"\x00"+orElse(explained[own+" "+what], explained[what])]++
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// why is the cause of a refusal.
func (s source) why(reply string) string {
	_, err := s.protocol.Parse(reply, s.tools)
	if bad, ok := errors.AsType[*react.ProtocolError](err); ok {
		return bad.Err.Error()
	}
	return "the reply was empty"
}

// inventions counts the text behind moves.
type inventions struct{ replies, with, after, bytes, stopped, saved int }

func (v *inventions) add(o inventions) {
	v.replies, v.with, v.after = v.replies+o.replies, v.with+o.with, v.after+o.after
	v.bytes, v.stopped, v.saved = v.bytes+o.bytes, v.stopped+o.stopped, v.saved+o.saved
}

func (v inventions) String() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", v.replies, v.with, v.after, v.bytes, v.stopped, v.saved)
}

// measure counts what a reply holds after its move, and what of it EarlyStop
// would not have waited for. It holds law 10 for the reply.
func (s source) measure(t *testing.T, reply string, list []tools.Tool, v *inventions) {
	v.replies++
	v.bytes += len(reply)
	m, err := s.protocol.Parse(reply, list)
	if err == nil && m.Dropped != "" && len(m.Reply) < len(reply) {
		if rest := len(strings.TrimSpace(reply[len(m.Reply):])); rest > 0 {
			v.with++
			v.after += rest
		}
	}
	stop := s.protocol.Stop(list)
	for n := 1; n <= len(reply); n++ {
		if reply[n-1] != '\n' || !stop(reply[:n]) { // nothing but the end of a line stops one
			continue
		}
		require.NoError(t, err, "stopped after %q", reply[:n])
		part, err := s.protocol.Parse(reply[:n], list)
		require.NoError(t, err)
		part.Dropped, m.Dropped = "", ""
		require.Equal(t, m, part, "stopped after %q", reply[:n])
		if rest := len(strings.TrimSpace(reply[n:])); rest > 0 {
			v.stopped++
			v.saved += rest
		}
		return
	}
}
