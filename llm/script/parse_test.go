package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// parse reads a script that must be right.
func parse(t testing.TB, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("x.txtar", []byte(text))
	require.NoError(t, err)
	return s
}

// open reads a script of testdata.
func open(t testing.TB, name string) *script.Script {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
	require.NoError(t, err)
	s, err := script.Parse(name+".txtar", data)
	require.NoError(t, err)
	return s
}

func TestParseRun(t *testing.T) {
	s := open(t, "count")
	assert.Equal(t, "Counts the Go files, after first trying a tool that is not there.", s.Title)
	assert.Equal(t, script.Section{Text: "How many Go files are here?", Line: 3}, s.Task)
	assert.Equal(t, []script.File{
		{Path: "a.go", Section: script.Section{Text: "package a\n", Line: 5}},
		{Path: "b.go", Section: script.Section{Text: "package b\n", Line: 7}},
	}, s.Files)
	assert.Equal(t, script.Section{Text: "2", Line: 28}, s.Answer)
	require.Len(t, s.Lanes, 1)
	assert.Equal(t, "main", s.Lanes[0].Name)
	steps := s.Lanes[0].Steps
	require.Len(t, steps, 3)
	assert.Equal(t, script.Section{Text: "I will look.\nACT: rm -rf .", Line: 12}, steps[0].Reply)
	assert.Equal(t, script.Checks{Line: 9, List: []script.Check{
		{Verb: "contains", Text: "How many Go files are here?", Line: 10},
		{Not: true, Verb: "contains", Text: "unknown tool", Line: 11},
	}}, steps[0].Expect)
	assert.Equal(t, script.Section{Text: "\nACT: bash ls *.go | wc -l\nOBS: 2", Line: 22}, steps[2].Added)
	assert.Equal(t, "count.txtar:26", s.At(steps[2].Line()))
}

func TestParseFaults(t *testing.T) {
	s := open(t, "faults")
	assert.Equal(t, "chat word", s.API+" "+s.Chunk)
	steps := s.Lanes[0].Steps
	require.Len(t, steps, 4)
	assert.Equal(t, &script.Fault{Kind: "status", Status: 429, RetryAfter: 20 * time.Second, After: -1,
		Section: script.Section{Text: "Rate limit reached for requests", Line: 6}}, steps[0].Fault)
	assert.Equal(t, &script.Fault{Kind: "cut", After: 3, Section: script.Section{Text: "The answer is forty two.", Line: 8}}, steps[1].Fault)
	assert.Equal(t, []script.ToolCall{{ToolCall: llm.ToolCall{ID: "call_1", Name: "bash", Arguments: `{"command": "ls"}`}, Line: 12}}, steps[2].Calls)
	assert.Equal(t, script.Options{In: 120, Out: 9}, steps[2].Options)
	assert.Equal(t, script.Options{In: 160, Out: 4, Delay: 2 * time.Second, Gap: 50 * time.Millisecond}, steps[3].Options)
	assert.Equal(t, 12, steps[2].Line())
}

func TestParseLanes(t *testing.T) {
	s := open(t, "lanes")
	require.Len(t, s.Lanes, 2)
	assert.Equal(t, "south", s.Lanes[1].Name)
	assert.Equal(t, []script.Check{{Verb: "contains", Text: "region: south", Line: 16}}, s.Lanes[1].When.List)
	assert.Len(t, s.Lanes[0].Steps, 2)
}

func TestParseMessages(t *testing.T) {
	s := parse(t, `-- reply --
Both.
-- call a --
{}
-- call b id=x --
[1]
-- expect --
-- call a times=2 --
{}
-- task --
go
-- call d --
[]
-- expect --
-- call c --
null
`)
	steps := s.Lanes[0].Steps
	require.Len(t, steps, 3)
	assert.Equal(t, "Both.", steps[0].Reply.Text)
	assert.Equal(t, []script.ToolCall{{ToolCall: llm.ToolCall{Name: "a", Arguments: "{}"}, Line: 3}, {ToolCall: llm.ToolCall{ID: "x", Name: "b", Arguments: "[1]"}, Line: 5}}, steps[0].Calls)
	assert.Equal(t, 2, steps[1].Times)
	assert.Len(t, steps[1].Calls, 2)
	assert.Equal(t, "c", steps[2].Calls[0].Name)
}

func TestParseOptions(t *testing.T) {
	s := parse(t, `-- reply finish=length chunk=12 split=bytes cached=3 times=4 on=2026-11-29 model="a b" of=3f9a12c4 --
a
`)
	assert.Equal(t, script.Options{Finish: "length", Chunk: "12", Split: "bytes", Cached: 3, Times: 4, On: "2026-11-29", Model: "a b", HashOf: "3f9a12c4"}, s.Lanes[0].Steps[0].Options)
}

func TestParseSettings(t *testing.T) {
	s := parse(t, `-- script --
# what it is for
api text
chunk 20
split bytes
strict off

normalize uuid
normalize id  order-[0-9]+ of
allow concurrent
-- reply --
`)
	assert.Equal(t, "text", s.API)
	assert.Equal(t, "20", s.Chunk)
	assert.Equal(t, "bytes", s.Split)
	assert.True(t, s.Lenient)
	assert.True(t, s.Concurrent)
	require.Len(t, s.Normalize, 2)
	assert.Equal(t, script.Normalizer{Name: "uuid"}, s.Normalize[0])
	assert.Equal(t, "order-[0-9]+ of", s.Normalize[1].Regexp.String())
}

func TestParseCheck(t *testing.T) {
	for _, test := range []struct {
		line string
		want script.Check
		text string // canonical
	}{
		{"contains a b ", script.Check{Verb: "contains", Text: "a b "}, "contains `a b `"},
		{"contains  a", script.Check{Verb: "contains", Text: " a"}, "contains ` a`"},
		{`contains "a\tb"`, script.Check{Verb: "contains", Text: "a\tb"}, "contains `a\tb`"},
		{`contains "a\nb"`, script.Check{Verb: "contains", Text: "a\nb"}, `contains "a\nb"`},
		{"contains `a`", script.Check{Verb: "contains", Text: "a"}, "contains a"},
		{"contains `\"a`", script.Check{Verb: "contains", Text: `"a`}, "contains `\"a`"},
		{"contains \"`a\"", script.Check{Verb: "contains", Text: "`a"}, "contains \"`a\""},
		{"  !starts x", script.Check{Not: true, Verb: "starts", Text: "x"}, "! starts x"},
		{"!  ends x", script.Check{Not: true, Verb: "ends", Text: "x"}, "! ends x"},
		{"count 0 x y", script.Check{Verb: "count", Text: "x y"}, "count 0 x y"},
		{"tool bash", script.Check{Verb: "tool", Text: "bash"}, "tool bash"},
		{"model m", script.Check{Verb: "model", Text: "m"}, "model m"},
		{"shrinks", script.Check{Verb: "shrinks"}, "shrinks"},
		{"contains a\r", script.Check{Verb: "contains", Text: "a\r"}, `contains "a\r"`},
	} {
		got, err := script.ParseCheck(test.line)
		if assert.NoError(t, err, "%q", test.line) {
			assert.Equal(t, test.want, got, "%q", test.line)
			assert.Equal(t, test.text, got.String(), "%q", test.line)
		}
	}
}

func TestCheckHolds(t *testing.T) {
	for _, test := range []struct {
		line, text string
		want       bool
	}{
		{"contains b", "abc", true}, {"contains d", "abc", false}, {"! contains d", "abc", true},
		{"match ^b.$", "a\nbc\nd", true}, {"match ^c", "abc", false}, {"! match ^c", "abc", true},
		{"starts a", "abc", true}, {"starts b", "abc", false}, {"ends c", "abc", true}, {"ends b", "abc", false},
		{"count 2 a", "aba", true}, {"count 1 a", "aba", false}, {"! count 1 a", "aba", true},
		{"tool a", "a", false}, {"model a", "a", false}, {"shrinks", "a", false},
	} {
		c, err := script.ParseCheck(test.line)
		if assert.NoError(t, err) {
			assert.Equal(t, test.want, c.Holds(test.text), "%q of %q", test.line, test.text)
		}
	}
}

func TestParseCRLF(t *testing.T) {
	for _, name := range []string{"count", "faults", "lanes"} {
		want, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
		require.NoError(t, err)
		for _, bom := range []string{"", "\ufeff"} {
			got := parse(t, bom+strings.ReplaceAll(string(want), "\n", "\r\n"))
			assert.Equal(t, string(parse(t, string(want)).Bytes()), strings.TrimPrefix(strings.ReplaceAll(string(got.Bytes()), "\r\n", "\n"), "\ufeff"))
			assert.Equal(t, plain(parse(t, string(want))), plain(got))
		}
	}
}

func TestParseReply(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"", ""},
		{"\n", ""},
		{"\n\n", "\n"},
		{"DONE: a", "DONE: a"},
		{"DONE: a\n", "DONE: a"},
		{"DONE: a\r\nb\n", "DONE: a\r\nb"},
		{"-- \n", "-- "},
		{"-- reply to the customer\n", "-- reply to the customer"},
		{"--\nreply\n", "--\nreply"},
		{"--task-force\n", "--task-force"},
		{"--- a/file\n+++ b/file\n", "--- a/file\n+++ b/file"},
		{"reply\n", "reply"},
		{"-- SELECT --x\n", "-- SELECT --x"},
	} {
		s, err := script.Parse("x", []byte("-- reply --\n"+test.body))
		if assert.NoError(t, err, "%q", test.body) {
			assert.Equal(t, test.want, s.Lanes[0].Steps[0].Reply.Text, "%q", test.body)
		}
	}
}

func TestParseQuoted(t *testing.T) {
	s := parse(t, `-- task encoding=quoted --
>-- task --
>go
-- file a encoding=quoted newline=no --
>--reply--
-- file b newline=no --
b
-- file c newline=no --
-- prompt encoding=quoted --
>
-- reply encoding=quoted --
>-- reply --
>
>x
-- added encoding=quoted newline=no --
>-- added --
-- fault error encoding=quoted --
>-- fault --
-- answer encoding=quoted --
-- after d encoding=quoted --
>>
`)
	assert.Equal(t, "-- task --\ngo", s.Task.Text)
	assert.Equal(t, "--reply--", s.Files[0].Text)
	assert.Equal(t, "b", s.Files[1].Text)
	assert.Empty(t, s.Files[2].Text)
	steps := s.Lanes[0].Steps
	assert.Empty(t, steps[0].Prompt.Text)
	assert.Equal(t, "-- reply --\n\nx", steps[0].Reply.Text)
	assert.Equal(t, "-- added --", steps[1].Added.Text)
	assert.True(t, steps[1].SameLine)
	assert.Equal(t, "-- fault --", steps[1].Fault.Text)
	assert.Empty(t, s.Answer.Text)
	assert.Equal(t, ">\n", s.After[0].Text)
}

// TestParseLikeTxtar compares the sections found with those of txtar.
func TestParseLikeTxtar(t *testing.T) {
	whole, err := os.ReadFile("testdata/count.txtar")
	require.NoError(t, err)
	for _, text := range []string{
		string(whole),
		"-- reply --",
		"--  reply   --\nDONE: a",
		"comment\n--\n--  --\n-- reply --\n\n\n-- task --\nx",
	} {
		var want, got []string
		for _, f := range txtar.Parse([]byte(text)).Files {
			if f.Name == "reply" {
				want = append(want, strings.TrimSuffix(string(f.Data), "\n"))
			}
		}
		for _, step := range parse(t, text).Lanes[0].Steps {
			got = append(got, step.Reply.Text)
		}
		assert.Equal(t, want, got, "%q", text)
	}
}
