package workspace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actdone/actdone/tools"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertFile compares a file of the workspace with a text.
func assertFile(t testing.TB, w *Workspace, name, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if assert.NoError(t, err) {
		assert.Equal(t, text, string(data))
	}
}

// assertNames checks what is in the directory of the workspace, and so that no
// temporary file is left.
func assertNames(t testing.TB, w *Workspace, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(w.dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	assert.Equal(t, names, got)
}

func TestWriteFile(t *testing.T) {
	for _, c := range []struct{ name, input, file, want, text string }{
		{"lines", "a\none\ntwo", "a", "wrote a (created, 2 lines, 8 bytes)", "one\ntwo\n"},
		{"one-line", "a\none", "a", "wrote a (created, 1 line, 4 bytes)", "one\n"},
		{"empty-body", "a\n", "a", "wrote a (created, 0 lines, 0 bytes)", ""},
		{"blank-last-line", "a\none\n", "a", "wrote a (created, 2 lines, 5 bytes)", "one\n\n"},
		{"verbatim", "a\n  $x \\n \t\n\n`y`", "a", "wrote a (created, 3 lines, 15 bytes)", "  $x \\n \t\n\n`y`\n"},
		{"nonewline", "nonewline=1 a\none\ntwo", "a", "wrote a (created, 2 lines, 7 bytes)", "one\ntwo"},
		{"crlf", "eol=crlf a\none\ntwo", "a", "wrote a (created, 2 lines, 10 bytes)", "one\r\ntwo\r\n"},
		{"both-options", "eol=crlf nonewline=1 a\none\ntwo", "a", "wrote a (created, 2 lines, 8 bytes)", "one\r\ntwo"},
		{"directories", "x/y/z\none", "x/y/z", "wrote x/y/z (created, 1 line, 4 bytes)", "one\n"},
		{"blanks-in-name", "two words 10-20\none", "two words 10-20", "wrote \"two words 10-20\" (created, 1 line, 4 bytes)", "one\n"},
		{"quoted", `" a "` + "\none", " a ", `wrote " a " (created, 1 line, 4 bytes)`, "one\n"},
		{"dashes", "-- k=v\none", "k=v", "wrote k=v (created, 1 line, 4 bytes)", "one\n"},
		{"json", `{"path":"a","content":"one\ntwo"}`, "a", "wrote a (created, 2 lines, 8 bytes)", "one\ntwo\n"},
		{"json-newline", `{"path":"a","content":"one\ntwo\n"}`, "a", "wrote a (created, 2 lines, 8 bytes)", "one\ntwo\n"},
		{"json-empty", `{"path":"a","content":""}`, "a", "wrote a (created, 0 lines, 0 bytes)", ""},
		{"json-options", `{"path":"a","content":"one\ntwo","nonewline":true,"eol":"crlf"}`, "a", "wrote a (created, 2 lines, 8 bytes)", "one\r\ntwo"},
		{"json-lines", "{\n\"path\": \"a\",\n\"content\": \"one\"\n}\n", "a", "wrote a (created, 1 line, 4 bytes)", "one\n"},
		{"json-over-body", `{"path":"a","nonewline":true}` + "\none\n", "a", "wrote a (created, 1 line, 4 bytes)", "one\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openTemp(t)
			want(t, w, "write_file", c.input, c.want)
			assertFile(t, w, c.file, c.text)
		})
	}
}

func TestWriteFileRefuses(t *testing.T) {
	w := openTemp(t, withLimits(Limits{WriteBytes: 10}))
	for _, c := range []struct{ name, input, text string }{
		{"nothing", "", "no path; use write_file PATH with the text in a fence under it"},
		{"no-path", "\none", "no path; use write_file PATH with the text in a fence under it"},
		{"no-body", "a", "no text; put it in a fence under the line"},
		{"json-without-content", `{"path":"a"}` + "\n\n", "no content; give the text of the file as field content"},
		{"json-null", `{"path":"a","content":null}`, "no content; give the text of the file as field content"},
		{"json-without-path", `{"content":"a"}`, "no path; fields: path, content, nonewline, eol"},
		{"two-texts", `{"path":"a","content":"a"}` + "\nb", "the text is there twice, as content and in a fence; give one of them"},
		{"bad-json", `{"path":"a"` + "\nb", "bad JSON: invalid character 'b' after object key:value pair; fields: path, content, nonewline, eol"},
		{"bad-eol", "eol=cr a\nb", `bad eol "cr"; use lf or crlf`},
		{"bad-flag", "nonewline=yes a\nb", `bad nonewline "yes"; use nonewline=1`},
		{"text-after-path", `"a" b` + "\nb", `unexpected text after the path: "b"`},
		{"too-long", "a\n0123456789", "the text has 11 bytes (max 10); write less at once, or use bash"},
		{"directory", "d/\nb", "d/ names a directory; give the path of a file"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, w, "write_file", c.input, c.text) })
	}
	assertNames(t, w)
}

func TestWriteFileDresses(t *testing.T) {
	for _, c := range []struct{ name, old, input, text string }{
		{"crlf-kept", "a\r\nb\r\n", "f\nc\nd", "c\r\nd\r\n"},
		{"mixed-not-kept", "a\r\nb\n", "f\nc\nd", "c\nd\n"},
		{"no-line-end", "a", "f\nc", "c\n"},
		{"bom-kept", "\ufeffa\n", "f\nc", "\ufeffc\n"},
		{"both-kept", "\ufeffa\r\n", "f\nc", "\ufeffc\r\n"},
		{"bom-given", "\ufeffa\n", "f\n\ufeffc", "\ufeffc\n"},
		{"crlf-given", "a\r\n", `{"path":"f","content":"c\r\nd\n"}`, "c\r\nd\n"},
		{"lf-wanted", "a\r\n", "eol=lf f\nc", "c\n"},
		{"crlf-wanted", "a\n", `{"path":"f","content":"c\r\nd\n","eol":"crlf"}`, "c\r\nd\r\n"},
		{"empty", "\ufeffa\r\n", "f\n", "\ufeff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openTemp(t)
			put(t, w, "f", c.old)
			_, err := call(t, w, "read_file", "f")
			require.NoError(t, err)
			want(t, w, "write_file", c.input, "wrote f (replaced, was "+count(lineCount([]byte(c.old)), "line", "lines")+")")
			assertFile(t, w, "f", c.text)
		})
	}
}

func TestWriteRequests(t *testing.T) {
	var got []Request
	w := openTemp(t, asked(&got))
	put(t, w, "d/a", "one\r\ntwo\r\n")
	link(t, w, "d/a", "l")
	_, err := call(t, w, "edit_file", "l\n"+blockText("two\n", "2\u202e\n"))
	require.NoError(t, err)
	want(t, w, "write_file", "new\none\x1b[2J", "wrote new (created, 1 line, 8 bytes)")
	want(t, w, "write_file", "empty\n", "wrote empty (created, 0 lines, 0 bytes)")
	edited := "--- d/a\n+++ d/a\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\u202e\r\n"
	created := "--- new\n+++ new\n@@ -0,0 +1,1 @@\n+one\x1b[2J\n"
	assert.Equal(t, []Request{
		{Tool: "edit_file", Kind: Write, Paths: []string{"l", "d/a"}, Diff: edited,
			Display: "edit_file d/a\n--- d/a\n+++ d/a\n@@ -1,2 +1,2 @@\n one\\x0d\n-two\\x0d\n+2\\u{202e}\\x0d\n"},
		{Tool: "write_file", Kind: Write, Paths: []string{"new"}, Diff: created,
			Display: "write_file new (new file)\n--- new\n+++ new\n@@ -0,0 +1,1 @@\n+one\\x1b[2J\n"},
		{Tool: "write_file", Kind: Write, Paths: []string{"empty"}, Display: "write_file empty (new file, empty)\n"},
	}, got)
}

// A file that changes while somebody decides is not written: what was approved
// is not what would happen.
func TestWriteWhatWasApproved(t *testing.T) {
	var meanwhile func()
	w := openTemp(t, func(c *Config) {
		c.Runner = nil
		c.Approver = ApproverFunc(func(_ context.Context, r Request) (Decision, string, error) {
			if r.Kind == Write {
				meanwhile()
			}
			return Allow, "", nil
		})
	})
	edit := "f\n" + blockText("a\n", "b\n")
	put(t, w, "f", "a\n", "d/hooks/x", "", ".git/hooks/x", "")
	for _, c := range []struct {
		name, tool, input string
		meanwhile         func()
		wantErr, text     string
	}{
		{"changed", "edit_file", edit, func() { put(t, w, "f", "a\nmore\n") },
			"f changed meanwhile; read_file it, then try again", "a\nmore\n"},
		{"removed", "edit_file", edit, func() { require.NoError(t, os.Remove(filepath.Join(w.dir, "f"))) },
			"f changed meanwhile; read_file it, then try again", ""},
		{"made", "write_file", "f\nx", func() { put(t, w, "f", "y\n") },
			"f changed meanwhile; read_file it, then try again", "y\n"},
		{"other-file-of-that-text", "edit_file", "f\n" + blockText("y\n", "b\n"), func() {
			put(t, w, "g", "y\n")
			require.NoError(t, os.Remove(filepath.Join(w.dir, "f")))
			link(t, w, "g", "f")
		}, "f changed meanwhile; read_file it, then try again", "y\n"},
		{"directory-made-a-link", "write_file", "d/hooks/new\nx", func() {
			require.NoError(t, os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "e")))
			link(t, w, ".git", "d")
		}, "d/hooks/new changed meanwhile; read_file it, then try again", "y\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			meanwhile = c.meanwhile
			wantError(t, w, c.tool, c.input, c.wantErr)
			if c.text != "" {
				assertFile(t, w, "f", c.text)
			} else {
				assertNames(t, w, ".git", "d")
			}
			want(t, w, "list", ".git/hooks", "x (0 bytes)")
		})
	}
}

// The schema of a tool names the fields that its input may have.
func TestWriteSchemas(t *testing.T) {
	w := openTemp(t)
	for name, required := range map[string][]string{"write_file": {"path", "content"}, "edit_file": {"path", "search", "replace"}} {
		i := slices.IndexFunc(w.Tools(), func(tool tools.Tool) bool { return tool.Name == name })
		require.GreaterOrEqual(t, i, 0)
		var schema struct {
			Properties map[string]any
			Required   []string
		}
		require.NoError(t, json.Unmarshal(w.Tools()[i].Schema, &schema))
		assert.Equal(t, required, schema.Required, name)
		_, err := call(t, w, name, `{"nope":1}`)
		require.Error(t, err)
		for property := range schema.Properties {
			assert.Contains(t, err.Error(), property)
		}
		assert.Equal(t, tools.Body, w.Tools()[i].Lines)
	}
}

func TestUnified(t *testing.T) {
	many := strings.Repeat("x\n", maxDiffLines)
	for _, c := range []struct{ name, old, new, want string }{
		{"equal", "a\n", "a\n", ""},
		{"changed", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"open-end", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"many-lines", many + "a\nb\n" + many, many + "a\nc\nd\n" + many,
			"@@ -99999,7 +99999,8 @@\n x\n x\n a\n-b\n+c\n+d\n x\n x\n x\n"},
		{"many-lines-at-start", "a\n" + many, "b\n" + many, "@@ -1,4 +1,4 @@\n-a\n+b\n x\n x\n x\n"},
		{"many-lines-at-end", many + "a", many + "b",
			"@@ -99998,4 +99998,4 @@\n x\n x\n x\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"},
		{"many-lines-shorter", many + "x\n", many, "@@ -99998,4 +99998,3 @@\n x\n x\n x\n-x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, cut := unified("f", []byte(c.old), []byte(c.new))
			if c.want != "" {
				c.want = "--- f\n+++ f\n" + c.want
			}
			assert.Equal(t, c.want, got)
			assert.False(t, cut)
		})
	}
}

func TestUnifiedIsCut(t *testing.T) {
	line := strings.Repeat("x", 999) + "\n"
	got, cut := unified("f", nil, []byte(strings.Repeat(line, 5000)))
	assert.True(t, cut)
	assert.Less(t, len(got), maxDiff+100)
	assert.Contains(t, got[len(got)-100:], "\n[cut: 810,810 bytes of the changes are not shown]\n")
	r := (&target{asked: "f", rel: "f"}).request("write_file", []byte(strings.Repeat(line, 5000)))
	assert.True(t, strings.HasPrefix(r.Display, "write_file f (new file, too long to be shown in full)\n"))
}

// While the data goes to the disk the place may change, too.
func TestReplaceLooksAgain(t *testing.T) {
	w := openTemp(t)
	put(t, w, "f", "old\n")
	for _, still := range []bool{false, true} {
		err := replace(w.root, "f", []byte("new\n"), nil, func() bool {
			entries, err := os.ReadDir(w.dir)
			require.NoError(t, err)
			assert.Len(t, entries, 2, "the data is written by now")
			return still
		})
		if still {
			require.NoError(t, err)
			assertFile(t, w, "f", "new\n")
		} else {
			assert.EqualError(t, (&target{asked: "f"}).failed(err), "f changed meanwhile; read_file it, then try again")
			assertFile(t, w, "f", "old\n")
		}
		assertNames(t, w, "f")
	}
}
