package workspace

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a call in JSON lacks is told by the names of fields.
func TestJSONErrors(t *testing.T) {
	w := openTemp(t)
	put(t, w, "x", "a\n")
	for _, c := range []struct{ tool, input, want string }{
		{"write_file", `{"path":"x"}`, "no content; give the text of the file as field content"},
		{"write_file", `{"content":"x"}`, "no path; fields: path, content, nonewline, eol"},
		{"write_file", `{"path":"x","content":"a","nonewline":"1"}`,
			"bad JSON: field nonewline cannot be a string: want true or false; fields: path, content, nonewline, eol"},
		{"edit_file", `{"path":"x"}`, "no search and replace; fields: path, search, replace, all; nothing was changed"},
		{"edit_file", `{"path":"x","all":"true"}`,
			"bad JSON: field all cannot be a string: want true or false; fields: path, search, replace, all; nothing was changed"},
		{"list", `{"depth":"2"}`, "bad JSON: field depth cannot be a string: want a whole number; fields: path, depth"},
		{"list", `{"depth":1.5}`, "bad JSON: field depth cannot be 1.5: want a whole number; fields: path, depth"},
		{"list", `{"path":["x"]}`, "bad JSON: field path cannot be an array: want text; fields: path, depth"},
		{"grep", `{"path":"x"}`, "no pattern; fields: pattern, path, glob, case, fixed, context"},
		{"glob", `{"path":"."}`, "no pattern; fields: pattern, path, sort"},
	} {
		wantError(t, w, c.tool, c.input, c.want)
	}
}

// A whole number may be written with a point.
func TestJSONWholeNumbers(t *testing.T) {
	w := openTemp(t)
	put(t, w, "x", "a\nb\nc\n")
	want(t, w, "read_file", `{"path":"x","start":2.0,"end": 2.00 }`, "file: x (lines 2-2 of 3; 6 bytes)\n2|b")
	want(t, w, "list", `{"depth":1.0}`, "x (6 bytes)")
	assert.Equal(t, `{"a": "1.0", "b": 3 , "c":-2} x 1.0`, withoutZeros(`{"a": "1.0", "b": 3.0 , "c":-2.0} x 1.0`))
	for _, same := range []string{`{"a":1.5}`, `{"a":1.}`, `{"a":1.0e1}`, `{"a":`, `{`, ``, `1.0`} {
		assert.Equal(t, same, withoutZeros(same))
	}
}

// Without bash no hint names it, and where nothing may be written or run there is
// none.
func TestHintsWithoutBash(t *testing.T) {
	w := openTemp(t, func(c *Config) { c.Runner = nil }, withLimits(Limits{EditBytes: 10, WriteBytes: 10}))
	put(t, w, "data", "a\x00\x01b", "wide", "\xff\xfea\x00", "large", "0123456789abcdef\n", "f", "a\n")
	wantError(t, w, "read_file", "data", "data is binary (4 bytes); ask the user")
	wantError(t, w, "read_file", "wide", "wide is utf-16 text; ask the user")
	wantError(t, w, "write_file", "large\nx", "large has 17 bytes (max 10); ask the user")
	wantError(t, w, "write_file", "f\n0123456789abcdef", "the text has 17 bytes (max 10); write less at once")
	wantError(t, w, "write_file", ".git/config\nx", ".git is protected; ask the user")
	wantError(t, w, "write_file", ".env\nx", ".env may hold secrets and is not written; ask the user")

	w = openTemp(t, func(c *Config) { c.Approver = ReadOnly{} })
	for _, tool := range w.Tools() {
		assert.NotContains(t, []string{"bash", "write_file", "edit_file"}, tool.Name)
	}
}

// Usage of bash says how to get more time only where there is more.
func TestBashUsageTime(t *testing.T) {
	usage := func(edits ...func(*Config)) string {
		all := openTemp(t, edits...).Tools()
		require.Equal(t, "bash", all[0].Name)
		return all[0].Usage
	}
	assert.Contains(t, usage(), `at most 120 s ({"command": "...", "timeout": 600} for up to 600 s); shows`)
	assert.Contains(t, usage(withLimits(Limits{Timeout: 5e9})), "at most 5 s; shows")
}
