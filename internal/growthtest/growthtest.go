// Package growthtest tests that work grows with its input and no faster.
package growthtest

import (
	"testing"
	"time"
)

const (
	short = 16 << 10
	times = 16
	long  = times * short
	tries = 20
)

// Linear fails t unless work on 256 KiB takes about as long as the same work on 16
// times 16 KiB. Quadratic work takes 16 times as long, on any machine. The test
// draws the line at 8, for memory has costs of its own, which grow where others
// want it too. A machine that is busy with other things gets many tries, of which
// the shortest count; quadratic work does not profit from them.
//
// work makes an input of a size, and returns the func that is timed.
func Linear(t testing.TB, work func(size int) func()) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector has costs of its own, and there is one goroutine")
	}
	onShort, onLong := work(short), work(long)
	shorts, longs := time.Hour, time.Hour
	for range tries {
		longs = min(longs, took(onLong, 1))
		shorts = min(shorts, took(onShort, times))
		if longs <= times/2*shorts {
			return
		}
	}
	t.Errorf("%d bytes took %v, as many in pieces of %d took %v", long, longs, short, shorts)
}

// took returns how long it takes to do work a number of times.
func took(work func(), times int) time.Duration {
	started := time.Now()
	for range times {
		work()
	}
	return time.Since(started)
}
