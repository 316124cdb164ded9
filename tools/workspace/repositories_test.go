//go:build unix

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testGitKept is about repositories that are there when the workspace is opened:
// one at its top, with a submodule and a linked worktree, and one further down.
func testGitKept(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	git("init", "-q", ".")
	git("init", "-q", "deep/down/repo")
	git("-C", "deep/down/repo", "commit", "-q", "--allow-empty", "-m", "first")
	git("submodule", "--quiet", "add", "./deep/down/repo", "sub")
	git("commit", "-q", "-m", "first")
	git("worktree", "add", "-q", "tree")
	git("config", "extensions.worktreeConfig", "true")
	git("init", "-q", "--bare", "bare.git")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "bare.git", "hooks")))
	require.NoError(t, os.Remove(filepath.Join(dir, "deep/down/repo/.git/config")))

	w := openAt(t, dir)
	put(t, w, "attempts", strings.Join([]string{
		"echo evil >>.git/config", "echo evil >.git/hooks/pre-commit", "rm .git/config", "rm -r .git/hooks",
		"mv .git/config x", "mv .git/hooks x", "mv .git x", "rmdir .git", "ln -sfn /tmp .git/hooks", "ln .git/config x",
		"git config core.fsmonitor evil", "chmod +w .git/config && echo evil >>.git/config",
		"echo evil >>deep/down/repo/.git/config", "echo evil >deep/down/repo/.git/hooks/x",
		"mv deep x", "mv deep/down x", "mv deep/down/repo x", "mv deep/down/repo/.git x",
		"echo evil >>.git/modules/sub/config", "echo evil >.git/modules/sub/hooks/x", "mv .git/modules x", "mv .git/modules/sub x",
		"echo evil >sub/.git", "rm -f sub/.git", "mv sub x",
		"echo evil >.git/config.worktree", "echo evil >.git/worktrees/tree/config.worktree", "echo evil >.git/worktrees/tree/commondir", "echo evil >tree/.git", "rm -f tree/.git", "mv .git/worktrees x",
		"echo evil >>bare.git/config", "echo evil >bare.git/hooks/x", "mv bare.git x",
		"mount --bind /tmp .git", "umount .git/config", "unshare -Urm umount .git/config", "",
	}, "\n"))
	want(t, w, "bash", "while read -r attempt; do (eval \"$attempt\") >/dev/null 2>&1 && echo \"done: $attempt\"; rm -rf x; done <attempts; ls",
		"attempts\nbare.git\ndeep\nsub\ntree")
	want(t, w, "bash", "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git log --format=%s", "second\nfirst")
	data, err := os.ReadFile(filepath.Join(dir, ".git/config"))
	require.NoError(t, err)
	assert.NotContains(t, string(data), "evil")
}

// TestGitThatCannotBeKept is about repositories with links in the place of files.
func TestGitThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"linked/.git/objects", "linked/.git/refs", "linked/hooks"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "linked/.git/HEAD"), nil, 0o644))
	require.NoError(t, os.Symlink("../hooks", filepath.Join(dir, "linked/.git/hooks")))
	paths, err := gitPaths(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "linked/.git")}, paths, "all of it")

	_, err = gitPaths(filepath.Join(dir, "linked/.git"))
	assert.ErrorContains(t, err, "links or cannot be made")
	require.NoError(t, os.Symlink("linked/.git", filepath.Join(dir, ".git")))
	_, err = gitPaths(dir)
	assert.ErrorContains(t, err, ".git cannot be kept from commands: it is a link")
}

// TestGitPointers is about what may be called .git and is neither a directory
// nor a short text. It is kept as it is and does not hold up the opening.
func TestGitPointers(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"large", "pipe"} {
		require.NoError(t, os.Mkdir(at(name), 0o755))
	}
	require.NoError(t, os.WriteFile(at("large/.git"), nil, 0o644))
	require.NoError(t, os.Truncate(at("large/.git"), 1<<40))
	require.NoError(t, syscall.Mkfifo(at("pipe/.git"), 0o644))
	paths, err := gitPaths(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{at("large/.git"), at("pipe/.git")}, paths)
}

// TestGitWorktreeConfig is about the configuration of one worktree, which git
// heeds only where the common one says so.
func TestGitWorktreeConfig(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	file := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	for _, name := range []string{"off", "on"} {
		file(name+"/.git/HEAD", "")
		file(name+"/.git/refs/x", "")
		file(name+"/.git/objects/x", "")
		file(name+"/.git/worktrees/tree/HEAD", "")
		file(name+"/.git/worktrees/tree/commondir", "../..\n")
	}
	file("off/.git/config", "[core]\n")
	file("on/.git/config", "[Extensions] WorktreeConfig\n")
	paths, err := gitPaths(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{
		at("off/.git/config"), at("off/.git/hooks"), at("off/.git/worktrees/tree/commondir"),
		at("on/.git/config"), at("on/.git/config.worktree"), at("on/.git/hooks"),
		at("on/.git/worktrees/tree/commondir"), at("on/.git/worktrees/tree/config.worktree"),
	}, paths)
}
