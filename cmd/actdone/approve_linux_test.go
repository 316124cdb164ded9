package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openTerminal returns both ends of a pseudo-terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { master.Close() })
	var unlocked, number int32
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	raw.Control(func(fd uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCSPTLCK, uintptr(unsafe.Pointer(&unlocked)))
		assert.Zero(t, errno)
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGPTN, uintptr(unsafe.Pointer(&number)))
		assert.Zero(t, errno)
	})
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return master, slave
}

// A session is actdone at work on a terminal.
type session struct {
	cmd      *exec.Cmd
	dir      string
	terminal *os.File
	seen     bytes.Buffer // and not waited for yet
	all      bytes.Buffer // what was ever seen
}

// onTerminal plays replies in a new folder on a terminal of its own.
func onTerminal(t *testing.T, replies ...string) *session {
	t.Helper()
	master, slave := openTerminal(t)
	defer slave.Close()
	s := &session{dir: t.TempDir(), terminal: master}
	script := filepath.Join(t.TempDir(), "s.txtar")
	text := ""
	for _, reply := range replies {
		text += "-- reply --\n" + reply + "\n"
	}
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	s.cmd = exec.Command(os.Args[0], "run", "--script", script, "-C", s.dir, "try")
	s.cmd.Env = append(os.Environ(), asCommand+"=1", "NO_COLOR=1")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// sees waits until text is on the terminal, behind what was waited for before,
// and returns what stands in between.
func (s *session) sees(t *testing.T, text string) string {
	t.Helper()
	s.terminal.SetReadDeadline(time.Now().Add(30 * time.Second))
	buffer := make([]byte, 4096)
	for {
		if before, after, ok := bytes.Cut(s.seen.Bytes(), []byte(text)); ok {
			found, rest := string(before), bytes.Clone(after)
			s.seen.Reset()
			s.seen.Write(rest)
			return strings.ReplaceAll(found, "\r\n", "\n")
		}
		n, err := s.terminal.Read(buffer)
		s.seen.Write(buffer[:n])
		s.all.Write(buffer[:n])
		if err != nil {
			require.NoError(t, err, "waiting for %q; on the terminal: %s", text, &s.seen)
		}
	}
}

func (s *session) types(text string) { s.terminal.WriteString(text) }

func (s *session) end(t *testing.T) int {
	t.Helper()
	late := time.AfterFunc(30*time.Second, func() { s.cmd.Process.Kill() })
	s.cmd.Wait() // its error repeats the status
	require.True(t, late.Stop(), "still running")
	return s.cmd.ProcessState.ExitCode()
}

const choices = "[s]top: "

func TestTerminalAnswers(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "ACT: write_file a.txt\n```\none\n```", "ACT: write_file b.txt\n```\ntwo\n```", "DONE: tried")
	seen := s.sees(t, choices)
	assert.Contains(t, seen, "    May write_file make this change?\n    │ write_file a.txt (new file)\n")
	assert.Contains(t, seen, "\n    │ +one\n")
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
	s.types("y\n")
	s.sees(t, choices)
	s.types("n not that one\n")
	s.sees(t, "OBS: error: denied (not that one); try another way, or answer with DONE:")
	s.sees(t, "tried")
	assert.Equal(t, 0, s.end(t))
	assert.FileExists(t, filepath.Join(s.dir, "a.txt"))
	assert.NoFileExists(t, filepath.Join(s.dir, "b.txt"))
}

// What was typed before the question is no answer to it.
func TestTerminalTypedBefore(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "ACT: write_file a.txt\n```\nMay x run this?\n```", "DONE: tried")
	s.types("y\ny\n")
	assert.Contains(t, s.sees(t, choices), "\n    │ +May x run this?\n")
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
	s.types("n\n")
	s.sees(t, "tried")
	assert.Equal(t, 0, s.end(t))
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
}

func TestTerminalStops(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "ACT: write_file a.txt\n```\none\n```", "DONE: tried")
	s.sees(t, choices)
	s.types("s enough\n")
	s.sees(t, "stopped by the approver: enough")
	assert.Equal(t, 1, s.end(t))
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
}

// Ctrl-C at the question ends the run with the steps so far.
func TestTerminalInterrupt(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "ACT: list .", "ACT: write_file a.txt\n```\none\n```", "DONE: tried")
	s.sees(t, choices)
	s.types("\x03")
	s.sees(t, "actdone: interrupted after 2 steps, without an answer: interrupt signal received")
	assert.Equal(t, 1, s.end(t))
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
}

// Ctrl-D is no answer, to this question or another.
func TestTerminalEndOfInput(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "ACT: write_file a.txt\n```\none\n```", "DONE: tried")
	s.sees(t, choices)
	s.types("\x04")
	s.sees(t, "denied (nobody answered)")
	s.sees(t, "tried")
	assert.Equal(t, 0, s.end(t))
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
}

// There is bash on a terminal, and nothing runs that was not allowed.
func TestTerminalBash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	s := onTerminal(t, "ACT: bash touch a.txt", "ACT: bash touch b.txt", "DONE: tried")
	assert.Contains(t, s.sees(t, choices), "\n    │ touch a.txt\n")
	s.types("n\n")
	assert.Contains(t, s.sees(t, choices), "\n    │ touch b.txt\n")
	s.types("y\n")
	s.sees(t, "OBS: (no output)")
	assert.Equal(t, 0, s.end(t))
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
	assert.FileExists(t, filepath.Join(s.dir, "b.txt"))
}
