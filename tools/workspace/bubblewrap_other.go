//go:build !linux

package workspace

import (
	"context"
	"runtime"
)

func (Bubblewrap) check(context.Context, Spec) error {
	return &IsolationError{"bubblewrap isolates on Linux only, and this is " + runtime.GOOS, "run the agent in a container or a virtual machine"}
}

// Run returns an error: there is no bubblewrap here.
func (b Bubblewrap) Run(ctx context.Context, spec Spec) (RunResult, error) {
	return RunResult{}, b.check(ctx, spec)
}
