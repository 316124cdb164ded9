package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/tools/workspace"
)

// onlyBash makes bash the only program there is.
func onlyBash(t *testing.T) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	require.NoError(t, os.Symlink(bash, filepath.Join(dir, "bash")))
	t.Setenv("PATH", dir)
}

const makeFile = "-- task --\nmake a file\n-- reply --\nACT: bash echo >made; echo >/tmp/actdone-isolation-test\n-- reply --\nDONE: made\n"

func TestIsolationMissing(t *testing.T) {
	onlyBash(t)
	dir := t.TempDir()
	exit, stdout, stderr := call(t, makeFile, "run", "--script", "-", "--allow", "exec", "-C", dir)
	assert.Equal(t, 2, exit)
	assert.Empty(t, stdout)
	assert.Regexp(t, "^actdone: commands cannot be isolated: bubblewrap .*; or choose --isolation unconfined, where they can do all that you can\n$", stderr)
	assert.NoFileExists(t, filepath.Join(dir, "made"))

	exit, _, stderr = call(t, makeFile, "run", "--script", "-", "--allow", "exec", "-C", dir, "--isolation", "unconfined")
	defer os.Remove("/tmp/actdone-isolation-test")
	assert.Equal(t, 0, exit)
	assert.Contains(t, stderr, "actdone: warning: commands run as you, unconfined")
	assert.FileExists(t, filepath.Join(dir, "made"))
	assert.FileExists(t, "/tmp/actdone-isolation-test")

	exit, stdout, _ = call(t, "", "tools", "--isolation")
	assert.Equal(t, 0, exit)
	assert.Regexp(t, "^bubblewrap: not on this machine: commands cannot be isolated: bubblewrap .*\nunconfined: commands can .*\n$", stdout)
}

func TestIsolationDefault(t *testing.T) {
	dir := t.TempDir()
	folder, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.AllowAll{}, Runner: workspace.Bubblewrap{}})
	if err != nil {
		t.Skip(err)
	}
	folder.Close()
	exit, stdout, stderr := call(t, makeFile, "run", "--script", "-", "--allow", "exec", "-C", dir)
	assert.Equal(t, 0, exit)
	assert.Equal(t, "made\n", stdout)
	assert.NotContains(t, stderr, "warning")
	assert.FileExists(t, filepath.Join(dir, "made"))
	assert.NoFileExists(t, "/tmp/actdone-isolation-test")

	exit, stdout, stderr = call(t, "", "tools", "--isolation")
	assert.Equal(t, 0, exit)
	assert.Regexp(t, "^bubblewrap: commands read the system directories .*\nunconfined: .*\n$", stdout)
	assert.Empty(t, stderr)
}
