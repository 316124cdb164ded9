//go:build unix

package workspace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var hostileSecrets = []hostile{
	{"87-secret-across-the-cut", testSecretAcrossTheCut},
	{"87-secret-across-other-cuts", testSecretAcrossOtherCuts},
	{"87-secret-in-names-and-errors", testSecretInNames},
	{"87-secret-across-writes", testSecretAcrossWrites},
	{"87-secret-and-terminal-sequences", testSecretInSequences},
	{"87-secret-like-the-mark", func(t *testing.T) {
		t.Parallel()
		w := openTemp(t, withSecrets("redacted", "hunter2"))
		want(t, w, "bash", "echo hunter2 redacted", "*** ***")
	}},
	{"96-key-in-the-environment-of-the-parent", testKeyOfParent},
}

// A secret that straddles the end of the head, or the beginning of the tail, of
// a command's output is in no part of it.
func testSecretAcrossTheCut(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdef"
	w := openTemp(t, withSecrets(secret), withLimits(Limits{OutputHead: 50, OutputTail: 50}))
	for _, before := range []int{0, 31, 32, 40, 49, 50, 51} {
		for _, after := range []int{0, 31, 32, 40, 49, 50, 51} {
			put(t, w, "a", strings.Repeat("x", before)+secret+strings.Repeat("y", 200)+secret+strings.Repeat("z", after))
			out, err := call(t, w, "bash", "cat a")
			require.NoError(t, err)
			assert.NotContains(t, out, "sk-", "%d %d", before, after)
			assert.NotContains(t, out, "def", "%d %d", before, after)
		}
	}
}

// The same for the cuts of lines in grep, read_file and the errors and replies
// of edit_file.
func testSecretAcrossOtherCuts(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdef"
	w := openTemp(t, withSecrets(secret), withLimits(Limits{LineChars: 400}))
	marks := 0
	for _, at := range []int{0, 40, 81, 82, 90, 99, 100, 101, 281, 290, 381, 382, 390, 399, 400, 401, 800} {
		line := strings.Repeat("x", at) + secret + strings.Repeat("y", 500) + "needle"
		put(t, w, "a", line+"\nz\n")
		for _, act := range [][2]string{
			{"grep", "x*sk"},
			{"grep", "y"},
			{"grep", "needle"},
			{"grep", "context=1 ^z"},
			{"read_file", "a"},
			{"edit_file", "a\n<<<<<<< SEARCH\n" + line + "?\n=======\nq\n>>>>>>> REPLACE"},
			{"edit_file", "a\n<<<<<<< SEARCH\nz\n=======\nw\n>>>>>>> REPLACE"},
		} {
			out, err := call(t, w, act[0], act[1])
			shown := fmt.Sprint(out, err)
			assert.NotContains(t, shown, "sk-", "%s at %d", act[0], at)
			assert.NotContains(t, shown, "def", "%s at %d", act[0], at)
			marks += strings.Count(shown, "[redacted]")
		}
	}
	assert.Greater(t, marks, 50)
}

func testSecretInNames(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdef"
	w := openTemp(t, withSecrets(secret))
	put(t, w, secret+"/a", "x\n", "b", "is "+secret+"\n")
	want(t, w, "list", ".", "b (23 bytes)\n[redacted]/")
	want(t, w, "read_file", "b", "is [redacted]")
	want(t, w, "read_file", secret+"/a", "x")
	wantError(t, w, "read_file", secret, "[redacted] is a directory; use list [redacted]")
	wantError(t, w, "read_file", "../"+secret, "../[redacted]"+outsideText)
	wantError(t, w, "read_file", `{"`+secret+`":1}`, `bad JSON: unknown field "[redacted]"; fields: path, start, end`)
	out, err := call(t, w, "bash", "cat b; no-such-"+secret)
	require.NoError(t, err)
	assert.NotContains(t, out, secret)
	assert.Contains(t, out, "is [redacted]\n")
	for _, tool := range w.Tools() {
		for _, input := range []string{secret, secret + "/x", "x=" + secret + " y", `{"` + secret + `":1}`, `"` + secret, secret + "\n" + secret} {
			out, err := tool.Do(t.Context(), input)
			assert.NotContains(t, fmt.Sprint(out, err), secret, "%s %s", tool.Name, input)
		}
	}
}

func testSecretAcrossWrites(t *testing.T) {
	t.Parallel()
	w := openTemp(t, withSecrets("hunter2"))
	want(t, w, "bash", "printf hun; printf ter2; echo", "[redacted]")
	want(t, w, "bash", "printf hun >&2; printf ter2", "[redacted]")
	late := openTemp(t, withSecrets("hunter2"), withLimits(Limits{Timeout: time.Millisecond}), lateAfter(7))
	want(t, late, "bash", "printf hunter2; sleep 999", "exit: timeout after 0.001s, killed; output so far:\n[redacted]")
}

// Cleaning may put a secret together, or tear one that holds controls.
func testSecretInSequences(t *testing.T) {
	t.Parallel()
	w := openTemp(t, withSecrets("hunter2", "ab\rcdef", "one\ntwo"))
	for _, c := range [][2]string{
		{`printf 'hun\e[1mter2'`, "[redacted]"},
		{`printf 'hunX\bter2'`, "[redacted]"},
		{`printf 'hun\0ter2'`, "[redacted]"},
		{`printf 'xxx\rhunter2'`, "[redacted]"},
		{`printf 'hunter2\rxxx'`, "xxx"},
		{`printf 'ab\rcdef'`, "[redacted]"},
		{`printf 'one\ntwo'`, "[redacted]"},
		{`printf 'one\r\ntwo'`, "[redacted]"},
	} {
		want(t, w, "bash", c[0], c[1])
	}
}

// A command that reads the environment of this program finds its key there, but
// does not get it into an observation.
func testKeyOfParent(t *testing.T) {
	needs(t, "/proc/self/environ")
	const key = "sk-test-0123456789abcdef"
	w := openTemp(t, withSecrets(key))
	// The environment in /proc is that of the start, so a child stands for it.
	out, err := call(t, w, "bash", "export OPENAI_API_KEY=sk-test-0123456789; OPENAI_API_KEY+=abcdef\n"+
		`bash -c 'cat /proc/$PPID/environ; env; cat /proc/self/environ | tr "\0" "\n"; echo; tail -c 99 /proc/self/environ'`)
	require.NoError(t, err)
	assert.Contains(t, out, "OPENAI_API_KEY=[redacted]")
	assert.NotContains(t, out, key)
}
