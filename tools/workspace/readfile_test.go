package workspace

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbers returns the lines first to last, each holding its own number.
func numbers(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "%d\n", i)
	}
	return b.String()
}

// numbered returns the same as read_file shows it.
func numbered(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "%d|%d\n", i, i)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	w := openTemp(t)
	put(t, w, "one", "DEBUG = False\n", "open", "x", "blank", "\n", "two", "a\nb\n", "three", "a\nb\nc",
		"n300", numbers(1, 300), "crlf", "a\r\nb\r\n", "one-crlf", "a\r\n", "mixed", "a\r\nb\nc\rd\n",
		"bom", "\ufeffa\n", "latin", "caf\xe9\n", "esc", "a\x1b[1mb\tc\u202e\n", "nul", strings.Repeat("x\n", 5000)+"\x00\n",
		"long", strings.Repeat("é", 5120)+"\nb\n", "long-crlf", strings.Repeat("x", 90000)+"\r\n", "wide", strings.Repeat(strings.Repeat("w", 999)+"\n", 20),
		"dir/a b.txt", "x\n", "dir/ends 10-20", "y\n", "10-20", "z\n", "a=b", "eq\n")
	for _, c := range []struct{ name, input, want string }{
		{"one-line-bare", "one", "DEBUG = False"},
		{"one-line-range", "one 1", "DEBUG = False"},
		{"no-last-newline", "open", "file: open (lines 1-1 of 1; 1 byte; last line has no newline)\n1|x\n"},
		{"blank-line", "blank", "file: blank (lines 1-1 of 1; 1 byte)\n1|\n"},
		{"two", "two", "file: two (lines 1-2 of 2; 4 bytes)\n1|a\n2|b\n"},
		{"blanks-around", " \t two  ", "file: two (lines 1-2 of 2; 4 bytes)\n1|a\n2|b\n"},
		{"default-250", "n300", "file: n300 (lines 1-250 of 300; 1,092 bytes)\n" + numbered(1, 250) + "[more: 50 lines; next: read_file n300 251-]\n"},
		{"from", "n300 251-", "file: n300 (lines 251-300 of 300; 1,092 bytes)\n" + numbered(251, 300)},
		{"range", "n300 10-12", "file: n300 (lines 10-12 of 300; 1,092 bytes)\n" + numbered(10, 12)},
		{"line", "n300 7", "file: n300 (lines 7-7 of 300; 1,092 bytes)\n7|7\n"},
		{"tail", "n300 -2", "file: n300 (lines 299-300 of 300; 1,092 bytes)\n299|299\n300|300\n"},
		{"tail-of-more", "two -40", "file: two (lines 1-2 of 2; 4 bytes)\n1|a\n2|b\n"},
		{"wide-range", "n300 10-290", "file: n300 (lines 10-259 of 300; 1,092 bytes)\n" + numbered(10, 259) + "[more: 31 lines; next: read_file n300 260-290]\n"},
		{"end-behind", "three 3-99", "file: three (lines 3-3 of 3; 5 bytes; last line has no newline)\n3|c\n"},
		{"crlf", "crlf", "file: crlf (lines 1-2 of 2; 6 bytes; crlf)\n1|a\n2|b\n"},
		{"one-crlf", "one-crlf", "file: one-crlf (lines 1-1 of 1; 3 bytes; crlf)\n1|a\n"},
		{"mixed", "mixed", "file: mixed (lines 1-3 of 3; 9 bytes; mixed line ends; some bytes shown as \\xNN or \\u{...})\n1|a\n2|b\n3|c\\x0dd\n"},
		{"bom", "bom", "file: bom (lines 1-1 of 1; 5 bytes; bom)\n1|a\n"},
		{"latin-1", "latin", "file: latin (lines 1-1 of 1; 5 bytes; not utf-8; some bytes shown as \\xNN or \\u{...})\n1|caf\\xe9\n"},
		{"escapes", "esc", "file: esc (lines 1-1 of 1; 12 bytes; some bytes shown as \\xNN or \\u{...})\n1|a\\x1b[1mb\tc\\u{202e}\n"},
		{"late-nul", "nul 5001", "file: nul (lines 5001-5001 of 5,001; 10,002 bytes; some bytes shown as \\xNN or \\u{...})\n5001|\\x00\n"},
		{"long-line", "long", "file: long (lines 1-2 of 2; 10,243 bytes)\n1|" + strings.Repeat("é", 1000) + "[+4,120 characters]\n2|b\n"},
		{"long-crlf", "long-crlf", "file: long-crlf (lines 1-1 of 1; 90,002 bytes; crlf)\n1|" + strings.Repeat("x", 1000) + "[+89,000 characters]\n"},
		{"spaces", "dir/a b.txt", "x"},
		{"quoted", `"dir/a b.txt" 1-1`, "x"},
		{"quoted-like-range", `"dir/ends 10-20"`, "y"},
		{"single-word-range", "10-20", "z"},
		{"after-dashes", "-- one 1-", "DEBUG = False"},
		{"equals", "a=b", "eq"},
		{"json", `{"path":"n300","start":299,"end":300}`, "file: n300 (lines 299-300 of 300; 1,092 bytes)\n299|299\n300|300\n"},
		{"json-end", ` {"path":"n300","end":1} `, "file: n300 (lines 1-1 of 300; 1,092 bytes)\n1|1\n"},
		{"json-path", `{"path":"dir/ends 10-20"}`, "y"},
		{"absolute", filepath.Join(w.dir, "one"), "DEBUG = False"},
		{"dot-dot-inside", "dir/../one", "DEBUG = False"},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, w, "read_file", c.input, strings.TrimSuffix(c.want, "\n")) })
	}
}

func TestReadFileErrors(t *testing.T) {
	w := openTemp(t)
	put(t, w, "pkg/a.go", "x\n", "forty", numbers(1, 40), "one", "x\n", "empty", "", "Makefile", "x\n", "x/main.go", "", "y/main.go", "",
		"node_modules/m/helper.js", "", "id_rsa", "")
	for _, c := range []struct{ name, input, want string }{
		{"absent", "a.go", "no file a.go; did you mean pkg/a.go? (list . to see files)"},
		{"misspelt", "makefil", "no file makefil; did you mean Makefile? (list . to see files)"},
		{"several", "main.go", "no file main.go; did you mean x/main.go or y/main.go? (list . to see files)"},
		{"unlike-any", "something-else", "no file something-else; list . to see files"},
		{"in-bulky-directory", "helper.js", "no file helper.js; list . to see files"},
		{"like-a-secret", "id-rsa", "no file id-rsa; list . to see files"},
		{"file-as-dir", "one/x", "no file one/x; list . to see files"},
		{"directory", "pkg", "pkg is a directory; use list pkg"},
		{"behind-end", "forty 90", "forty has 40 lines; line 90 does not exist"},
		{"behind-end-of-one", "one 2-", "one has 1 line; line 2 does not exist"},
		{"behind-end-of-none", "empty 1-1", "empty has 0 lines; line 1 does not exist"},
		{"no-path", "", "no path; use read_file PATH [RANGE]"},
		{"bad-quoting", `"x`, `bad quoting in "\"x"; write the path as a Go string`},
		{"bad-range", `"one" x`, `bad range "x"; use 10-40, 10-, 10 or -40`},
		{"unknown-option", "start=3 one", "unknown option start=; there are no options; -- before a path with = in it"},
		{"unknown-field", `{"path":"one","limit":3}`, `bad JSON: unknown field "limit"; fields: path, start, end`},
		{"wrong-type", `{"path":"one","start":"3"}`, `bad JSON: field start cannot be a string: want a whole number; fields: path, start, end`},
		{"two-objects", `{"path":"one"}{}`, `bad JSON: text after the object; fields: path, start, end`},
		{"half-object", `{"path":`, `bad JSON: unexpected EOF; fields: path, start, end`},
		{"json-without-path", `{"start":1}`, "no path; fields: path, start, end"},
		{"json-start-0", `{"path":"one","start":0}`, "bad range: lines are counted from 1"},
		{"json-backwards", `{"path":"one","start":3,"end":2}`, "bad range 3-2: it ends before it starts"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, w, "read_file", c.input, c.want) })
	}
}

func TestReadFileCaps(t *testing.T) {
	w := openTemp(t)
	put(t, w, "wide", strings.Repeat(strings.Repeat("w", 999)+"\n", 20), "tags", strings.Repeat("\U000e0041", 3000)+"\nb\n")
	out, err := call(t, w, "read_file", "wide")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(out), 8<<10)
	assert.Greater(t, len(out), 6<<10)
	assert.True(t, strings.HasSuffix(out, "w\n[more: 13 lines; next: read_file wide 8-]"), out[len(out)-80:])

	out, err = call(t, w, "read_file", "tags")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(out), 8<<10)
	assert.Contains(t, out, "[+2,544 characters]\n2|b")

	small := openAt(t, w.dir, withLimits(Limits{ReadLines: 1, LineChars: 3, ReadBytes: 100}))
	want(t, small, "read_file", "wide", "file: wide (lines 1-1 of 20; 20,000 bytes)\n1|www[+996 characters]\n[more: 19 lines; next: read_file wide 2-]")

	put(t, w, "short", "hello\nworld\n")
	large := openAt(t, w.dir, withLimits(Limits{LineChars: math.MaxInt, ReadBytes: math.MaxInt, ReadLines: math.MaxInt}))
	want(t, large, "read_file", "short", "file: short (lines 1-2 of 2; 12 bytes)\n1|hello\n2|world")
}

// Lines are found and counted alike wherever the pieces of a big file end.
func TestReadFileBig(t *testing.T) {
	w := openTemp(t)
	pad := strings.Repeat("日", 21845) // 65,535 bytes: rune and line ends meet the ends of pieces
	put(t, w, "big", strings.Repeat(pad+"\r\n", 5)+pad)
	out, err := call(t, w, "read_file", "big 6")
	require.NoError(t, err)
	assert.Equal(t, "file: big (lines 6-6 of 6; 393,220 bytes; crlf; last line has no newline)\n6|"+
		strings.Repeat("日", 1000)+"[+20,845 characters]", out)
}

func TestReadFileBeyondSurvey(t *testing.T) {
	w := openTemp(t)
	row := append(bytes.Repeat([]byte("a"), 1<<20-1), '\n')
	f, err := os.Create(filepath.Join(w.dir, "log"))
	require.NoError(t, err)
	defer f.Close()
	for range 66 {
		_, err = f.Write(row)
		require.NoError(t, err)
	}
	shown := strings.Repeat("a", 1000) + "[+1,047,575 characters]"
	want(t, w, "read_file", "log 2-2", "file: log (lines 2-2 of many; 69,206,016 bytes)\n2|"+shown)
	want(t, w, "read_file", "log -1", "file: log (lines 66-66 of 66; 69,206,016 bytes)\n66|"+shown)
	want(t, w, "read_file", "log 66-", "file: log (lines 66-66 of 66; 69,206,016 bytes)\n66|"+shown)
	wantError(t, w, "read_file", "log 67", "log has 66 lines; line 67 does not exist")
	out, err := call(t, w, "read_file", "log")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(out, "file: log (lines 1-7 of many; 69,206,016 bytes)\n1|aaa"), out[:60])
	assert.True(t, strings.HasSuffix(out, "[more: many lines; next: read_file log 8-]"), out[len(out)-60:])
}

func FuzzReadFileInput(f *testing.F) {
	for _, seed := range []string{"a.go", "a.go 10-40", "a.go -40", `"a b" 3`, `{"path":"x","start":1}`, "-- x", "k=v x",
		`"`, "{", "a 0", "a 9-3", "a 99999999999999999999", "10-20", "a -", "\x00", "a\t7", "\xff 1-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		path, want, err := parseReadFile(input)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.NotEmpty(t, path)
		assert.True(t, want.tail > 0 != (want.first > 0), "%+v", want)
		assert.True(t, want.last == 0 || want.last >= want.first, "%+v", want)
		again, whole, err := parseReadFile(quotePath(path))
		require.NoError(t, err, "quotePath(%q) = %s", path, quotePath(path))
		assert.Equal(t, path, again)
		assert.Equal(t, span{first: 1}, whole)
	})
}
