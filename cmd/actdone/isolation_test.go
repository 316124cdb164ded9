package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
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

	exit, stdout, stderr = call(t, "", "tools", "--isolation")
	assert.Equal(t, 1, exit)
	assert.Equal(t, "actdone: bubblewrap, the default, is not to be had on this machine\n", stderr)
	assert.Regexp(t, "^bubblewrap: not on this machine: commands cannot be isolated: bubblewrap .*\nunconfined: commands can .*\n$", stdout)

	t.Setenv("PATH", t.TempDir())
	exit, stdout, _ = call(t, "", "tools", "--isolation")
	assert.Equal(t, 1, exit)
	assert.Regexp(t, "^bubblewrap: not on this machine: no bash .*\nunconfined: not on this machine: no bash .*\n$", stdout)
}

// TestIsolationOpened: what the flags open to commands reaches them.
func TestIsolationOpened(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	folder, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.AllowAll{}, Runner: workspace.Bubblewrap{}})
	if err != nil {
		t.Skip(err)
	}
	folder.Close()
	require.NoError(t, os.WriteFile(filepath.Join(other, "library"), []byte("from the library\n"), 0o600))
	t.Setenv("ACTDONE_TEST_PASSED", "passed on")
	t.Chdir(other)
	script := "-- task --\nlook\n-- reply --\nACT: bash cat " + other + "/library; echo $SET, $ACTDONE_TEST_PASSED\n-- reply --\nDONE: seen\n"

	_, _, stderr := call(t, script, "run", "--script", "-", "--allow", "exec", "-C", dir)
	assert.NotContains(t, stderr, "from the library")
	assert.NotContains(t, stderr, "passed on")

	exit, _, stderr := call(t, script, "run", "--script", "-", "--allow", " write, exec", "-C", dir,
		"--read-dir", "/usr", "--read-dir", ".", "--env", "SET=a,b", "--env", "ACTDONE_TEST_PASSED")
	assert.Equal(t, 0, exit, stderr)
	assert.Contains(t, stderr, "from the library\n    a,b, passed on\n")

	talk := filepath.Join(other, "talk.txtar")
	require.NoError(t, os.WriteFile(talk, []byte("-- reply --\nDONE: yes\n"), 0o600))
	exit, _, stderr = call(t, "well?\n", "chat", "--script", talk, "--allow", "exec", "-C", dir, "--network", "--read-dir", other)
	assert.Equal(t, 0, exit, stderr)
	assert.Regexp(t, "\nactdone: isolation: bubblewrap: commands read the system directories, "+regexp.QuoteMeta(other)+" and .*the network of this machine is open", stderr)
}

// TestIsolationOpenedMissing: who opens something to commands wants them isolated,
// not left out, also where each is asked about.
func TestIsolationOpenedMissing(t *testing.T) {
	onlyBash(t)
	w := work{dir: t.TempDir(), isolation: "bubblewrap", network: true}
	_, err := w.open(newUser(strings.NewReader(""), io.Discard))
	assert.ErrorContains(t, err, "commands cannot be isolated: ")
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
