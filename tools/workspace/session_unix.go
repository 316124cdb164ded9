//go:build unix

package workspace

import (
	"context"
	"syscall"
	"time"
)

// A session is a command with all its descendants that did not leave it. Its
// id is the process id of the command, which is not given to another process
// as long as the command is not reaped.
type session struct{ id int }

// await waits for the command to exit. It reports whether others of the
// session outlived it, which takes a moment to tell: a process substitution
// reads its end of file when the command is gone already. If ctx, made by watch,
// ends first, that is reported, and the session is asked to end, unless it is
// over a limit.
func (s session) await(ctx context.Context, exited <-chan struct{}) (survivors, ended bool) {
	select {
	case <-exited:
		return !s.goneWithin(lingering), false
	case <-ctx.Done():
		if !overLimit(ctx) {
			s.signal(syscall.SIGTERM)
			s.goneWithin(termGrace)
		}
		return false, true
	}
}

// kill kills until nothing is left, since a process may fork while the others
// are being killed.
func (s session) kill() {
	const rounds = 10
	for range rounds {
		s.signal(syscall.SIGKILL)
		if s.goneWithin(killGrace / rounds) {
			return
		}
	}
}

// signal signals every process group of the session. Errors mean that a group
// is gone or out of reach; neither can be helped.
func (s session) signal(sig syscall.Signal) {
	_ = syscall.Kill(-s.id, sig)
	for _, group := range s.groups() {
		if group != s.id {
			_ = syscall.Kill(-group, sig)
		}
	}
}

// goneWithin reports whether no process of the session is alive, waiting at
// most d for that.
func (s session) goneWithin(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for pause := time.Millisecond; len(s.groups()) > 0; pause = min(2*pause, 50*time.Millisecond) {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pause, left))
	}
	return true
}
