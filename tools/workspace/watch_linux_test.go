package workspace

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUsageOver(t *testing.T) {
	spec := Spec{Processes: 2, Memory: 3 << 20}
	for _, c := range []struct {
		usage usage
		spec  Spec
		want  string
	}{
		{usage{2, 32, 3 << 20}, spec, ""},
		{usage{3, 3, 0}, spec, "2 processes"},
		{usage{1, 33, 0}, spec, "32 threads"},
		{usage{1, 1, 3<<20 + 1}, spec, "3 MiB of memory"},
		{usage{1000, 100_000, 1 << 40}, Spec{}, ""},
	} {
		assert.Equal(t, c.want, c.usage.over(c.spec))
	}
}

func TestMeasure(t *testing.T) {
	ballast := make([]byte, 32<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	u := measure(func(pid int) bool { return pid == os.Getpid() })
	assert.Equal(t, 1, u.processes)
	assert.Greater(t, u.threads, 1)
	assert.Less(t, u.threads, 10_000)
	assert.Greater(t, u.memory, int64(len(ballast)))
	assert.Less(t, u.memory, int64(8<<30))
}

// The end of a watched context tells a limit from the end of the caller's.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	watched, stop := watch(ctx, Spec{Processes: 1}, func(int) bool { return true })
	defer stop()
	<-watched.Done()
	assert.True(t, overLimit(watched))
	r, err := limited(watched, RunResult{ExitCode: 1})
	require.NoError(t, err)
	assert.Equal(t, RunResult{ExitCode: 1, Killed: "1 process"}, r)

	watched, stop = watch(ctx, Spec{Processes: 1}, func(int) bool { return false })
	defer stop()
	cancel()
	<-watched.Done()
	assert.False(t, overLimit(watched))
	_, err = limited(watched, RunResult{})
	assert.ErrorIs(t, err, context.Canceled)

	deadline, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	watched, stop = watch(deadline, Spec{}, nil)
	defer stop()
	<-watched.Done()
	_, err = limited(watched, RunResult{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
