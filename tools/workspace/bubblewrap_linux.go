package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func (b Bubblewrap) check(ctx context.Context, spec Spec) error {
	for _, dir := range b.ReadDirs {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("Bubblewrap.ReadDirs has %q; want absolute paths", dir)
		}
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("Bubblewrap.ReadDirs: %w", err)
		}
	}
	out := &headTail{maxHead: 2 << 10, maxTail: 2 << 10}
	spec.Output = out
	result, err := b.Run(ctx, spec)
	if _, told := errors.AsType[*IsolationError](err); told {
		return err
	}
	if said := tried(result, err, out.String()); said != nil {
		return noBubblewrap(said.Error())
	}
	return nil
}

// Run runs the command in a sandbox of its own.
func (b Bubblewrap) Run(ctx context.Context, spec Spec) (RunResult, error) {
	cmd, err := b.command(spec)
	if err != nil {
		return RunResult{}, err
	}
	s, err := startSandbox(cmd)
	if err != nil {
		return RunResult{}, err
	}
	copied := copyOutput(spec.Output, s.output)
	watched, stop := watch(ctx, spec, s.has)
	defer stop()
	ended := s.await(watched)
	s.kill()
	result, err := reap(cmd, s.exited, ended)
	drain(spec.Output, s.output, copied)
	notes := s.notes.rest()
	result.Survivors = strings.Contains(notes, noteSurvivors)
	switch {
	case ended:
		return limited(watched, result)
	case err == nil && !strings.Contains(notes, noteStarted):
		err = errors.New("bubblewrap did not start the command")
	}
	return result, err
}

// command makes the call of bwrap. Like bash it is not taken from the workspace.
func (b Bubblewrap) command(spec Spec) (*exec.Cmd, error) {
	real, err := filepath.EvalSymlinks(spec.Dir)
	if err != nil {
		return nil, err
	}
	program, ok := findProgram("bwrap", os.Getenv("PATH"), real)
	if !ok {
		return nil, &IsolationError{"bubblewrap is not installed", "install the package bubblewrap"}
	}
	if filter == nil {
		return nil, &IsolationError{"there is no filter of system calls for this kind of processor", "use amd64, arm64 or riscv64"}
	}
	l := layout{dir: spec.Dir, real: real, env: spec.Env}
	if err := l.add(b, spec); err != nil {
		return nil, err
	}
	args := append([]string{program}, l.args(b.Network)...)
	args = append(args, "--", spec.Args[0], "--noprofile", "--norc", "-c", around, "bash")
	return &exec.Cmd{Path: program, Args: append(args, spec.Args...), Dir: "/", Env: l.env}, nil
}

// The files that bwrap inherits, by number.
const (
	infoFile   = 3 // where bwrap writes the id of the sandbox's first process
	filterFile = 4 // where it reads the filter of system calls
	notesFile  = 5 // where the script around the command writes; the same as infoFile
)

const (
	noteStarted   = "started"
	noteSurvivors = "survivors"
)

// around is the script that runs the command inside. It closes what this
// program inherited, since the command may look at its files; tells that there
// is a sandbox; outlives SIGTERM, so that the command has time to end; and gives
// processes that end with the command a moment for that, since bwrap kills them
// as soon as this script ends. Beside it there is only the process 1 of bwrap.
var around = closeFiles(notesFile) + `trap : TERM; exec 2>/dev/null; echo ` + noteStarted + ` >&5
"$@" 2>&1 5>&-
status=$?
for i in {1..25}; do
	others=(/proc/[0-9]*)
	((${#others[@]} > 2)) || exit $status
	sleep 0.01
done
echo ` + noteSurvivors + ` >&5
exit $status`

// A sandbox is a started bwrap. It is the parent of the sandbox's first process,
// whose end is the end of all others in it.
type sandbox struct {
	process
	notes *notes
	space uint64 // the namespace of its processes, once it was looked up
}

func startSandbox(cmd *exec.Cmd) (*sandbox, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	rules, err := filterPipe()
	if err != nil {
		r.Close()
		return nil, err
	}
	defer rules.Close()
	cmd.ExtraFiles = []*os.File{w, rules, w}
	p, err := startProcess(cmd)
	if err != nil {
		r.Close()
		return nil, err
	}
	n := &notes{pipe: r, born: make(chan struct{}), ended: make(chan struct{})}
	go n.read()
	return &sandbox{process: p, notes: n}, nil
}

// has reports whether a process is in the sandbox. It is called by watch alone.
func (s *sandbox) has(pid int) bool {
	if s.space == 0 {
		s.space = processSpace(s.notes.pid(time.Second))
	}
	return s.space != 0 && processSpace(pid) == s.space
}

// processSpace returns the number of the namespace of processes that pid is in,
// or 0.
func processSpace(pid int) uint64 {
	var info syscall.Stat_t
	if syscall.Stat(fmt.Sprintf("/proc/%d/ns/pid", pid), &info) != nil {
		return 0
	}
	return info.Ino
}

// await waits for the end of bwrap or that of ctx, which it reports. Then the
// command is asked to end, unless it is over a limit.
func (s *sandbox) await(ctx context.Context) (ended bool) {
	select {
	case <-s.exited:
		return false
	case <-ctx.Done():
	}
	if init := s.notes.pid(time.Second); init != 0 && !overLimit(ctx) {
		session{init}.signal(syscall.SIGTERM) // process 1 does not hear it
		closedWithin(s.exited, termGrace)
	}
	return true
}

// kill ends everything in the sandbox. At the end of bwrap the kernel does that
// by itself, once its child has asked for it; until then the child is in the
// group of bwrap.
func (s *sandbox) kill() {
	if init := s.notes.pid(time.Second); init != 0 && !closedWithin(s.exited, 0) {
		_ = syscall.Kill(init, syscall.SIGKILL)
		closedWithin(s.exited, killGrace)
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	init := s.notes.pid(termGrace)
	for deadline := time.Now().Add(termGrace); init != 0 && alive(init) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if init != 0 { // where this program is the one that collects orphans
		_, _ = syscall.Wait4(init, nil, syscall.WNOHANG, nil)
	}
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, alive := parseStat(string(stat))
	return alive
}

// notes is what bwrap and the script around the command tell. The first note is
// that of bwrap, written before anything runs in the sandbox; what follows may be
// forged from inside, so it decides nothing but words.
type notes struct {
	pipe  *os.File
	born  chan struct{} // closed when init is known, or never will be
	ended chan struct{} // closed after the last note
	init  int
	text  []byte
}

func (n *notes) read() {
	defer close(n.ended)
	var first struct {
		PID int `json:"child-pid"`
	}
	d := json.NewDecoder(n.pipe)
	if d.Decode(&first) == nil {
		n.init = first.PID
	}
	close(n.born)
	n.text, _ = io.ReadAll(io.LimitReader(io.MultiReader(d.Buffered(), n.pipe), 4<<10))
}

// pid returns the id of the sandbox's first process, or 0 if there is none. It
// waits for bwrap to make it, which takes milliseconds, but not longer than d.
func (n *notes) pid(d time.Duration) int {
	if !closedWithin(n.born, d) {
		return 0
	}
	return n.init
}

// rest returns the notes of the script, after the end of the sandbox, with which
// they end.
func (n *notes) rest() string {
	defer n.pipe.Close()
	if closedWithin(n.ended, drainTime) {
		return string(n.text)
	}
	n.pipe.SetReadDeadline(time.Now())
	<-n.ended
	late := bytes.NewBuffer(n.text) // on a busy machine the reading may not even have begun
	takeRest(late, n.pipe)
	return late.String()
}
