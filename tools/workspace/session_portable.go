//go:build unix && !linux

package workspace

import (
	"os/exec"
	"syscall"
)

// awaitExit returns when the command has exited. Unlike on Linux the command
// is reaped with that: only processes that it left behind keep its group's
// number taken.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// attributes makes a program the first of a session.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// has is not known here.
func (s session) has(int) bool { return false }

// groups returns the command's own group if it has a process. Groups that a
// command made in its session are not found here.
func (s session) groups() []int {
	if syscall.Kill(-s.id, 0) != nil {
		return nil
	}
	return []int{s.id}
}
