//go:build unix

package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/tools"
)

var hostileApproval = []hostile{
	{"84-every-tool-asks", testEveryToolAsks},
	{"84-approver-hangs", testApproverHangs},
	{"85-display-of-every-tool", testDisplayOfEveryTool},
	{"86-no-approver", testNoApprover},
}

// everyAct calls each tool on the file "a", which holds x and a newline. Were
// they carried out, "a" would be changed or "made" would be there.
var everyAct = [][2]string{
	{"bash", "touch made; echo y >a"},
	{"read_file", "a"},
	{"list", "."},
	{"glob", "*"},
	{"grep", "x"},
	{"grep", "path=a x"},
	{"write_file", "made\ny"},
	{"write_file", "dir/made\ny"},
	{"edit_file", "a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"},
}

// assertUntouched checks that no act of everyAct was carried out.
func assertUntouched(t *testing.T, w *Workspace, act string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, "x\n", string(data), act)
	entries, err := os.ReadDir(w.dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, act)
}

func testEveryToolAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		approve ApproverFunc
		wantErr string
	}{
		{"denies", func(context.Context, Request) (Decision, string, error) { return Deny, "no", nil }, "denied (no); try another way, or answer with DONE:"},
		{"stops", func(context.Context, Request) (Decision, string, error) { return Stop, "no", nil }, "stopped by the approver: no"},
		{"fails", func(context.Context, Request) (Decision, string, error) { return Allow, "", errors.New("broken") },
			"denied (the approver gave an error: broken); try another way, or answer with DONE:"},
		{"panics", func(context.Context, Request) (Decision, string, error) { panic("oops") },
			"denied (the approver panicked: oops); try another way, or answer with DONE:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openTemp(t, func(c2 *Config) { c2.Approver = c.approve })
			put(t, w, "a", "x\n")
			seen := map[string]bool{}
			for _, act := range everyAct {
				seen[act[0]] = true
				out, err := call(t, w, act[0], act[1])
				assert.EqualError(t, err, c.wantErr, act)
				assert.Equal(t, c.name == "stops", tools.IsFatal(err), act)
				assert.Empty(t, out, act)
				assertUntouched(t, w, act[0])
			}
			for _, tool := range w.Tools() {
				assert.True(t, seen[tool.Name], "%s is not in everyAct", tool.Name)
			}
		})
	}
}

// An approver that does not answer is left when the run ends, and what it says
// then does not count.
func testApproverHangs(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for _, act := range everyAct {
		ctx, cancel := context.WithCancel(t.Context())
		w := openTemp(t, func(c *Config) {
			c.Approver = ApproverFunc(func(context.Context, Request) (Decision, string, error) {
				cancel()
				<-never
				return Allow, "", nil
			})
		})
		put(t, w, "a", "x\n")
		_, err := callContext(t, ctx, w, act[0], act[1])
		assert.ErrorIs(t, err, context.Canceled, act)
		assertUntouched(t, w, act[0])
	}
}

// What a person is shown has nothing in it that a terminal obeys or that pushes
// the rest out of sight, wherever the text comes from.
func testDisplayOfEveryTool(t *testing.T) {
	t.Parallel()
	bad := "x\x1b[8m\u202e\u009b2J\r" + strings.Repeat(" ", 500) + "y"
	shown := `x\x1b[8m\u{202e}\u{9b}2J\x0d[500 blanks]y`
	var got []Request
	w := openTemp(t, func(c *Config) {
		c.Approver = ApproverFunc(func(_ context.Context, r Request) (Decision, string, error) {
			got = append(got, r)
			return Deny, "", nil
		})
	})
	name := "n\x1b[8m\u202e" + strings.Repeat(" ", 100) + "m"
	put(t, w, "a", bad+"\n", name, "x\n", filepath.Join(name+"d", "f"), "x\n")
	for _, c := range []struct {
		tool, input string
		want        string // in the display; empty for a path, which is quoted
	}{
		{"bash", "echo " + bad, "echo " + shown},
		{"grep", "fixed=1 " + bad, shown},
		{"glob", "n*\u202e" + strings.Repeat(" ", 100) + "m", `n*`},
		{"read_file", name, ""},
		{"list", name + "d", ""},
		{"write_file", "new\n" + bad, "+" + shown},
		{"write_file", name + "2\ntext", "+text"},
		{"edit_file", "a\n<<<<<<< SEARCH\n" + bad + "\n=======\nz\n>>>>>>> REPLACE", "-" + shown},
	} {
		got = nil
		_, err := call(t, w, c.tool, c.input)
		require.EqualError(t, err, "denied; try another way, or answer with DONE:", c.tool)
		require.Len(t, got, 1, c.tool)
		assert.Equal(t, visible(got[0].Display), got[0].Display, c.tool)
		assert.NotContains(t, got[0].Display, strings.Repeat(" ", longBlank+1), c.tool)
		assert.Contains(t, got[0].Display, c.want, c.tool)
	}
}

func testNoApprover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Open(Config{Dir: dir, Runner: Unconfined{}})
	assert.ErrorContains(t, err, "bash needs an approver")
	w := openAt(t, dir, func(c *Config) { c.Approver, c.Runner = nil, nil })
	put(t, w, "a", "x\n")
	want(t, w, "read_file", "a", "x")
	for _, tool := range []tools.Tool{w.writeFileTool(), w.editFileTool()} {
		_, err := tool.Do(t.Context(), "a\ny")
		assert.EqualError(t, err, "writing needs approval and none is configured; use read_file, list, grep, or answer with DONE:")
	}
	assertUntouched(t, w, "write")
}
