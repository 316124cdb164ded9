package growthtest

import (
	"time"

	"golang.org/x/sys/unix"
)

// most is how many times the time per byte may grow.
const most = 2

// now returns the time that the thread has had of a processor.
func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // unreachable: every Linux has this clock
	}
	return time.Duration(t.Nano())
}
