package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

// plain returns all that a script says, without the lines and the source.
func plain(s *script.Script) string {
	var b strings.Builder
	text := func(t script.Section) string { return fmt.Sprintf("%q/%v", t.Text, t.Line > 0 || t.New) }
	checks := func(c script.Checks) string {
		out := fmt.Sprint(c.Line > 0)
		for _, check := range c.List {
			check.Line = 0
			out += fmt.Sprintf("%v %q %d %q;", check.Not, check.Verb, check.N, check.Text)
		}
		return out
	}
	fmt.Fprintf(&b, "%q %v %v\n", s.Title, s.API+s.Chunk+s.Split, [2]bool{s.Lenient, s.Concurrent})
	for _, n := range s.Normalize {
		fmt.Fprintf(&b, "%s %v\n", n.Name, n.Regexp)
	}
	fmt.Fprintln(&b, text(s.Task), text(s.Answer), checks(s.Error))
	for _, f := range append(append([]script.File{}, s.Files...), s.After...) {
		fmt.Fprintln(&b, f.Path, text(f.Section))
	}
	for _, lane := range s.Lanes {
		fmt.Fprintln(&b, lane.Name, lane.Line > 0, checks(lane.When))
		for _, step := range lane.Steps {
			fmt.Fprintln(&b, text(step.Prompt), text(step.Added), step.SameLine, checks(step.Expect), text(step.Reply), step.Options)
			for _, call := range step.Calls {
				fmt.Fprintf(&b, "%q %q %q\n", call.ID, call.Name, call.Arguments)
			}
			if f := step.Fault; f != nil {
				fmt.Fprintln(&b, f.Kind, f.Status, f.RetryAfter, f.After, f.Type, f.Message, text(f.Section))
			}
		}
	}
	return b.String()
}

func TestFormat(t *testing.T) {
	got, err := script.Format("x", []byte("\ufeff \n\nTitle  \n\n\n--   task   --\nGo.\n"+
		"-- script --\n\napi   chat \n  # note\n\n--  file  a   newline=no --\nx\n-- expect --\n!contains x\n\n  contains \"a b\"\n\tcontains  y\n  #  why\n\n\n"+
		"-- reply of=3f9a12c4 model=\"a\" times=2 delay=120s in=3 --\nDONE: a\n\n-- expect --\n\n-- fault timeout --\n\n-- fault hang chunk=word after=2 --\na b c\n-- call b id=x --\n{ }\n-- answer --\n\n-- lane-x"))
	require.NoError(t, err)
	want := `Title  

-- task --
Go.
-- script --

api   chat
# note
-- file a newline=no --
x
-- expect --
! contains x

contains a b
contains ` + "` y`" + `
#  why
-- reply in=3 delay=120s times=2 model=a of=3f9a12c4 --
DONE: a

-- expect --
-- fault timeout --
-- fault hang after=2 chunk=word --
a b c
-- call b id=x --
{ }
-- answer --

-- lane-x
`
	assert.Equal(t, want, string(got))
	_, err = script.Format("x", []byte("-- replies --\n"))
	require.ErrorContains(t, err, `x:1: unknown section "replies"`)
}

// TestFormatted checks that scripts of the repository are in canonical form.
func TestFormatted(t *testing.T) {
	for _, name := range scripts(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		got, err := script.Format(name, data)
		require.NoError(t, err)
		assert.Equal(t, string(data), string(got))
	}
}

// scripts returns the scripts that are there: the examples and the demo's, which
// users see first.
func scripts(t testing.TB) []string {
	var names []string
	for _, pattern := range []string{"testdata/*.txtar", "../../cmd/actdone/demo/*.txtar"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		names = append(names, found...)
	}
	require.Greater(t, len(names), 3)
	return names
}
