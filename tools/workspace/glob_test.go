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

func TestGlob(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a.go", "", "b_test.go", "", "README.md", "", "pkg/c.go", "", "pkg/c_test.go", "", "pkg/deep/d.go", "", "pkg/deep/x[1].txt", "",
		".github/ci.yml", "", "node_modules/m/x.go", "", ".git/config", "", "with space/s.go", "")
	link(t, w, "pkg", "l")
	for _, c := range []struct{ name, input, want string }{
		{"top", "*.go", "a.go\nb_test.go"},
		{"everywhere", "**/*.go", "a.go\nb_test.go\npkg/c.go\npkg/c_test.go\npkg/deep/d.go\nwith space/s.go"},
		{"tests", "**/*_test.go", "b_test.go\npkg/c_test.go"},
		{"braces", "**/{c,d}.{go,txt}", "pkg/c.go\npkg/deep/d.go"},
		{"nested-braces", "{a,p{kg/c,x}}.go", "a.go\npkg/c.go"},
		{"class", "[a-b]*.go", "a.go\nb_test.go"},
		{"question", "?.go", "a.go"},
		{"escaped", `**/x\[1\].txt`, "pkg/deep/x[1].txt"},
		{"brace-in-class", "**/[{x]*", "pkg/deep/x[1].txt"},
		{"dot-slash", "./pkg/*.go", "pkg/c.go\npkg/c_test.go"},
		{"base", "pkg/**/d.go", "pkg/deep/d.go"},
		{"base-absent", "nope/**", "no path matches nope/** in 0 entries"},
		{"base-is-file", "a.go/**", "no path matches a.go/** in 0 entries"},
		{"through-link", "l/*.go", "l/c.go\nl/c_test.go"},
		{"link-is-named", "l", "l"},
		{"dot-files", "**/*.yml", ".github/ci.yml"},
		{"directories", "**/deep/", "pkg/deep/"},
		{"all-directories", "*/", ".git/\n.github/\nnode_modules/\npkg/\nwith space/"},
		{"bulky-if-named", "node_modules/**", "node_modules/m/x.go"},
		{"path", "path=pkg *.go", "pkg/c.go\npkg/c_test.go"},
		{"path-quoted", `path="with space" *`, "with space/s.go"},
		{"absolute-path", "path=" + w.dir + "/pkg *_test.go", "pkg/c_test.go"},
		{"option-like", "-- sort=*", "no path matches sort=* in 9 entries; **/sort=* looks in the directories below as well"},
		{"quoted", `"pkg/*.go"`, "pkg/c.go\npkg/c_test.go"},
		{"json", `{"pattern":"*.go","path":"pkg"}`, "pkg/c.go\npkg/c_test.go"},
		{"none", "*.rs", "no path matches *.rs in 9 entries; **/*.rs looks in the directories below as well"},
		{"none-anywhere", "**/*.rs", "no path matches **/*.rs in 16 entries (1 dependency directory skipped)"},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, w, "glob", c.input, c.want) })
	}
	for _, c := range []struct{ name, input, want string }{
		{"empty", "", "no pattern; use glob PATTERN, such as **/*_test.go"},
		{"no-pattern", "sort=time", "no pattern; use glob PATTERN, such as **/*_test.go"},
		{"bad-sort", "sort=size *", "bad sort size; use sort=time, or leave it away to sort by name"},
		{"bad-json", `{"pattern":1}`, "bad JSON: field pattern cannot be a number: want text; fields: pattern, path, sort"},
		{"two-patterns", `"a" b`, `unexpected text after the path: "b"`},
		{"path-absent", "path=nope *", "no directory nope; list . to see what there is"},
		{"path-is-file", "path=a.go *", "a.go is not a directory; use path= with a directory"},
		{"path-outside", "path=.. *", ".." + " is outside the workspace; use a path under the workspace root"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, w, "glob", c.input, c.want) })
	}
}

func TestGlobSortTime(t *testing.T) {
	w := openTemp(t)
	put(t, w, "old", "", "d/new", "", "b", "", "a", "")
	for name, hour := range map[string]int{"old": 1, "d/new": 3, "a": 2, "b": 2} {
		when := time.Date(2020, 1, 1, hour, 0, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(filepath.Join(w.dir, name), when, when))
	}
	want(t, w, "glob", "sort=time **", "d/new\na\nb\nold")
	want(t, w, "glob", `{"pattern":"**","sort":"time"}`, "d/new\na\nb\nold")
}

func TestGlobCaps(t *testing.T) {
	w := openTemp(t)
	var all []string
	for i := range 230 {
		name := fmt.Sprintf("f%03d", i)
		put(t, w, name, "")
		all = append(all, name)
	}
	want(t, w, "glob", "*", strings.Join(all[:200], "\n")+"\n[cut: 30 paths; use a narrower pattern or path=]")
	w = openTemp(t, withLimits(Limits{ReadBytes: 9}))
	put(t, w, "aaa", "", "bbb", "", "ccc", "")
	want(t, w, "glob", "*", "aaa\nbbb\n[cut: 1 path; use a narrower pattern or path=]")
}

func TestAlternatives(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"a", []string{"a"}},
		{"{a}", []string{"a"}},
		{"{a,}b", []string{"ab", "b"}},
		{"x{a,b}y{c,d}z", []string{"xaycz", "xaydz", "xbycz", "xbydz"}},
		{"{a,{b,c}d}e", []string{"ae", "bde", "cde"}},
		{`\{a,b\}`, []string{`\{a,b\}`}},
		{"[{,}]{a,b}", []string{"[{,}]a", "[{,}]b"}},
		{`{a\,b,c}`, []string{`a\,b`, "c"}},
		{"a,b", []string{"a,b"}},
	} {
		assert.Equal(t, c.want, alternatives(nil, c.pattern), c.pattern)
	}
}

func FuzzGlobPattern(f *testing.F) {
	for _, seed := range []string{"**", "{a,b}", "[a-z]*", `\`, "{{{", "a/../b", "{a,{b,c}}/**", "[", "[]]", "[^]", "[\n", "{a", "}", "a}", "**/{x,y}?"} {
		f.Add(seed, "a/b/c.go")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := newGlob(pattern)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.LessOrEqual(t, len(g.alternatives), maxAlternatives)
		g.match(name)
		base := g.base()
		assert.NotContains(t, strings.Split(base, "/"), "..")
	})
}
