//go:build !linux

package growthtest

import "time"

// busy is how many times longer things may seem to take than they do, on a
// machine that has other things to do.
const busy = 4

var started = time.Now()

func now() time.Duration { return time.Since(started) }
