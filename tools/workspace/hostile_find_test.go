//go:build unix

package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var hostileFinds = []hostile{
	{"45-paths-find", parallel(testFindPaths)},
	{"46-links-find", parallel(testFindLinks)},
	{"47-swapped-directory-find", parallel(testFindSwapped)},
	{"48-fifo-find", parallel(func(t *testing.T, w *Workspace) {
		require.NoError(t, syscall.Mkfifo(filepath.Join(w.dir, "pipe1"), 0o644))
		within(t, promptly, func() { want(t, w, "grep", "x", `no match for "x" in 0 files (1 special file skipped)`) })
		within(t, promptly, func() {
			wantError(t, w, "grep", "path=pipe1 x", "pipe1 is not a regular file (named pipe); tools read regular files only")
		})
		want(t, w, "glob", "*", "pipe1")
		_, err := openDir(w.root, "pipe1")
		assert.ErrorIs(t, err, syscall.ENOTDIR, "it did not wait for a writer")
	})},
	{"55-names-find", parallel(testFindNames)},
	{"56-unreadable-find", parallel(testFindUnreadable)},
	{"57-secrets-find", parallel(testFindSecrets)},
	{"80-grep-patterns", parallel(testHostilePatterns)},
	{"81-large-trees", func(t *testing.T) { t.Parallel(); testLargeTrees(t) }},
	{"82-glob-patterns", parallel(testHostileGlobs)},
	{"83-deleted-during-walk", parallel(testDeletedDuringWalk)},
	{"88-unknown-options-find", parallel(func(t *testing.T, w *Workspace) {
		wantError(t, w, "glob", "depth=1 *", "unknown option depth=; options: sort=, path=")
		wantError(t, w, "glob", `{"pattern":"*","depth":1}`, `bad JSON: unknown field "depth"; fields: pattern, path, sort`)
		wantError(t, w, "grep", "include=*.go x", "unknown option include=; options: path=, glob=, case=, fixed=, context=; -- goes before a pattern that begins like an option")
		wantError(t, w, "grep", `{"pattern":"x","include":"*.go"}`, `bad JSON: unknown field "include"; fields: pattern, path, glob, case, fixed, context`)
	})},
}

func testFindPaths(t *testing.T, w *Workspace) {
	put(t, w, "a", "x\n", "d/b", "x\n")
	link(t, w, "d", "l")
	sibling := w.dir + "-sibling"
	for _, p := range []string{"../x", "d/../../x", "missing/../../x", "/etc", sibling, w.dir + "/../x", ".."} {
		for tool, input := range map[string]string{"list": p, "glob": "path=" + p + " *", "grep": "path=" + p + " x"} {
			got, err := call(t, w, tool, input)
			assert.ErrorIs(t, err, ErrOutside, input)
			assert.EqualError(t, err, p+outsideText)
			assert.Empty(t, got)
		}
	}
	for _, p := range []string{".", w.dir, "d/..", `""`} {
		want(t, w, "grep", "path="+p+" x", "a:1:x\nd/b:1:x")
	}
	want(t, w, "grep", "path=l/ x", "l/b:1:x")
	want(t, w, "glob", "path=l/ *", "l/b")
	nul := `"a\x00b" holds a NUL byte, which no path does`
	wantError(t, w, "list", "a\x00b", nul)
	wantError(t, w, "glob", "path=a\x00b *", nul)
	wantError(t, w, "grep", "path=a\x00b x", nul)
	long := strings.Repeat("x", 5000)
	wantError(t, w, "grep", "path="+long+" x", "the path has 5,000 bytes, more than any file")
	wantError(t, w, "glob", long, "the pattern has 5,000 bytes (max 256); use a shorter one")
}

func testFindLinks(t *testing.T, w *Workspace) {
	put(t, w, "d/a", "root: x\n")
	for name, target := range map[string]string{
		"in": "d/a", "dir": "d", "out": "/etc/passwd", "out-dir": "/etc", "loop": "loop2", "loop2": "loop", "self": ".", "d/up": "..",
		"dangling-in": "d/zzzzzzzz", "dangling-out": "/nowhere/x", "zero": "/dev/zero", "environ": "/proc/self/environ",
	} {
		link(t, w, target, name)
	}
	want(t, w, "grep", "root:", "d/a:1:root: x")
	want(t, w, "grep", "path=dir root:", "dir/a:1:root: x")
	want(t, w, "grep", "path=in root:", "in:1:root: x")
	want(t, w, "grep", "path=self/self/dir/up/d root:", "self/self/dir/up/d/a:1:root: x")
	for _, p := range []string{"out", "out-dir", "dangling-out", "zero", "environ"} {
		wantError(t, w, "grep", "path="+p+" x", p+outsideText)
		wantError(t, w, "glob", "path="+p+" *", p+outsideText)
		wantError(t, w, "list", p, p+outsideText)
	}
	wantError(t, w, "glob", "out-dir/*", "out-dir"+outsideText)
	wantError(t, w, "grep", "path=loop x", "loop is a link that leads back to itself; use list to find the file")
	wantError(t, w, "grep", "path=dangling-in x", "no directory dangling-in; list . to see what there is")
	out, err := call(t, w, "list", "depth=9")
	require.NoError(t, err)
	assert.Contains(t, out, "d/up -> ..\n")
	assert.Len(t, strings.Split(out, "\n"), 14, "each once")
}

// A directory that is swapped with a link out all the time is searched or
// passed over, never left.
func testFindSwapped(t *testing.T, w *Workspace) {
	secret := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(secret, "f"), []byte("outside\n"), 0o644))
	put(t, w, "d/f", "inside\n")
	link(t, w, secret, "evil")
	at := func(name string) string { return filepath.Join(w.dir, name) }
	done, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			select {
			case <-done:
				return
			default:
			}
			os.Rename(at("d"), at("kept"))
			os.Rename(at("evil"), at("d"))
			os.Rename(at("d"), at("evil"))
			os.Rename(at("kept"), at("d"))
		}
	}()
	good := 0
	for range 400 {
		out, err := call(t, w, "grep", "side")
		require.NoError(t, err)
		require.NotContains(t, out, "outside")
		if strings.Contains(out, "inside") {
			good++
		}
	}
	close(done)
	<-swapped
	assert.NotZero(t, good, "never searched between the swaps")
}

func testFindNames(t *testing.T, w *Workspace) {
	names := []string{"new\nline", "\x1b[31mred", "inv\xffalid", "-dash", " spaces ", "two words", "10-20", "ends 10-20", `"quoted"`, "{brace", "k=v x", "日本", "\u202ebidi"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("needle\n"), 0o644); err != nil {
			t.Logf("%q cannot be made here: %v", name, err)
			continue
		}
		shown := quotePath(name)
		if strings.Contains(shown, " ") && shown == name {
			shown = fmt.Sprintf("%q", name)
		}
		want(t, w, "grep", "path="+shown+" needle", quotePath(name)+":1:needle")
	}
	for tool, input := range map[string]string{"glob": "*", "grep": "needle"} {
		out, err := call(t, w, tool, input)
		require.NoError(t, err)
		assert.Len(t, strings.Split(out, "\n"), len(names), tool)
		assert.Contains(t, out, `"\x1b[31mred"`)
		assert.Contains(t, out, `"new\nline"`)
		assert.NotContains(t, out, "\x1b")
	}
}

func testFindUnreadable(t *testing.T, w *Workspace) {
	if os.Geteuid() == 0 {
		t.Skip("root can read everything")
	}
	put(t, w, "a", "needle\n", "d/x", "needle\n", "f", "needle\n")
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "f"), 0))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "d"), 0))
	defer os.Chmod(filepath.Join(w.dir, "d"), 0o755)
	want(t, w, "grep", "needle", "a:1:needle\n[2 unreadable files or directories skipped]")
	want(t, w, "glob", "**/x", "no path matches **/x in 3 entries (1 unreadable file or directory skipped)")
	want(t, w, "list", "depth=2", "a (7 bytes)\nd/ (cannot be read)\nf (7 bytes)")
	wantError(t, w, "grep", "path=f needle", "f cannot be read (permission denied); ask the user")
	wantError(t, w, "grep", "path=d needle", "d cannot be read (permission denied); ask the user")
}

func testFindSecrets(t *testing.T, w *Workspace) {
	put(t, w, ".env", "KEY=1\n", "sub/.env.local", "KEY=2\n", ".env.example", "KEY=\n", "id_map.go", "KEY\n", ".ssh/deploy", "KEY=3\n",
		".git-credentials", "https://KEY\n")
	link(t, w, ".env", "notes.txt")
	link(t, w, ".ssh", "keys")
	want(t, w, "grep", "KEY", ".env.example:1:KEY=\nid_map.go:1:KEY\n[4 secret files skipped]")
	want(t, w, "grep", "path=keys KEY", `no match for "KEY" in 0 files (1 secret file skipped)`)
	wantError(t, w, "grep", "path=.env KEY", ".env may hold secrets and is not shown; ask the user or read .env.example")
	wantError(t, w, "grep", "path=notes.txt KEY", "notes.txt leads to .env, which may hold secrets and is not shown; ask the user or read .env.example")
	wantError(t, w, "read_file", "keys/deploy", "keys/deploy leads to .ssh/deploy, which may hold secrets and is not shown; ask the user")
	want(t, w, "glob", ".env*", ".env\n.env.example")
}

func testHostilePatterns(t *testing.T, w *Workspace) {
	mebibyte := strings.Repeat("a", 1<<20)
	put(t, w, "long", mebibyte+"b\n", "lines", strings.Repeat(strings.Repeat("a", 1000)+"b\n", 1000), "bin", "\x00needle", "opt", "path=x\n-e\n")
	for _, pattern := range []string{"(a+)+$", "(a*)*c", "(a|a)*c", "(.*)(.*)(.*)(.*)q", `(\w+\s?)+;`, "(?i)(a+)+$"} {
		within(t, promptly, func() {
			want(t, w, "grep", pattern, fmt.Sprintf(`no match for "%s" in 3 files (1 binary file skipped)`, pattern))
		})
	}
	wantError(t, w, "grep", "(", `bad pattern at "(": missing ); use fixed=1 for plain text`)
	out, err := call(t, w, "grep", "path=long a+b")
	require.NoError(t, err)
	assert.Equal(t, "long:1:"+strings.Repeat("a", 400)+"[+1,048,177 characters]", out)
	want(t, w, "grep", "-e", "opt:2:-e\n[1 binary file skipped]")
	want(t, w, "grep", "-- path=x", "opt:1:path=x\n[1 binary file skipped]")
	wantError(t, w, "grep", "path=x y", "no directory x; list . to see what there is")
	want(t, w, "grep", "path=bin needle", `no match for "needle" in 0 files (1 binary file skipped)`)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []string{"list", "glob", "grep"} {
		out, err := callContext(t, ctx, w, tool, map[string]string{"list": ".", "glob": "**", "grep": "a"}[tool])
		assert.ErrorIs(t, err, context.Canceled, tool)
		assert.Empty(t, out)
	}
}

// A pattern of many states on a long line ends with the time of the search.
func TestGrepEndsInALine(t *testing.T) {
	w := openTemp(t, withLimits(Limits{WalkTime: 50 * time.Millisecond}))
	put(t, w, "long", strings.Repeat("a", 4<<20))
	within(t, promptly, func() {
		want(t, w, "grep", "path=long (a{1,90}){9}(a{1,90}){9}[^a]", "no match for \"(a{1,90}){9}(a{1,90}){9}[^a]\" in 1 file\n[stopped: 0.05 s are over; narrow path=]")
	})
}

func testLargeTrees(t *testing.T) {
	w := openTemp(t, withLimits(Limits{WalkEntries: 500}))
	put(t, w, "a/f", "needle\n", "z", "needle\n")
	link(t, w, "..", "a/up")
	link(t, w, ".", "a/here")
	for i := range 600 {
		put(t, w, fmt.Sprintf("node_modules/p%03d/i.js", i), "needle\n")
	}
	want(t, w, "grep", "needle", "a/f:1:needle\nz:1:needle")
	want(t, w, "glob", "**/f", "a/f")
	stopped := "[stopped: 500 entries looked at; narrow path=]"
	want(t, w, "glob", "path=node_modules **/none", "no path matches **/none in 500 entries\n"+stopped)
	out, err := call(t, w, "grep", "path=node_modules none")
	require.NoError(t, err)
	assert.Equal(t, "no match for \"none\" in 250 files\n"+stopped, out)
	out, err = call(t, w, "list", "node_modules")
	require.NoError(t, err)
	assert.Contains(t, out, "\n[stopped: 500 entries looked at, 100 not shown; list a directory below]")
	within(t, promptly, func() { wantError(t, w, "read_file", "nowhere", "no file nowhere; list . to see files") })
}

func testHostileGlobs(t *testing.T, w *Workspace) {
	put(t, w, "a/b", "", strings.Repeat("a", 200), "")
	refused := " is outside the workspace; use a pattern under the workspace root"
	for _, pattern := range []string{"../*", "/", "/etc/*", "..", "a/../../*", "a/..", w.dir + "/*"} {
		_, err := call(t, w, "glob", pattern)
		assert.ErrorIs(t, err, ErrOutside)
		assert.EqualError(t, err, pattern+refused)
	}
	bad := `; the special characters are * ** ? [a-z] {a,b}, and \ before one makes it plain`
	for _, pattern := range []string{"[", "a[", "{a", "a}", `\`, "[]"} {
		wantError(t, w, "glob", pattern, "bad pattern "+pattern+bad)
		wantError(t, w, "grep", "glob="+pattern+" x", "bad pattern "+pattern+bad)
	}
	want(t, w, "glob", "**", "a/b\n"+strings.Repeat("a", 200))
	want(t, w, "glob", "{..,a}/*", "a/b")
	want(t, w, "glob", "{/etc,a}/*", "a/b")
	many := strings.Repeat("{a,b}", 20)
	wantError(t, w, "glob", many, "the braces of "+many+" stand for too many patterns (max 32); use fewer")
	within(t, promptly, func() {
		for _, pattern := range []string{strings.Repeat("*a", 120) + "b", strings.Repeat("**/", 80) + "x", strings.Repeat("*{a,b}", 5) + "c"} {
			out, err := call(t, w, "glob", pattern)
			require.NoError(t, err)
			assert.Contains(t, out, "no path matches ")
		}
	})
}

// Files and directories that go while the walk goes on are passed over.
func testDeletedDuringWalk(t *testing.T, w *Workspace) {
	for _, dir := range []string{"a", "b", "c"} {
		put(t, w, dir+"/1", "needle\n", dir+"/2", "needle\n")
	}
	s, err := newSearch(w, grepFields{Pattern: "needle", Path: "."})
	require.NoError(t, err)
	s.under = place{asked: ".", shown: ".", resolved: "."}
	s.walk.visit = func(ctx context.Context, e entry) {
		s.visit(ctx, e)
		switch e.below {
		case "a/1":
			require.NoError(t, os.Remove(filepath.Join(w.dir, "a/2")))
			require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "b")))
		case "c":
			require.NoError(t, os.RemoveAll(filepath.Join(w.dir, path.Join("c", "1"))))
		}
	}
	require.NoError(t, s.walk.from(t.Context(), s.under))
	assert.Equal(t, "a/1:1:needle\nc/2:1:needle", s.result())
}
