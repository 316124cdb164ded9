package workspace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// clean cleans text written in pieces of n bytes.
func clean(text string, n int) string {
	var out bytes.Buffer
	c := cleaner{}
	c.lines.out = &out
	for b := []byte(text); len(b) > 0; {
		piece := bytes.Clone(b[:min(n, len(b))])
		c.Write(piece)
		clear(piece) // the writer may use it again
		b = b[min(n, len(b)):]
	}
	c.Close()
	return out.String()
}

var cleanCases = []struct{ name, in, want string }{
	{"plain", "a\tb\nünï 日本\n", "a\tb\nünï 日本\n"},
	{"no-newline", "a", "a"},
	{"empty", "", ""},
	{"colour", "\x1b[1;31mred\x1b[0m\x1b[Kx", "redx"},
	{"private-csi", "\x1b[?25lx\x1b[?2004hy\x1b[>4;1mz", "xyz"},
	{"charset", "\x1b(B\x1b)0x\x1b7y\x1bcz\x1b=w", "xyzw"},
	{"title-bel", "a\x1b]0;title\x07b", "ab"},
	{"title-st", "a\x1b]2;title\x1b\\b", "ab"},
	{"osc52", "a\x1b]52;c;" + strings.Repeat("QUJD", 50000) + "\x07b", "ab"},
	{"hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
	{"dcs", "a\x1bPq#0;2;0\x1b\\b", "ab"},
	{"c1-csi", "a\u009b31mb", "ab"},
	{"c1-osc", "a\u009d0;t\u009cb", "ab"},
	{"c1-bytes", "a\x9b31mb", `a\x9b31mb`},
	{"other-c1", "a\u0085b\u0080", "ab"},
	{"c0", "a\x00\x01\x07\x0b\x0c\x7fb", "ab"},
	{"unterminated-osc", "a\x1b]0;title\nb\n", "a\nb\n"},
	{"unterminated-csi", "a\x1b[31\nb\n", "a\nb\n"},
	{"unterminated-escape", "a\x1b", "a"},
	{"escape-then-newline", "a\x1b\nb", "a\nb"},
	{"escape-in-osc", "a\x1b]0;t\x1b[31mb", "ab"},
	{"escape-then-letter", "\x1bü", "ü"},
	{"crlf", "a\r\nb\r\r\nc", "a\nb\nc"},
	{"progress", "10%\r20%\r100%\n", "100%\n"},
	{"cr-at-end", "99%\r100%\r", "100%"},
	{"shorter-after-cr", "a long line\rb\n", "b\n"},
	{"backspace", "abc\b\bX\n\b\by", "aX\ny"},
	{"backspace-after-cr", "ab\r\bc", "c"},
	{"backspace-rune", "日本\b\n", "日\n"},
	{"man-bold", "N\bNA\bA\n", "NA\n"},
	{"invalid", "a\xffb\xe6\x97c\xe6\x97", `a\xffb\xe6\x97c\xe6\x97`},
	{"replacement-character", "a\ufffdb", "a\ufffdb"},
	{"bidi", "a\u202eb\u2066", `a\u{202e}b\u{2066}`},
	{"tags", "\ufeffa\U000e0001", `\u{feff}a\u{e0001}`},
	{"20-equal", strings.Repeat("x\n", 20), strings.Repeat("x\n", 20)},
	{"21-equal", strings.Repeat("x\n", 21) + "y\n", "x\n[last line repeated 20 times]\ny\n"},
	{"equal-at-end", "a\n" + strings.Repeat("\n", 100), "a\n\n[last line repeated 99 times]\n"},
	{"equal-again", strings.Repeat("x\n", 25) + "y\n" + strings.Repeat("x\n", 30),
		"x\n[last line repeated 24 times]\ny\nx\n[last line repeated 29 times]\n"},
	{"long-line", strings.Repeat("x", maxLine-1) + "日本\rb\n", strings.Repeat("x", maxLine-1) + "日b\n"},
	{"long-line-then-cr", strings.Repeat("x", 5000) + "\rb\n", strings.Repeat("x", maxLine) + "b\n"},
	{"long-equal-lines", strings.Repeat(strings.Repeat("x", maxLine)+"\n", 30), strings.Repeat(strings.Repeat("x", maxLine)+"\n", 30)},
	{"long-between-equal", "x\nx\n" + strings.Repeat("y", maxLine) + "\nx\n", "x\nx\n" + strings.Repeat("y", maxLine) + "\nx\n"},
}

func TestClean(t *testing.T) {
	for _, c := range cleanCases {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 7, 1 << 20} {
				assert.Equal(t, c.want, clean(c.in, n), "in pieces of %d bytes", n)
			}
			assert.Equal(t, c.want, clean(c.want, 1<<20), "cleaned again")
		})
	}
}

// Words that stand for repeated lines are lines like others.
func TestCleanOwnWords(t *testing.T) {
	words := "[last line repeated 24 times]\n"
	for i, in := range []string{
		strings.Repeat("x\n", 25) + strings.Repeat(words, 20),
		strings.Repeat(words, 25) + strings.Repeat(words, 19) + "x\n" + strings.Repeat(words, 40),
	} {
		once := clean(in, 100)
		assert.Equal(t, once, clean(once, 100), "case %d", i)
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range cleanCases {
		if len(c.in) < 1000 {
			f.Add(c.in, 3)
		}
	}
	f.Add(strings.Repeat("[last line repeated 21 times]\n", 22), 50)
	f.Fuzz(func(t *testing.T, in string, n int) {
		if n < 1 {
			n = 1
		}
		out := clean(in, n)
		assert.True(t, utf8.ValidString(out), "valid UTF-8")
		assert.LessOrEqual(t, len(out), 8*len(in))
		assert.Equal(t, out, clean(in, len(in)+1), "pieces matter")
		assert.Equal(t, out, clean(out, len(out)+1), "not idempotent")
		assert.NotContains(t, out, "\x1b")
	})
}

func TestHeadTail(t *testing.T) {
	var numbered strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&numbered, "line %03d\n", i)
	}
	for _, c := range []struct{ name, in, want string }{
		{"short", "abc", "abc"},
		{"full", strings.Repeat("x", 60), strings.Repeat("x", 60)},
		{"lines", numbered.String(), "line 000\nline 001\n" +
			"[cut: 8,946 bytes, 994 lines; rerun with grep, head or a file]\nline 996\nline 997\nline 998\nline 999\n"},
		{"one-line", strings.Repeat("x", 61), strings.Repeat("x", 20) +
			"\n[cut: 1 byte, 0 lines; rerun with grep, head or a file]\n" + strings.Repeat("x", 40)},
		{"runes", strings.Repeat("日", 30), strings.Repeat("日", 6) +
			"\n[cut: 33 bytes, 0 lines; rerun with grep, head or a file]\n" + strings.Repeat("日", 13)},
		{"one-line-with-end", strings.Repeat("x", 80) + "\n", strings.Repeat("x", 20) +
			"\n[cut: 21 bytes, 0 lines; rerun with grep, head or a file]\n" + strings.Repeat("x", 39) + "\n"},
		{"long-last-line", "a\n" + strings.Repeat("y", 80), "a\n" + strings.Repeat("y", 18) +
			"\n[cut: 22 bytes, 0 lines; rerun with grep, head or a file]\n" + strings.Repeat("y", 40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{1, 3, 7, 50, 1 << 20} {
				h := headTail{maxHead: 20, maxTail: 40}
				for in := c.in; len(in) > 0; in = in[min(n, len(in)):] {
					h.Write([]byte(in[:min(n, len(in))]))
				}
				assert.Equal(t, c.want, h.String(), "in pieces of %d bytes", n)
			}
		})
	}
}
