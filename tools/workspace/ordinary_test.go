//go:build unix

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nobody is an ordinary user that every system has.
const nobody = 65534

// asOrdinary makes a command that runs this test binary as an ordinary user, in
// a directory of its own. It skips the test if this user may not do that.
func asOrdinary(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user; the tests run as an ordinary one anyway")
	}
	dir, program := copyOfTest(t)
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(withoutNames(os.Environ(), "HOME", "TMPDIR", "USER", "LOGNAME", "GOCACHE", "GOCOVERDIR"), "HOME="+dir, "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// copyOfTest returns a directory that every user may reach and write, and in it
// a copy of this test binary.
func copyOfTest(t *testing.T) (dir, program string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "w")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	program = filepath.Join(dir, "workspace.test")
	require.NoError(t, os.WriteFile(program, data, 0o755))
	return dir, program
}

// withoutNames returns env without some variables.
func withoutNames(env []string, names ...string) (rest []string) {
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains(names, name) {
			rest = append(rest, v)
		}
	}
	return rest
}

// TestOrdinaryUser runs the hostile inputs as an ordinary user, if this one is
// root.
func TestOrdinaryUser(t *testing.T) {
	args := []string{"-test.run=^TestHostile$", "-test.v", "-test.timeout=20m"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	out, err := asOrdinary(t, args...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--- SKIP") || strings.Contains(line, "_test.go:") && err == nil {
			t.Log(strings.TrimSpace(line))
		}
	}
	require.NoError(t, err, failures(string(out)))
}

// failures returns the lines of a verbose test that are not about success.
func failures(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "=== ") && !strings.HasPrefix(trimmed, "--- PASS") {
			b.WriteString(line)
		}
	}
	return b.String()
}
