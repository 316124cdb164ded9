package script_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

func seeds(f *testing.F) {
	f.Add(odd)
	f.Add("-- reply --\nDONE: a")
	f.Add("--reply--\n-- reply --\r\n")
	f.Add("-- file a --\n-- reply in=1 --\n-- --\n--  --\n")
	f.Add("-- script --\nnormalize uuid\nallow concurrent\n-- lane a --\n-- when --\nmatch ^a$\n-- reply encoding=quoted times=2 model=\"a b\" --\n>-- x --\n")
	f.Add("-- reply --\n-- added newline=no --\nx\n-- expect --\n! count 2 \"a\\n\"\n-- call t id=a --\n{}\n-- call u --\n[]\n-- error --\nends x\n-- after b newline=no --\nx\n")
	for _, name := range scripts(f) {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(data))
	}
}

// FuzzParse checks that Parse never panics, that errors name a line of the file,
// that a script formatted or written from scratch says the same, and that a
// formatted one stays as it is.
func FuzzParse(f *testing.F) {
	seeds(f)
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
		require.Equal(t, text, string(s.Bytes()))
		formatted, err := script.Format("x", []byte(text))
		require.NoError(t, err)
		again, err := script.Parse("x", formatted)
		require.NoError(t, err, "%q", formatted)
		require.Equal(t, plain(s), plain(again), "%q", formatted)
		twice, err := script.Format("x", formatted)
		require.NoError(t, err)
		require.Equal(t, string(formatted), string(twice))
	})
}

// FuzzBytes changes the texts of a script and checks that they are read back,
// and that the lines of other sections stay.
func FuzzBytes(f *testing.F) {
	for _, text := range []string{"x", "", "\n", "-- reply --", "a\r\nb", "\ufeff", "--added--\n\n", ">"} {
		f.Add(odd, text, 0)
		f.Add(odd, text, 3)
		f.Add("-- reply --\r\na\r\n-- answer --\r\nb\r\n", text, 1)
		f.Add("-- reply --\na\n-- reply --\nb", text, 2)
	}
	f.Fuzz(func(t *testing.T, source, text string, n int) {
		s, err := script.Parse("x", []byte(source))
		if err != nil {
			return
		}
		var steps []*script.Step
		for _, lane := range s.Lanes {
			steps = append(steps, lane.Steps[1:]...) // the first can have no added
		}
		if len(steps) == 0 {
			return
		}
		step := steps[uint(n)%uint(len(steps))]
		edit(s, step, text, n)
		written := s.Bytes()
		again, err := script.Parse("x", written)
		require.NoError(t, err, "%q", written)
		require.Equal(t, plain(s), plain(again), "%q", written)
		for _, section := range untouched(source, s, step) {
			require.Contains(t, string(written), section)
		}
	})
}

// edit changes the answer and a step, in one of several ways.
func edit(s *script.Script, step *script.Step, text string, n int) {
	if s.Answer.Line > 0 {
		s.Answer.Text = text
	}
	switch {
	case step.Prompt.Line > 0:
		step.Prompt.Text = text
	case step.Added.Line > 0:
		step.Added.Text = text
	case step.Times < 2 && n%2 == 0 && !shrinks(step):
		step.Added = script.Section{Text: text, New: true}
	}
	if step.Reply.Line > 0 {
		step.Reply.Text = text
	}
}

func shrinks(step *script.Step) bool {
	for _, c := range step.Expect.List {
		if c.Verb == "shrinks" {
			return true
		}
	}
	return false
}

// untouched returns the replies of the source that were not changed, with their
// markers, as they stand there.
func untouched(source string, s *script.Script, changed *script.Step) []string {
	lines := strings.SplitAfter(source, "\n")
	var sections []string
	for _, lane := range s.Lanes {
		for _, step := range lane.Steps {
			if step == changed || step.Reply.Line == 0 {
				continue
			}
			n := step.Reply.Line - 1
			end := n + 1
			if step.Reply.Text != "" {
				end += 1 + strings.Count(step.Reply.Text, "\n")
			}
			sections = append(sections, strings.Join(lines[n:end], ""))
		}
	}
	return sections
}
