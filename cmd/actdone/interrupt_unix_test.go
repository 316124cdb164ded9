//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process is actdone at work in a process of its own.
type process struct {
	cmd            *exec.Cmd
	dir            string
	stdout, stderr bytes.Buffer
}

// start plays a script whose second reply runs command, with bash, in a new
// folder that holds the named pipe "begun".
func start(t *testing.T, command string, flags ...string) *process {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	p := &process{dir: t.TempDir()}
	require.NoError(t, syscall.Mkfifo(filepath.Join(p.dir, "begun"), 0o600))
	script := filepath.Join(t.TempDir(), "long.txtar")
	text := "-- reply --\nACT: list begun\n-- reply --\nACT: bash\n```\n" + command + "\n```\n-- reply --\nDONE: slept\n"
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))

	args := append([]string{"run", "--script", script, "-C", p.dir, "--allow", "exec", "--isolation", "unconfined"}, flags...)
	p.cmd = exec.Command(os.Args[0], append(args, "sleep a while")...)
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { p.cmd.Process.Kill() })
	return p
}

// begun waits until the command writes a number to the pipe, and returns it.
func (p *process) begun(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, "begun"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	return pid
}

// end waits for the end of actdone, which must come soon.
func (p *process) end(t *testing.T) syscall.WaitStatus {
	t.Helper()
	late := time.AfterFunc(10*time.Second, func() { p.cmd.Process.Kill() })
	p.cmd.Wait() // its error repeats the status
	require.True(t, late.Stop(), "still running; standard error:\n%s", &p.stderr)
	return p.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		told   string
	}{
		{syscall.SIGINT, "interrupt signal received"},
		{syscall.SIGTERM, "terminated signal received"},
	} {
		t.Run(test.told, func(t *testing.T) {
			t.Parallel()
			p := start(t, "echo so far\necho $$ >begun\nexec sleep 60")
			pid := p.begun(t)
			require.NoError(t, p.cmd.Process.Signal(test.signal))
			assert.Equal(t, 1, p.end(t).ExitStatus())
			assert.Equal(t, syscall.ESRCH, syscall.Kill(pid, 0), "the command is gone")
			assert.Empty(t, p.stdout.String())
			assert.Contains(t, p.stderr.String(), " 1. ACT: list begun\n")
			assert.Contains(t, p.stderr.String(), "    error: context canceled\n    so far\n")
			assert.True(t, strings.HasSuffix(p.stderr.String(), "\nactdone: interrupted after 2 steps, without an answer: "+test.told+"\n"), &p.stderr)
		})
	}
}

func TestInterruptJSON(t *testing.T) {
	t.Parallel()
	p := start(t, "echo $$ >begun\nexec sleep 60", "--json")
	p.begun(t)
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	assert.Equal(t, 1, p.end(t).ExitStatus())
	lines := strings.Split(strings.TrimSpace(p.stdout.String()), "\n")
	require.Len(t, lines, 3)
	assert.Regexp(t, `^{"result":{"task":"sleep a while","answer":"","asks":2,"limit":15,"promptBytes":\d+,"repeatedBytes":\d+,"wandered":false,"error":"interrupted after 2 steps, without an answer: interrupt signal received"}}$`, lines[2])
}

// TestInterruptSave: what was done until then is saved, with the act that was cut
// short.
func TestInterruptSave(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	p := start(t, "echo so far\necho $$ >begun\nexec sleep 60", "--native", "--save", file)
	p.begun(t)
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	assert.Equal(t, 1, p.end(t).ExitStatus())
	_, data, err := readStepFile(file)
	require.NoError(t, err)
	steps, err := parseSteps("s.jsonl", data)
	require.NoError(t, err)
	require.Len(t, steps, 2)
	assert.Equal(t, "error: context canceled\nso far", steps[1].Observation)
	assert.Equal(t, "sleep a while", unfinished(steps))
}

// TestInterruptTwice: a command that does not end when asked to is given two
// seconds; a second interrupt does not wait for them.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	p := start(t, "trap 'echo $$ >begun' TERM\necho $$ >begun\nwhile :; do sleep 60 & wait; done")
	pid := p.begun(t)
	t.Cleanup(func() { syscall.Kill(-pid, syscall.SIGKILL) })
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	p.begun(t)
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	status := p.end(t)
	assert.True(t, status.Signaled() && status.Signal() == syscall.SIGINT, "%v", p.cmd.ProcessState)
	assert.NotContains(t, p.stderr.String(), "interrupted after")
}
