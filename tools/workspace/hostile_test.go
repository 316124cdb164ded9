//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The numbers are those of the list of hostile inputs in the specification of
// the tools.
func TestHostile(t *testing.T) {
	for _, c := range append(hostileCommands, hostileFiles...) {
		t.Run(c.name, c.test)
	}
}

type hostile struct {
	name string
	test func(t *testing.T)
}

// parallel runs a command in a workspace of its own beside other tests.
func parallel(test func(t *testing.T, w *Workspace)) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		test(t, openTemp(t))
	}
}

// gives is a test that a command gives an output.
func gives(command, output string) func(*testing.T) {
	return parallel(func(t *testing.T, w *Workspace) { want(t, w, "bash", command, output) })
}

// refuses is a test that a tool gives an error.
func refuses(tool, input, text string) func(*testing.T) {
	return parallel(func(t *testing.T, w *Workspace) { wantError(t, w, tool, input, text) })
}

// promptly is a short time for a busy machine; what hangs takes forever.
const promptly = 15 * time.Second

// within fails the test if f takes longer than d.
func within(t *testing.T, d time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	assert.Less(t, time.Since(start), d)
}

const stoppedNote = "\n[note: background processes were stopped]"

// stops is a test that a command, which leaves a process behind and its number
// in the file pid, returns at once and that the process is dead then.
func stops(command, output string) func(*testing.T) {
	return parallel(func(t *testing.T, w *Workspace) {
		within(t, promptly, func() { want(t, w, "bash", command, output) })
		assertDead(t, readPID(t, w))
	})
}

func readPID(t *testing.T, w *Workspace) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	return pid
}

func assertDead(t *testing.T, pid int) {
	t.Helper()
	assert.Eventually(t, func() bool { return !living(pid) }, promptly, 5*time.Millisecond, "process %d lives", pid)
}

// living reports whether a process runs; a zombie does not.
func living(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func needs(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("no " + path + " here")
	}
}
