//go:build !linux

package growthtest

import "time"

// most is how many times the time per byte may grow, on a machine that may be
// busy with other things.
const most = 8

var started = time.Now()

func now() time.Duration { return time.Since(started) }
