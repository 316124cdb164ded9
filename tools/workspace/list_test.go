package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestList(t *testing.T) {
	w := openTemp(t)
	put(t, w, "b.go", strings.Repeat("x", 1234), "a.go", "x", "Z", "", ".env", "A=1", "pkg/c.go", "xx", "pkg/deep/d.go", "",
		"node_modules/m/x.js", "", "with space/x", "")
	require.NoError(t, os.Mkdir(filepath.Join(w.dir, "void"), 0o755))
	link(t, w, "pkg/c.go", "l")
	link(t, w, "/etc", "out")
	link(t, w, "pkg", "p")
	top := `.env (3 bytes)
Z (0 bytes)
a.go (1 byte)
b.go (1,234 bytes)
l -> pkg/c.go
node_modules/
out -> /etc
p -> pkg
pkg/
void/
with space/`
	for _, c := range []struct{ name, input, want string }{
		{"empty-input", "", top},
		{"dot", ".", top},
		{"absolute", w.dir, top},
		{"directory", "pkg", "c.go (2 bytes)\ndeep/"},
		{"slash", "pkg/", "c.go (2 bytes)\ndeep/"},
		{"through-link", "p", "c.go (2 bytes)\ndeep/"},
		{"spaces", "with space", "x (0 bytes)"},
		{"quoted", `"with space"`, "x (0 bytes)"},
		{"void", "void", "(empty directory)"},
		{"depth-2", "depth=2 pkg", "c.go (2 bytes)\ndeep/\ndeep/d.go (0 bytes)"},
		{"json", `{"path":"pkg","depth":2}`, "c.go (2 bytes)\ndeep/\ndeep/d.go (0 bytes)"},
		{"json-default", `{}`, top},
		{"bulky-itself", "node_modules", "m/"},
		{"depth-3", "depth=3", strings.NewReplacer("node_modules/", "node_modules/ (not descended into)",
			"pkg/\n", "pkg/\npkg/c.go (2 bytes)\npkg/deep/\npkg/deep/d.go (0 bytes)\n",
			"with space/", "with space/\nwith space/x (0 bytes)").Replace(top)},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, w, "list", c.input, c.want) })
	}
	for _, c := range []struct{ name, input, want string }{
		{"absent", "nope", "no directory nope; list . to see what there is"},
		{"file", "a.go", "a.go is not a directory; use read_file a.go"},
		{"below-file", "a.go/x", "no directory a.go/x; list . to see what there is"},
		{"link-out", "out", "out is outside the workspace; use a path under the workspace root"},
		{"dot-dot", "..", ".. is outside the workspace; use a path under the workspace root"},
		{"depth-0", "depth=0", "bad depth 0; use a number from 1"},
		{"depth-word", "depth=x .", "bad depth x; use a number from 1"},
		{"unknown-option", "deep=2 pkg", "unknown option deep=; options: depth="},
		{"unknown-field", `{"dir":"pkg"}`, `bad JSON: unknown field "dir"; fields: path, depth`},
		{"two-words", `"pkg" pkg`, `unexpected text after the path: "pkg"`},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, w, "list", c.input, c.want) })
	}
}

func TestListCaps(t *testing.T) {
	w := openTemp(t)
	var all []string
	for i := range 450 {
		name := fmt.Sprintf("f%03d", i)
		put(t, w, name, "")
		all = append(all, name+" (0 bytes)")
	}
	want(t, w, "list", "", strings.Join(all[:400], "\n")+"\n[cut: 50 entries; list a directory below]")

	long := strings.Repeat("n", 200)
	for i := range 50 {
		put(t, w, fmt.Sprintf("long/%s%03d", long, i), "")
	}
	out, err := call(t, w, "list", "long")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(out), 8<<10+60)
	assert.Contains(t, out, "\n[cut: 12 entries; list a directory below]")
}

func TestListStops(t *testing.T) {
	w := openTemp(t, withLimits(Limits{WalkEntries: 3}))
	put(t, w, "a/x", "", "b/x", "")
	want(t, w, "list", "depth=9", "a/\na/x (0 bytes)\nb/\n[stopped: 3 entries looked at, 0 not shown; list a directory below]")
	w = openTemp(t, withLimits(Limits{WalkTime: time.Nanosecond}))
	put(t, w, "a", "")
	want(t, w, "list", "", "[stopped: 0.000000001 s are over, 0 not shown; list a directory below]")
}
