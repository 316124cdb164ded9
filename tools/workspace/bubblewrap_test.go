//go:build unix

package workspace

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testBubblewrapMissing checks that what is missing is told when a workspace is
// opened.
func testBubblewrapMissing(t *testing.T) {
	if runtime.GOOS != "linux" {
		_, err := Open(Config{Dir: t.TempDir(), Approver: AllowAll{}, Runner: Bubblewrap{}})
		assert.ErrorContains(t, err, "bubblewrap isolates on Linux only")
		return
	}
	for _, c := range []struct{ name, bwrap, want string }{
		{"absent", "", "bubblewrap is not installed; install the package bubblewrap"},
		{"no-namespaces", "echo 'bwrap: Creating new namespace failed: No space left on device' >&2; exit 1",
			"user namespaces are off (bwrap: Creating new namespace failed: No space left on device); allow them"},
		{"no-user-map", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1",
			"user namespaces are off (bwrap: setting up uid map: Permission denied); allow them"},
		{"old", "echo 'bwrap: Unknown option --disable-userns' >&2; exit 1",
			"bubblewrap is too old (bwrap: Unknown option --disable-userns); install version 0.8"},
		{"broken", "kill -SEGV $$", "bubblewrap does not work here (bubblewrap did not start the command)"},
		{"pretends", "exit 0", "bubblewrap does not work here (bubblewrap did not start the command)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PATH", pathWith(t, c.bwrap))
			w, err := Open(Config{Dir: t.TempDir(), Approver: AllowAll{}, Runner: Bubblewrap{}})
			assert.Nil(t, w)
			assert.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "or set Config.Runner to workspace.Unconfined{}, which isolates nothing")
			_, ok := errors.AsType[*IsolationError](err)
			assert.True(t, ok)
		})
	}
}

// pathWith returns a search path with bash and a bwrap that does what script
// says; without script there is none.
func pathWith(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(bash, filepath.Join(dir, "bash")))
	if script != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!"+bash+"\n"+script+"\n"), 0o755))
	}
	return dir
}

func TestBubblewrapRefuses(t *testing.T) {
	needsBubblewrap(t)
	for _, c := range []struct {
		name, dir, want string
		runner          Bubblewrap
	}{
		{"relative", t.TempDir(), `Bubblewrap.ReadDirs has "a"; want absolute paths`, Bubblewrap{ReadDirs: []string{"a"}}},
		{"absent", t.TempDir(), "Bubblewrap.ReadDirs: stat /absent: no such file", Bubblewrap{ReadDirs: []string{"/absent"}}},
		{"system", "/etc", "the workspace /etc holds /etc", Bubblewrap{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Open(Config{Dir: c.dir, Approver: AllowAll{}, Runner: c.runner})
			assert.Nil(t, w)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// What is a listed directory inside the workspace is read-only all the same, and
// the home directory may be the workspace.
func TestBubblewrapOverlaps(t *testing.T) {
	needsBubblewrap(t)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "fixed"), 0o755))
	w := openAt(t, dir, withRunnerOf(Bubblewrap{ReadDirs: []string{filepath.Join(dir, "fixed"), filepath.Dir(dir)}}),
		func(c *Config) { c.Env = []string{"HOME=" + dir} })
	want(t, w, "bash", "echo $HOME; echo x >a; (echo y >fixed/a) 2>/dev/null || echo kept; (echo y >../a) 2>/dev/null || echo kept; ls",
		dir+"\nkept\nkept\na\nfixed")
	assert.FileExists(t, filepath.Join(dir, "a"))

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	w = openAt(t, link, withRunnerOf(Bubblewrap{}))
	want(t, w, "bash", "pwd; ls; ls "+dir+" | wc -l", link+"\na\nfixed\n2")
}

func TestIsolation(t *testing.T) {
	assert.Equal(t, "no commands: there is no bash tool", openTemp(t, func(c *Config) { c.Runner = nil }).Isolation())
	assert.Contains(t, openTemp(t).Isolation(), "unconfined: commands can read, change and send")
	assert.Equal(t, "unknown: the Runner workspace.runnerFunc does not say what it keeps commands from",
		openTemp(t, withRunner(func(context.Context, Spec) (RunResult, error) { return RunResult{}, nil })).Isolation())
	assert.Contains(t, Bubblewrap{}.Isolation(), "there is no network")
	open := Bubblewrap{Network: true, ReadDirs: []string{"/opt"}}.Isolation()
	assert.Contains(t, open, "the system directories, /opt and the workspace")
	assert.Contains(t, open, "the network of this machine is open")
}
