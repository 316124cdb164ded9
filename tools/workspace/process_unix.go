//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

const hasBash = true

const (
	lingering = 250 * time.Millisecond // for processes that end with the command, such as >(tee)
	termGrace = 2 * time.Second        // between SIGTERM and SIGKILL
	killGrace = 250 * time.Millisecond // for a process to be gone after SIGKILL
	drainTime = 250 * time.Millisecond // for output still in the pipe
	reapGrace = 10 * time.Second       // for a command that is over to be gone, on a busy machine
)

// Run runs the command in a session of its own. The call ends when the command
// exits, even if others hold its output open: they are killed.
func (Unconfined) Run(ctx context.Context, spec Spec) (RunResult, error) {
	p, err := startProcess(&exec.Cmd{Path: spec.Args[0], Args: spec.Args, Dir: spec.Dir, Env: spec.Env})
	if err != nil {
		return RunResult{}, err
	}
	copied := copyOutput(spec.Output, p.output)
	s := session{p.cmd.Process.Pid}
	watched, stop := watch(ctx, spec, s.has)
	defer stop()
	survivors, ended := s.await(watched, p.exited)
	s.signal(syscall.SIGKILL)
	if survivors || ended {
		s.kill()
	}
	result, err := reap(p.cmd, p.exited, ended)
	drain(spec.Output, p.output, copied)
	result.Survivors = survivors
	if ended {
		return limited(watched, result)
	}
	return result, err
}

// prepareStart lets package os find out now what the kernel can do: at the first
// start of a program it forks once for that, and a signal in that moment, such
// as a Ctrl-C, would crash the runtime (os.checkPidfd, seen with Go 1.26).
func prepareStart() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Release()
	}
}

// A process is a started program.
type process struct {
	cmd    *exec.Cmd
	output *os.File      // its standard output and standard error
	exited chan struct{} // closed when it has exited, before it is reaped
}

// startProcess starts cmd in a session of its own. The kernel may kill it at the
// end of the thread that started it, so that thread is kept until it has exited.
func startProcess(cmd *exec.Cmd) (process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return process{}, err
	}
	defer w.Close()
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = w, w, attributes()
	p := process{cmd, r, make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			awaitExit(cmd)
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		r.Close()
		return process{}, err
	}
	return p, nil
}

// copyOutput copies until the end of the pipe. The returned channel is closed
// when nothing more will be written to out.
func copyOutput(out io.Writer, pipe *os.File) <-chan struct{} {
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		io.Copy(out, pipe)
	}()
	return copied
}

// drain takes what is still in the pipe, but does not wait for a process that
// left the session and holds it open. When time is up on a busy machine, the
// copying may not even have begun, so the pipe is looked at once more.
func drain(out io.Writer, pipe *os.File, copied <-chan struct{}) {
	defer pipe.Close()
	if closedWithin(copied, drainTime) {
		return
	}
	pipe.SetReadDeadline(time.Now())
	<-copied
	takeRest(out, pipe)
}

// takeRest copies what a pipe holds by now, without waiting.
func takeRest(out io.Writer, pipe *os.File) {
	if raw, err := pipe.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { takeNow(out, int(fd)) })
	}
}

func takeNow(out io.Writer, pipe int) {
	const capacity = 64 << 10
	buffer := make([]byte, 4<<10)
	for taken := 0; taken < capacity; {
		n, err := syscall.Read(pipe, buffer)
		if n <= 0 || err != nil {
			return
		}
		out.Write(buffer[:n])
		taken += n
	}
}

// reap collects the command's status. A command that cannot be killed, such as
// one that changed its user, is left to a goroutine: soon, if its time is up.
func reap(cmd *exec.Cmd, exited <-chan struct{}, hurry bool) (RunResult, error) {
	grace := reapGrace
	if hurry {
		grace = killGrace
	}
	if !closedWithin(exited, grace) {
		go cmd.Wait()
		return RunResult{}, errors.New("the command cannot be killed")
	}
	cmd.Wait() // its error repeats the status
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return RunResult{ExitCode: cmd.ProcessState.ExitCode()}, nil
	}
	n := status.Signal()
	return RunResult{ExitCode: 128 + int(n), Signal: signalName(n)}, nil
}

func closedWithin(c <-chan struct{}, d time.Duration) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-c:
		return true
	case <-late.C:
		return false
	}
}

// signalNames holds the signals that commonly end a program.
var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP:  "SIGHUP",
	syscall.SIGINT:  "SIGINT",
	syscall.SIGQUIT: "SIGQUIT",
	syscall.SIGILL:  "SIGILL",
	syscall.SIGTRAP: "SIGTRAP",
	syscall.SIGABRT: "SIGABRT",
	syscall.SIGBUS:  "SIGBUS",
	syscall.SIGFPE:  "SIGFPE",
	syscall.SIGKILL: "SIGKILL",
	syscall.SIGSEGV: "SIGSEGV",
	syscall.SIGPIPE: "SIGPIPE",
	syscall.SIGALRM: "SIGALRM",
	syscall.SIGTERM: "SIGTERM",
	syscall.SIGXCPU: "SIGXCPU",
	syscall.SIGXFSZ: "SIGXFSZ",
	syscall.SIGUSR1: "SIGUSR1",
	syscall.SIGUSR2: "SIGUSR2",
}

func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
