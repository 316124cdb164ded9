package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watchPause is how often the processes of a command are counted. What it takes
// is a look at each process of the machine.
const watchPause = 100 * time.Millisecond

// An overError is why the context of a command ends that is over a limit.
type overError struct{ limit string }

func (e *overError) Error() string { return "over the limit of " + e.limit }

// watch returns a context that ends with ctx, with stop, or when the processes
// for which has holds are over a limit of spec.
func watch(ctx context.Context, spec Spec, has func(pid int) bool) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	if spec.Processes > 0 || spec.Memory > 0 {
		go func() {
			pauses := time.NewTicker(watchPause)
			defer pauses.Stop()
			for {
				select {
				case <-watched.Done():
					return
				case <-pauses.C:
				}
				if limit := measure(has).over(spec); limit != "" {
					cancel(&overError{limit})
				}
			}
		}()
	}
	return watched, func() { cancel(nil) }
}

// overLimit reports whether ctx, made by watch, ended at a limit.
func overLimit(ctx context.Context) bool {
	_, over := errors.AsType[*overError](context.Cause(ctx))
	return over
}

// limited returns the result of a command whose context, made by watch, has
// ended: that it was over a limit, or the error of the context.
func limited(ctx context.Context, r RunResult) (RunResult, error) {
	if over, ok := errors.AsType[*overError](context.Cause(ctx)); ok {
		r.Killed = over.limit
		return r, nil
	}
	return r, ctx.Err()
}

// A usage is what processes take.
type usage struct {
	processes int
	threads   int   // of all processes
	memory    int64 // bytes in use, without what is shared with a file
}

// threadsEach is how many threads a command may have for each process it may
// have.
const threadsEach = 16

func measure(has func(pid int) bool) (u usage) {
	for _, pid := range processes() {
		if has(pid) {
			u.processes++
			u.add(pid)
		}
	}
	return u
}

// over names the limit of spec that u is over, if any.
func (u usage) over(spec Spec) string {
	switch {
	case spec.Processes > 0 && u.processes > spec.Processes:
		return count(spec.Processes, "process", "processes")
	case spec.Processes > 0 && (u.threads-1)/threadsEach >= spec.Processes:
		return count(threadsEach*spec.Processes, "thread", "threads")
	case spec.Memory > 0 && u.memory > spec.Memory:
		return fmt.Sprintf("%s MiB of memory", comma(int(spec.Memory>>20)))
	}
	return ""
}

// add adds the threads of a process and the memory that it has to itself or
// shares with other processes, but not that which holds a file.
func (u *usage) add(pid int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return // gone meanwhile
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "RssAnon", "RssShmem":
			u.memory += n << 10
		case "Threads":
			u.threads += int(n)
		}
	}
}
