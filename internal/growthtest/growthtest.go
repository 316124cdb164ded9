// Package growthtest tests that work grows with its input and no faster.
package growthtest

import (
	"runtime"
	"testing"
	"time"
)

const (
	short = 16 << 10
	times = 64
	long  = times * short
	tries = 20
)

// Reading is how many times the time per byte may grow where a text is read.
// Writing is the same where one is made: memory has costs of its own, which grow
// with its size.
const (
	Reading = 2
	Writing = 4
)

// Linear fails t unless work on 1 MiB takes at most so many times the time per
// byte that it takes on 16 KiB. Quadratic work takes 64 times as long, on any
// machine. The time is that of the processor on the test's own thread, where the
// system tells it, so a busy machine does not matter; where it does not, the line
// is drawn higher. What takes longer for once, such as a garbage collection, gets
// many tries, of which the shortest count.
//
// work makes an input of a size, and returns the func that is timed.
func Linear(t testing.TB, most time.Duration, work func(size int) func()) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector has costs of its own, and there is one goroutine")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	onShort, onLong := work(short), work(long)
	shorts, longs := time.Hour, time.Hour
	for range tries {
		longs = min(longs, took(onLong, 1))
		shorts = min(shorts, took(onShort, times))
		if longs <= most*busy*shorts {
			return
		}
	}
	t.Errorf("%d bytes took %v, as many in pieces of %d took %v", long, longs, short, shorts)
}

// took returns how long it takes to do work a number of times.
func took(work func(), times int) time.Duration {
	started := now()
	for range times {
		work()
	}
	return now() - started
}
