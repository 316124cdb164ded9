package workspace

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinePatternErrors(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"(", `bad pattern at "(": missing ); use fixed=1 for plain text`},
		{"a[b", `bad pattern at "[b": missing ]; use fixed=1 for plain text`},
		{"*a", `bad pattern at "*": missing argument to repetition operator; use fixed=1 for plain text`},
		{`(?<=a)b`, `bad pattern at "(?<=a)b": invalid named capture; use fixed=1 for plain text`},
		{`a\1`, `bad pattern at "\\1": invalid escape sequence; use fixed=1 for plain text`},
		{"a{1001}", `bad pattern at "{1001}": invalid repeat count; use fixed=1 for plain text`},
		{strings.Repeat("a{1000}", 20), "the repeats of the pattern come to 60,001 states (max 10,000); use smaller ones"},
		{strings.Repeat("x", 1001), "the pattern has 1,001 bytes (max 1,000); use a part of it"},
		{"\xff", `bad pattern at "\xff": invalid UTF-8; use fixed=1 for plain text`},
	} {
		_, err := newLinePattern(c.pattern, false, false)
		assert.EqualError(t, err, c.want, c.pattern)
	}
	_, err := newLinePattern("(", true, true)
	assert.NoError(t, err)
}

func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		pattern    string
		ignoreCase bool
		want       string
	}{
		{"needle", false, "needle"},
		{`^func\s+(\w+Handler)\(`, false, "Handler"},
		{"(abc)+x", false, "abc"},
		{"(abc)*x", false, "x"},
		{"(ab){2,3}", false, "ab"},
		{"(ab){0,3}", false, ""},
		{"a|b", false, ""},
		{`\w+`, false, ""},
		{"(?i)needle", false, "needle"},
		{"Needle", true, "needle"},
		{"classic", true, "cla"},
		{"kiss", true, "i"},
		{"ÄPFEL", true, "pfel"},
		{"\ufffd", false, ""},
	} {
		p, err := newLinePattern(c.pattern, false, c.ignoreCase)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(p.literal), c.pattern)
	}
}

// FuzzLinePattern checks the lines that match against the regexp package, which
// looks at each line.
func FuzzLinePattern(f *testing.F) {
	for _, seed := range []struct{ pattern, text string }{
		{"a.b", "axb\nab\na\xffb"}, {"^$", "\n\na\n"}, {`\bfoo\b`, "foo\nfoobar\n"}, {"kiss", "\u212ai\u017fs\nKISS"}, {"[^x]*b", "x\nb"},
		{"(?i)İ", "i̇\nİ"}, {"a|", "b\n"}, {`\A`, "a\nb"}, {"x{2}", "xx\nx"}, {"\ufffd", "\xff"}, {`\s`, "a b\n\n"}, {"a$", "a\r\na\n"},
	} {
		f.Add(seed.pattern, seed.text, false, false)
		f.Add(seed.pattern, seed.text, true, true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, fixed, ignoreCase bool) {
		p, err := newLinePattern(pattern, fixed, ignoreCase)
		if err != nil {
			return
		}
		if fixed {
			pattern = regexp.QuoteMeta(pattern)
		}
		if ignoreCase {
			pattern = "(?i)" + pattern
		}
		re := regexp.MustCompile(pattern)
		s := search{pattern: p, found: excerpts{limits: Limits{GrepMatches: 1 << 20}}}
		var want, got []int
		for at := 0; at < len(text); {
			line := lineAt([]byte(text), at)
			if re.Match(line) {
				want = append(want, at)
			}
			at += len(line) + 1
		}
		for _, h := range s.lines(t.Context(), []byte(text)) {
			got = append(got, h.at)
		}
		assert.Equal(t, want, got, "%q in %q", pattern, text)
	})
}

// Matching stops when the context ends, also within a line.
func TestLinePatternInterrupted(t *testing.T) {
	p, err := newLinePattern("(.{100}){10}x$", false, false)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	line := []byte(strings.Repeat("a", maxSteps))
	r := &interruptible{ctx: ctx, text: line}
	p.re.MatchReader(r)
	assert.Less(t, r.read, 100)
	assert.False(t, p.match(ctx, line))
}
