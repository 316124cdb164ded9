package react_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// shownAs returns the observation of a tool that returned output.
func shownAs(t testing.TB, output string, limit int) string {
	tr, err := react.Loop{Tools: []tools.Tool{{Name: "x"}}, MaxObservation: limit}.Transcript("t")
	require.NoError(t, err)
	_, err = tr.Reply("ACT: x", nil)
	require.NoError(t, err)
	require.NoError(t, tr.Observe(output, nil))
	return tr.Steps()[0].Observation
}

func TestObservationIsCleaned(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"empty", "", "(no output)"},
		{"newlines", "\n\n", "(no output)"},
		{"trailing newlines", "a\n\n", "a"},
		{"leading newline", "\na", "\na"},
		{"unicode", "ä€😀\u00a0", "ä€😀\u00a0"},
		{"carriage returns", "a\r\nb\r\r\nc\rd\r", "a\nb\nc\nd"},
		{"controls", "a\x00b\x07\x7fc", "abc"},
		{"blanks beside controls", "a b\x07", "a b"},
		{"half a rune at the end", "a\xc2", "a\ufffd"},
		{"delete", "a\x7fb", "ab"},
		{"nothing but controls", "\x00\x07", "(no output)"},
		{"second controls", "a\u0080b\u009bc", "abc"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"title", "\x1b]0;title\aa\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"},
		{"device control", "\x1bPq#0\x1b\\a", "a"},
		{"charset", "\x1b(Ba\x1b=b\x1bcc", "abc"},
		{"ends of ranges", "\x1b[?1l\x1b[1@\x1b[3~\x1b[0 q\x1b F\x1b/B\x1b0\x1b~a", "a"},
		{"title without an end", "\x1b]0;title\nnext", "\nnext"},
		{"escape at the end", "a\x1b", "a"},
		{"sequence at the end", "a\x1b[31", "a"},
		{"escape in a sequence", "\x1b[\x1b[31ma", "a"},
		{"invalid", "a\xff\xfeb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, shownAs(t, c.output, 0))
		})
	}
}

func TestObservationIsCapped(t *testing.T) {
	assert.Equal(t, strings.Repeat("x", 100), shownAs(t, strings.Repeat("x", 100), 100))
	assert.Equal(t, strings.Repeat("x", 50)+"\n[cut: 1 of 101 bytes are missing here]\n"+strings.Repeat("x", 50),
		shownAs(t, strings.Repeat("x", 101), 100))
	assert.Equal(t, "ä\n[cut: 8 of 12 bytes are missing here]\nä", shownAs(t, "ääääää", 5))
	assert.Equal(t, "ä\n[cut: 8 of 12 bytes are missing here]\nä", shownAs(t, "ääääää", 6), "no rune is cut")
	assert.Equal(t, "012345\n7\n[cut: 4 of 20 bytes are missing here]\n01\n34567", shownAs(t, "012345\n7xxxx01\n34567", 16), "no end of a line is near")
	assert.Equal(t, "abcdefgh\n[cut: 5 of 20 bytes are missing here]\n1234567", shownAs(t, "abcdefghzzzz\n1234567", 16), "the cut is at the end of a line")
	lines := shownAs(t, strings.Repeat("0123456789\n", 100), 200)
	assert.Equal(t, strings.Repeat("0123456789\n", 9)+"[cut: 903 of 1099 bytes are missing here]"+strings.Repeat("\n0123456789", 9), lines)
	assert.Equal(t, "[cut: 4 of 4 bytes are missing here]", shownAs(t, "ää", 1))
}

func TestErrorAndOutput(t *testing.T) {
	tr, err := react.Loop{Tools: []tools.Tool{{Name: "x"}}}.Transcript("t")
	require.NoError(t, err)
	_, err = tr.Reply("ACT: x", nil)
	require.NoError(t, err)
	require.NoError(t, tr.Observe("half\n", errors.New("no\nspace")))
	assert.Equal(t, "error: no\nspace\nhalf", tr.Steps()[0].Observation)
}

func FuzzObservation(f *testing.F) {
	for _, s := range []string{"a\r\nb", "\x1b]0;t\ab", "\x1b[", "\xc2\x80", "x\n\n", strings.Repeat("ä\n", 90)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, output string) {
		shown := shownAs(t, output, 64)
		assert.True(t, utf8.ValidString(shown))
		assert.LessOrEqual(t, len(shown), 64+60)
		assert.False(t, strings.HasSuffix(shown, "\n\n"))
		assert.False(t, strings.ContainsFunc(shown, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
		}))
		if len(output) < 64 {
			assert.Equal(t, shown, shownAs(t, shown, 64), "idempotent")
		}
	})
}
