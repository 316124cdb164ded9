package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// walked returns the paths that a walk over all of w meets, with its notes.
func walked(t *testing.T, k *walk) []string {
	t.Helper()
	var met []string
	inner := k.visit
	k.visit = func(ctx context.Context, e entry) {
		met = append(met, behind(e.below, e.note))
		if inner != nil {
			inner(ctx, e)
		}
	}
	require.NoError(t, k.from(t.Context(), place{asked: ".", shown: ".", resolved: "."}))
	return met
}

func TestWalk(t *testing.T) {
	w := openTemp(t)
	put(t, w, "b/x", "", "b/a/y", "", "a", "", "c", "", ".git/config", "", "node_modules/m", "", "b/__pycache__/z", "")
	link(t, w, "b", "l")
	k := walk{w: w}
	assert.Equal(t, []string{".git (not descended into)", "a", "b", "b/__pycache__ (not descended into)", "b/a", "b/a/y", "b/x", "c", "l",
		"node_modules (not descended into)"}, walked(t, &k))
	assert.Equal(t, skips{bulky: 2}, k.skipped)
	assert.Empty(t, k.stopped)

	k = walk{w: w, enter: func(e entry) bool { return e.below == "b" }}
	assert.Equal(t, []string{".git", "a", "b", "b/__pycache__", "b/a", "b/x", "c", "l", "node_modules"}, walked(t, &k))

	k = walk{w: w, skip: func(e entry) bool { return e.depth > 0 }}
	assert.Equal(t, []string{".git", ".git/config", "a", "b", "b/__pycache__ (not descended into)", "b/a (not descended into)", "b/x", "c", "l",
		"node_modules", "node_modules/m"}, walked(t, &k))
}

func TestWalkLimits(t *testing.T) {
	for _, c := range []struct {
		limit   int
		met     int
		stopped string
	}{{1, 1, "1 entry looked at"}, {3, 3, "3 entries looked at"}, {4, 4, "4 entries looked at"}, {5, 5, ""}, {6, 5, ""}} {
		w := openTemp(t, withLimits(Limits{WalkEntries: c.limit}))
		put(t, w, "a", "", "b/x", "", "b/y", "", "c", "")
		k := walk{w: w}
		assert.Len(t, walked(t, &k), c.met, c.limit)
		assert.Equal(t, c.stopped, k.stopped, c.limit)
	}
}

func TestWalkDepth(t *testing.T) {
	w := openTemp(t)
	name := strings.Repeat("d/", maxDepth+1)
	put(t, w, name+"x/file", "needle\n", strings.Repeat("d/", 40)+"found", "needle\n")
	k := walk{w: w}
	met := walked(t, &k)
	assert.Equal(t, name[:len(name)-1]+" (not descended into)", met[maxDepth])
	assert.Equal(t, skips{deep: 1}, k.skipped)
	want(t, w, "grep", "needle", strings.Repeat("d/", 40)+"found:1:needle\n[1 directory nested too deeply skipped]")
}

// What takes the place of a directory or a file, after it was listed and
// before it is opened, is not taken for it.
func TestWalkNoticesSwap(t *testing.T) {
	w := openTemp(t)
	put(t, w, "d/f", "", "file", "inside\n", "other/f", "")
	var dir, file entry
	k := walk{w: w, visit: func(_ context.Context, e entry) {
		switch e.below {
		case "d":
			dir = e
		case "file":
			file = e
		}
	}}
	root, err := openDir(w.root, ".")
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, k.below(t.Context(), root, entry{depth: -1}))
	at := func(name string) string { return filepath.Join(w.dir, name) }
	require.NoError(t, os.Rename(at("d"), at("kept")))
	require.NoError(t, os.Rename(at("other"), at("d")))
	_, err = dir.open()
	assert.EqualError(t, err, "d changed while it was opened")
	require.NoError(t, os.Remove(at("file")))
	link(t, w, "kept/f", "file")
	_, err = file.openFile()
	assert.EqualError(t, err, "file changed while it was opened")
}

// What was approved is what is looked at, also if a link takes its place
// meanwhile.
func TestLookAtWhatWasApproved(t *testing.T) {
	for _, c := range []struct{ tool, input, wantErr string }{
		{"grep", "path=d x", "d changed while it was opened; try again"},
		{"grep", "path=f x", "f changed while it was opened; try again"},
		{"list", "d", "d changed while it was opened; try again"},
		{"glob", "path=d *", "d changed while it was opened; try again"},
	} {
		t.Run(c.tool+" "+c.input, func(t *testing.T) {
			var w *Workspace
			w = openTemp(t, func(config *Config) {
				config.Runner = nil
				config.Approver = ApproverFunc(func(context.Context, Request) (Decision, string, error) {
					for from, to := range map[string]string{"d": "other", "f": "other/g"} {
						require.NoError(t, os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, "old-"+from)))
						link(t, w, to, from)
					}
					return Allow, "", nil
				})
			})
			put(t, w, "d/x", "x\n", "f", "x\n", "other/g", "x\n")
			wantError(t, w, c.tool, c.input, c.wantErr)
		})
	}
}
