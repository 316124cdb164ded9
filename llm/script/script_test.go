package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

const whole = `Counts the Go files.
More about it.

-- task --
How many Go files
are here?
-- file a.go --
package a
-- file sub/b.go --

-- reply --
I will look.
ACT: list .
-- reply --
DONE: two


-- answer --
two
`

func TestParse(t *testing.T) {
	s, err := script.Parse("count.txtar", []byte(whole))
	require.NoError(t, err)
	assert.Equal(t, &script.Script{
		Name:  "count.txtar",
		Title: "Counts the Go files.",
		Task:  "How many Go files\nare here?",
		Files: []script.File{
			{Path: "a.go", Text: "package a\n", Line: 7},
			{Path: "sub/b.go", Text: "\n", Line: 9},
		},
		Replies: []script.Reply{
			{Text: "I will look.\nACT: list .", Line: 11},
			{Text: "DONE: two\n\n", Line: 14},
		},
		Answer:     "two",
		AnswerLine: 18,
	}, s)
	assert.Equal(t, []string{"I will look.\nACT: list .", "DONE: two\n\n"}, s.Texts())
	assert.Equal(t, "count.txtar:11", s.At(s.Replies[0].Line))
}

func TestParseCRLF(t *testing.T) {
	want, err := script.Parse("x", []byte(whole))
	require.NoError(t, err)
	for _, bom := range []string{"", "\ufeff"} {
		got, err := script.Parse("x", []byte(bom+strings.ReplaceAll(whole, "\n", "\r\n")))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestParseKeepsSomeCR(t *testing.T) {
	s, err := script.Parse("x", []byte("-- reply --\nDONE: a\r\nb\n"))
	require.NoError(t, err)
	assert.Equal(t, "DONE: a\r\nb", s.Replies[0].Text)
}

func TestParseReply(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"", ""},
		{"\n", ""},
		{"\n\n", "\n"},
		{"DONE: a", "DONE: a"},
		{"DONE: a\n", "DONE: a"},
		{"-- \n", "-- "},
		{"-- reply to the customer\n", "-- reply to the customer"},
		{"--\nreply\n", "--\nreply"},
		{"--task-force\n", "--task-force"},
		{"reply\n", "reply"},
		{"-- SELECT --x\n", "-- SELECT --x"},
	} {
		s, err := script.Parse("x", []byte("-- reply --\n"+test.body))
		if assert.NoError(t, err, "%q", test.body) {
			assert.Equal(t, test.want, s.Replies[0].Text, "%q", test.body)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	const reply = "-- reply --\nDONE: a\n"
	const known = "this version knows task, file PATH, reply and answer"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", `x.txtar:1: no replies; write each under a line "-- reply --"`},
		{"no-replies", "Title\n-- task --\ngo\n", `x.txtar:1: no replies; write each under a line "-- reply --"`},
		{"unknown", "Title\n\n-- replies --\n" + reply, `x.txtar:3: unknown section "replies"; ` + known},
		{"later", reply + "-- fault status 429 --\n", `x.txtar:3: unknown section "fault"; ` + known},
		{"case", reply + "-- Reply --\n", `x.txtar:3: unknown section "Reply"; ` + known},
		{"option", "-- reply delay=2s --\n", `x.txtar:1: section "reply" takes nothing, got "delay=2s"; ` + known + ", without options"},
		{"word", "-- answer yes --\n" + reply, `x.txtar:1: section "answer" takes nothing, got "yes"; ` + known + ", without options"},
		{"two-tasks", "-- task --\na\n-- task --\nb\n" + reply, `x.txtar:3: a second task; a script has one`},
		{"empty-task", "-- task --\n\n" + reply, `x.txtar:1: the task is empty`},
		{"two-answers", "-- answer --\n-- answer --\n" + reply, `x.txtar:2: a second answer; the first is in line 1`},
		{"no-path", "-- file --\n" + reply, `x.txtar:1: section "file" takes one path without blanks, got ""`},
		{"two-paths", "-- file a b --\n" + reply, `x.txtar:1: section "file" takes one path without blanks, got "a b"`},
		{"path-out", "-- file ../a --\n" + reply, `x.txtar:1: path "../a"; want a relative one with slashes, inside the folder`},
		{"path-absolute", "-- file /a --\n" + reply, `x.txtar:1: path "/a"; want a relative one with slashes, inside the folder`},
		{"path-windows", "-- file a\\b --\n" + reply, `x.txtar:1: path "a\\b"; want a relative one with slashes, inside the folder`},
		{"path-folder", "-- file . --\n" + reply, `x.txtar:1: path "."; want a relative one with slashes, inside the folder`},
		{"path-twice", "-- file a --\n\n-- file a --\n" + reply, `x.txtar:3: file a is in line 1 too`},
		{"no-blanks", reply + "--reply--\n", misspelt(3, "--reply--", "reply")},
		{"half", reply + "-- reply\n", misspelt(3, "-- reply", "reply")},
		{"front", reply + "reply --\n", misspelt(3, "reply --", "reply")},
		{"one-blank", reply + "-- reply--\n", misspelt(3, "-- reply--", "reply")},
		{"three-dashes", reply + "--- answer ---\n", misspelt(3, "--- answer ---", "answer")},
		{"indented", "Title\n  -- task --\n" + reply, misspelt(2, "  -- task --", "task")},
		{"trailing-blank", reply + "-- answer -- \n", misspelt(3, "-- answer -- ", "answer")},
		{"file-half", "--file a.go\n" + reply, misspelt(1, "--file a.go", "file a.go")},
		{"in-comment", "--reply--\n" + reply, misspelt(1, "--reply--", "reply")},
		{"option-half", reply + "--reply times=2--\n", misspelt(3, "--reply times=2--", "reply times=2")},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := script.Parse("x.txtar", []byte(test.text))
			assert.EqualError(t, err, test.want)
			assert.Nil(t, s)
		})
	}
}

func misspelt(line int, text, head string) string {
	return fmt.Sprintf(`x.txtar:%d: %q looks like the marker of a section but is none; write "-- %s --" from the start of the line to its end`, line, text, head)
}

// TestParseLikeTxtar compares the sections found with those of txtar.
func TestParseLikeTxtar(t *testing.T) {
	for _, text := range []string{
		whole,
		"-- reply --",
		"--  reply   --\nDONE: a",
		"-- reply --\r\na\r\n-- answer --\nb\n",
		"comment\n--\n--  --\n-- reply --\n\n\n-- task --\nx",
	} {
		archive := txtar.Parse([]byte(text))
		s, err := script.Parse("x", []byte(text))
		require.NoError(t, err)
		var want []string
		for _, f := range archive.Files {
			if f.Name == "reply" {
				want = append(want, strings.TrimSuffix(string(f.Data), "\n"))
			}
		}
		assert.Equal(t, want, s.Texts(), "%q", text)
	}
}

// FuzzParse checks that Parse never panics, that errors name a line of the
// file, and that a script written again is the same script.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("-- reply --\nDONE: a")
	f.Add("--reply--\n-- reply --\r\n")
	f.Add("-- file a --\n-- reply x=1 --\n-- --\n--  --\n")
	for _, name := range glob(f) {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse("x", []byte(text))
		if err != nil {
			var line int
			_, scanErr := fmt.Sscanf(err.Error(), "x:%d: ", &line)
			require.NoError(t, scanErr, err)
			require.LessOrEqual(t, line, strings.Count(text, "\n")+1)
			require.Positive(t, line)
			return
		}
		lines := strings.Split(text, "\n")
		for _, r := range s.Replies {
			require.Contains(t, lines[r.Line-1], "reply")
		}
		again, err := script.Parse("x", []byte(format(s)))
		require.NoError(t, err)
		require.Equal(t, s.Task, again.Task)
		require.Equal(t, s.Texts(), again.Texts())
		require.Equal(t, s.Answer, again.Answer)
	})
}

// glob returns the demo's script, the one that users see first.
func glob(t testing.TB) []string {
	names, err := filepath.Glob("../../cmd/actdone/demo/*.txtar")
	require.NoError(t, err)
	return names
}

// format writes a script, without its comment.
func format(s *script.Script) string {
	var b strings.Builder
	if s.Task != "" {
		fmt.Fprintf(&b, "-- task --\n%s\n", s.Task)
	}
	for _, r := range s.Replies {
		fmt.Fprintf(&b, "-- reply --\n%s\n", r.Text)
	}
	if s.AnswerLine > 0 {
		fmt.Fprintf(&b, "-- answer --\n%s\n", s.Answer)
	}
	return b.String()
}

func ExampleParse() {
	s, err := script.Parse("count.txtar", []byte(`Counts the files.
-- task --
How many files are here?
-- reply --
ACT: list .
-- reply --
DONE: 2
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Task)
	fmt.Printf("%q\n", s.Texts())
	// Output:
	// How many files are here?
	// ["ACT: list ." "DONE: 2"]
}
