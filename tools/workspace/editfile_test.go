package workspace

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEditFile(t *testing.T) {
	for _, c := range []struct{ name, input, want, text string }{
		{"block", "f\n" + blockText("b\n", "x\n"), "edited f (1 block, line 2)\n1|a\n2|x\n3|c\n4|d", "a\nx\nc\nd\n"},
		{"more-lines", "f\n" + blockText("b\n", "x\ny\n"), "edited f (1 block, lines 2-3)\n1|a\n2|x\n3|y\n4|c\n5|d", "a\nx\ny\nc\nd\n"},
		{"removed", "f\n" + blockText("b\nc\n", ""), "edited f (1 block, line 2)\n1|a\n2|d", "a\nd\n"},
		{"numbered", "f\n" + blockText("2|b\n3|c\n", "2|x\n"), "edited f (1 block, line 2)\n1|a\n2|x\n3|d", "a\nx\nd\n"},
		{"all-removed", "f\n" + blockText("a\nb\nc\nd\n", ""), "edited f (1 block, line 1)", ""},
		{"option", "all=1 f\n" + blockText("b\n", "x\n"), "edited f (1 block, 1 place, line 2)\n1|a\n2|x\n3|c\n4|d", "a\nx\nc\nd\n"},
		{"json", `{"path":"f","search":"b","replace":"x"}`, "edited f (1 block, line 2)\n1|a\n2|x\n3|c\n4|d", "a\nx\nc\nd\n"},
		{"json-newlines", `{"path":"f","search":"b\r\nc\r\n","replace":"x\n"}`, "edited f (1 block, line 2)\n1|a\n2|x\n3|d", "a\nx\nd\n"},
		{"json-removes", `{"path":"f","search":"b","replace":""}`, "edited f (1 block, line 2)\n1|a\n2|c\n3|d", "a\nc\nd\n"},
		{"json-all", `{"path":"f","search":"b","replace":"x","all":true}`, "edited f (1 block, 1 place, line 2)\n1|a\n2|x\n3|c\n4|d", "a\nx\nc\nd\n"},
		{"json-over-blocks", `{"path":"f"}` + "\n" + blockText("b\n", "x\n"), "edited f (1 block, line 2)\n1|a\n2|x\n3|c\n4|d", "a\nx\nc\nd\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openTemp(t)
			put(t, w, "f", "a\nb\nc\nd\n")
			want(t, w, "edit_file", c.input, c.want)
			assertFile(t, w, "f", c.text)
		})
	}
}

func TestEditFileRefuses(t *testing.T) {
	w := openTemp(t)
	put(t, w, "f", "a\n")
	for _, c := range []struct{ name, input, text string }{
		{"nothing", "", "no path; use edit_file PATH with edit blocks in a fence under it"},
		{"no-body", "f", errNoBlock.Error()},
		{"text", "f\nb", errNoBlock.Error()},
		{"absent", "g\n" + blockText("a\n", "b\n"), "no file g; list . to see files"},
		{"absent-like", "d/f\n" + blockText("a\n", "b\n"), "no file d/f; did you mean f? (list . to see files)"},
		{"all-without-path", "all\n" + blockText("a\n", "b\n"), "no file all; list . to see files"},
		{"bad-flag", "all=yes f\nb", `bad all "yes"; use all=1`},
		{"json-without-replace", `{"path":"f","search":"a"}`, "search and replace belong together; an empty replace removes the lines"},
		{"json-without-path", `{"search":"a","replace":"b"}`, "no path; fields: path, search, replace, all"},
		{"json-without-block", `{"path":"f"}`, "no search and replace; fields: path, search, replace, all"},
		{"json-and-blocks", `{"path":"f","search":"a","replace":"b"}` + "\nx", "there are search or replace and a fence; give one of them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, w, "edit_file", c.input, c.text+"; nothing was changed")
			assertFile(t, w, "f", "a\n")
		})
	}
}

// A report is capped in lines and bytes, and shows what read_file would show.
func TestEditReport(t *testing.T) {
	w := openTemp(t, withLimits(Limits{LineChars: 10}))
	put(t, w, "f", numbers(1, 100), "many", strings.Repeat("a\nb\n", 20), "wide", "a\n"+strings.Repeat("é", 11)+"\n\x1b[1m\n")
	got, err := call(t, w, "edit_file", "f\n"+blockText("50\n", numbers(1001, 1060)))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(got, "edited f (1 block, lines 50-109)\n47|47\n48|48\n49|49\n50|1001\n"), got)
	assert.True(t, strings.HasSuffix(got, "\n86|1037\n[more: next: read_file f 87-]"), got)
	assert.Equal(t, 42, strings.Count(got, "\n")+1)

	got, err = call(t, w, "edit_file", "all many\n"+blockText("a\n", "x\n"))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(got, "edited many (1 block, 20 places, lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, ...)\n1|x\n2|b\n3|x\n"), got)

	want(t, w, "edit_file", "wide\n"+blockText("a\n", "x\n"),
		"edited wide (1 block, line 1, some bytes shown as \\xNN or \\u{...})\n1|x\n2|éééééééééé[+1 character]\n3|\\x1b[1m")

	w = openTemp(t, withLimits(Limits{ReadBytes: 1000}))
	put(t, w, "f", strings.Repeat("long line\n", 39)+"end\n")
	got, err = call(t, w, "edit_file", "all f\n"+blockText("long line\n", strings.Repeat("x", 100)+"\n"))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(got), 1000)
	assert.Contains(t, got, "[more: next: read_file f 6-]")
}

// No error or report shows a secret, and none its beginning where a text is cut.
func TestEditHidesSecrets(t *testing.T) {
	const secret = "sk-0123456789abcdef0123456789abcdef"
	w := openTemp(t, withLimits(Limits{LineChars: 20}), func(c *Config) { c.Redact = []string{secret} })
	short, long := strings.Repeat("x", 50), strings.Repeat("y", shortText-10)
	text := "\n" + short + secret + "\n" + long + secret + "\n"
	put(t, w, "f", "a"+text)
	for _, search := range []string{short, long} {
		_, err := call(t, w, "edit_file", "f\n"+blockText(search+"\n", "z\n"))
		require.ErrorContains(t, err, "is closest: ")
		assert.NotContains(t, err.Error(), secret[:6])
	}
	got, err := call(t, w, "edit_file", editing("f"))
	require.NoError(t, err)
	assert.NotContains(t, got, secret[:6])
	assert.True(t, utf8.ValidString(got))
	assertFile(t, w, "f", "b"+text)
}

// editing is the input of edit_file that makes b of the line a.
func editing(path string) string { return path + "\n" + blockText("a\n", "b\n") }
