package script_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// odd is a script that no formatter has seen.
const odd = `Title
--  task  --
Go.

-- lane   a --
-- reply out=2 in=1 --
one
-- answer --
x
-- expect --
# why
!contains  b
-- reply --
two
-- lane b --
--  fault cut --
part
-- call c --
{}`

func TestBytesUnchanged(t *testing.T) {
	for _, text := range []string{odd, odd + "\n", odd + "\n\n", "-- reply --", "\ufeff" + odd,
		strings.ReplaceAll(odd, "\n", "\r\n"), "\ufeff\ufeff-- reply encoding=quoted --\r\n>a\r\n"} {
		assert.Equal(t, text, string(parse(t, text).Bytes()))
	}
}

func TestBytesChanged(t *testing.T) {
	added := func(text string) script.Section { return script.Section{Text: text, New: true} }
	for _, test := range []struct {
		name     string
		change   func(*script.Script)
		old, new string // what is replaced
	}{
		{"answer", func(s *script.Script) { s.Answer.Text = "y\n" }, "answer --\nx\n", "answer --\ny\n\n"},
		{"task", func(s *script.Script) { s.Task.Text = "Stop." }, "Go.\n\n", "Stop.\n"},
		{"no-task", func(s *script.Script) { s.Task = script.Section{} }, "--  task  --\nGo.\n\n", ""},
		{"reply", func(s *script.Script) { s.Lanes[0].Steps[1].Reply.Text = "three" }, "two\n", "three\n"},
		{"reply-marker", func(s *script.Script) { s.Lanes[0].Steps[1].Reply.Text = "-- reply --" },
			"-- reply --\ntwo\n", "-- reply encoding=quoted --\n>-- reply --\n"},
		{"options", func(s *script.Script) { s.Lanes[0].Steps[0].HashOf = "12345678" },
			"-- reply out=2 in=1 --", "-- reply in=1 out=2 of=12345678 --"},
		{"checks", func(s *script.Script) { s.Lanes[0].Steps[1].Expect.List[0].Not = false },
			"# why\n!contains  b\n", "contains ` b`\n"},
		{"added", func(s *script.Script) { s.Lanes[0].Steps[1].Added = added("new") },
			"-- expect --\n# why", "-- added --\nnew\n-- expect --\n# why"},
		{"added-same-line", func(s *script.Script) {
			s.Lanes[0].Steps[1].Added, s.Lanes[0].Steps[1].SameLine = added("new"), true
		}, "-- expect --\n# why", "-- added newline=no --\nnew\n-- expect --\n# why"},
		{"prompt", func(s *script.Script) { s.Lanes[1].Steps[0].Prompt = added("p") },
			"--  fault cut", "-- prompt --\np\n--  fault cut"},
		{"after", func(s *script.Script) {
			s.After = append(s.After, script.File{Path: "f", Section: added("no newline")})
		}, "-- call c --\n{}", "-- call c --\n{}\n-- after f newline=no --\nno newline\n"},
		{"file", func(s *script.Script) {
			s.Files = append(s.Files, script.File{Path: "f", Section: added("text\n")})
		}, "Go.\n\n", "Go.\n\n-- file f --\ntext\n"},
		{"step-behind", func(s *script.Script) {
			s.Lanes[0].Steps = append(s.Lanes[0].Steps, &script.Step{Reply: added("three")})
		}, "two\n", "two\n-- reply --\nthree\n"},
		{"step-last", func(s *script.Script) {
			s.Lanes[1].Steps = append(s.Lanes[1].Steps, &script.Step{Reply: added("three")})
		}, "-- call c --\n{}", "-- call c --\n{}\n-- reply --\nthree\n"},
		{"call-behind-call", func(s *script.Script) {
			s.Lanes[1].Steps = append(s.Lanes[1].Steps, &script.Step{Calls: []script.ToolCall{{ToolCall: llm.ToolCall{Name: "d", Arguments: "[]"}}}})
		}, "-- call c --\n{}", "-- call c --\n{}\n-- expect --\n-- call d --\n[]\n"},
		{"steps-gone", func(s *script.Script) { s.Lanes[1].Steps = s.Lanes[1].Steps[:1] }, "part\n-- call c --\n{}", "part\n"},
		{"last", func(s *script.Script) { s.Lanes[1].Steps[1].Calls[0].Arguments = "[]" }, "c --\n{}", "c --\n[]\n"},
		{"settings", func(s *script.Script) { s.API, s.Lenient = "chat", true },
			"Title\n", "Title\n-- script --\napi chat\nstrict off\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, 1, strings.Count(odd, test.old), "the test")
			want := strings.Replace(odd, test.old, test.new, 1)
			s := parse(t, odd)
			test.change(s)
			assert.Equal(t, want, string(s.Bytes()))

			crlf := parse(t, strings.ReplaceAll(odd, "\n", "\r\n"))
			test.change(crlf)
			assert.Equal(t, strings.ReplaceAll(want, "\n", "\r\n"), string(crlf.Bytes()))

			again := parse(t, want)
			assert.Equal(t, plain(again), plain(parse(t, string(again.Bytes()))))
		})
	}
}

// TestBytesNew writes a script that was made in code.
func TestBytesNew(t *testing.T) {
	added := func(text string) script.Section { return script.Section{Text: text, New: true} }
	check, err := script.ParseCheck("! match ^x")
	assert.NoError(t, err)
	s := &script.Script{
		Title:    "Made.",
		Settings: script.Settings{API: "chat", Chunk: "word", Split: "bytes", Concurrent: true, Normalize: []script.Normalizer{{Name: "hex"}, {Name: "id", Regexp: regexp.MustCompile(`a b`)}}},
		Task:     added("go"),
		Files:    []script.File{{Path: "a/b", Section: script.Section{Text: "x\n"}}},
		Error:    script.Checks{List: []script.Check{{Verb: "contains", Text: "limit"}}},
		After:    []script.File{{Path: "c", Section: script.Section{}}},
		Lanes: []*script.Lane{{Name: "n", When: script.Checks{List: []script.Check{check}}, Steps: []*script.Step{
			{Prompt: added("p"), Fault: &script.Fault{Kind: "status", Status: 429, RetryAfter: 2 * time.Minute, After: -1, Section: added("wait")}},
			{Added: added("-- reply --"), Fault: &script.Fault{Kind: "errframe", After: 0, Message: "a b"}, Options: script.Options{Times: 2, Chunk: "3"}},
			{Fault: &script.Fault{Kind: "raw", Type: "text/html", Section: added("<p>")}},
			{Reply: added("r"), Calls: []script.ToolCall{{ToolCall: llm.ToolCall{ID: "i", Name: "t", Arguments: "{}"}}}, Options: script.Options{Gap: time.Hour, Cached: 2, On: "2026-11-29", Model: "m"}},
			{},
		}}},
	}
	want := `Made.

-- script --
api chat
chunk word
split bytes
normalize hex
normalize id a b
allow concurrent
-- task --
go
-- file a/b --
x
-- lane n --
-- when --
! match ^x
-- prompt --
p
-- fault status 429 retry-after=2m --
wait
-- added encoding=quoted --
>-- reply --
-- fault errframe after=0 message="a b" chunk=3 times=2 --
-- fault raw type=text/html --
<p>
-- reply cached=2 gap=1h on=2026-11-29 model=m --
r
-- call t id=i --
{}
-- reply --
-- error --
contains limit
-- after c --
`
	assert.Equal(t, want, string(s.Bytes()))
}
