//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The numbers are those of the list of hostile inputs in the specification of
// the tools.
func TestHostile(t *testing.T) {
	for _, c := range slices.Concat(hostileCommands, hostileLimits, hostileFiles, hostileSecrets, hostileApproval, hostileWrites, hostileSaves, hostileEdits, hostileFinds, hostileChanges) {
		t.Run(c.name, c.test)
	}
	t.Run("bubblewrap", func(t *testing.T) {
		needsBubblewrap(t)
		for _, c := range slices.Concat(hostileCommands, hostileLimits, hostileSandbox) {
			t.Run(c.name, c.test)
		}
	})
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

// stops is a test that a command, which leaves a process behind, returns at once
// and that the process is dead then.
func stops(command, output string) func(*testing.T) {
	return parallel(func(t *testing.T, w *Workspace) {
		within(t, promptly, func() { want(t, w, "bash", command, output) })
		assertNoneLeft(t, w)
	})
}

// assertNoneLeft fails if a process lives that a command of w has started. They
// are known by the directory in their environment, in a sandbox too.
func assertNoneLeft(t *testing.T, w *Workspace) {
	t.Helper()
	assert.Eventually(t, func() bool { return len(left(t, w)) == 0 }, promptly, 5*time.Millisecond, "processes live: %v", left(t, w))
}

// left returns the processes that commands of w have started.
func left(t *testing.T, w *Workspace) (pids []int) {
	t.Helper()
	needs(t, "/proc/self/environ")
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, name := range found {
		env, _ := os.ReadFile(name)
		if strings.Contains("\x00"+string(env), "\x00PWD="+w.dir+"\x00") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func needs(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("no " + path + " here")
	}
}
