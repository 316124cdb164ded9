//go:build unix

package workspace

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileLimits are commands that want more than they may have. The limits are
// small, so that the machine of the test does not notice.
var hostileLimits = []hostile{
	{"97-fork-bomb", over(Limits{Processes: 40}, "f() { sleep 0.1; f & f & wait; }; echo started; f", "40 processes")},
	{"97-many-processes", over(Limits{Processes: 40}, "echo started; for i in {1..60}; do sleep 999 & done; wait", "40 processes")},
	{"97-memory-together", over(Limits{Memory: 64 << 20},
		"echo started; for i in {1..6}; do (x=$(head -c 20000000 /dev/zero | tr '\\0' a); sleep 999) & done; wait", "64 MiB of memory")},
	{"97-memory-of-one", onLinux(func(t *testing.T) {
		w := openTemp(t, withLimits(Limits{Memory: 64 << 20}))
		out, err := call(t, w, "bash", "x=$(head -c 1000000000 /dev/zero | tr '\\0' a); echo never")
		require.NoError(t, err)
		assert.Regexp(t, "(?s)^exit: (2|over the limit).*(cannot allocate|killed)", out)
		assert.NotContains(t, out, "never")
		want(t, w, "bash", "echo next", "next")
	})},
	{"97-large-file", onLinux(func(t *testing.T) {
		w := openTemp(t, withLimits(Limits{FileBytes: 1 << 20}))
		out, err := call(t, w, "bash", "exec head -c 2000000 /dev/zero >f")
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(out, "exit: 153"), out)
		want(t, w, "bash", "stat -c %s f; ulimit -c", "1048576\n0")
	})},
	{"97-defaults", onLinux(func(t *testing.T) {
		want(t, openTemp(t), "bash", "ulimit -c; ulimit -f; ulimit -d", "0\n1048576\n4194304")
	})},
}

func onLinux(test func(t *testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS != "linux" {
			t.Skip("these limits are kept on Linux only")
		}
		test(t)
	}
}

// over is a test that a command is killed at a limit.
func over(l Limits, command, limit string) func(*testing.T) {
	return onLinux(func(t *testing.T) {
		w := openTemp(t, withLimits(l))
		within(t, 4*promptly, func() {
			want(t, w, "bash", command, "exit: over the limit of "+limit+", killed; output so far:\nstarted")
		})
		assertNoneLeft(t, w)
	})
}

// Number 15, at full length: what a command prints does not stay in memory.
func TestTwoGigabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const printed, step = 2_000_000_000, 128 << 20
	var peak uint64
	written := 0
	w := openTemp(t, withLimits(Limits{Timeout: maxTimeout}), func(c *Config) {
		inner := c.Runner
		c.Runner = runnerFunc(func(ctx context.Context, s Spec) (RunResult, error) {
			out := s.Output
			s.Output = writerFunc(func(p []byte) (int, error) {
				if written += len(p); written%step < len(p) {
					peak = max(peak, heap())
				}
				return out.Write(p)
			})
			return inner.Run(ctx, s)
		})
	})
	before := heap()
	out, err := call(t, w, "bash", fmt.Sprintf("head -c %d /dev/zero | tr '\\0' a", printed))
	require.NoError(t, err)
	assert.Equal(t, printed, written)
	assert.Contains(t, out, "[cut: 1,999,991,808 bytes, 0 lines;")
	assert.Less(t, peak, before+2<<20)
}

// heap returns how much of it is in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
