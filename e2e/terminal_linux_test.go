package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// width is that of the terminal, in cells.
const width = 120

// A terminal is a pseudo-terminal with a shell in it, and what its screen shows.
type terminal struct {
	keys *os.File // the end where a person sits
	cmd  *exec.Cmd

	mu      sync.Mutex
	screen  screen
	changed chan struct{} // takes a value when the screen has changed
}

// control asks the system for something about an open file.
func control(f *os.File, request uintptr, arg unsafe.Pointer) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, failed = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg))
	})
	if err == nil && failed != 0 {
		err = failed
	}
	return err
}

// openTerminal returns the two ends of a new pseudo-terminal.
func openTerminal() (keys, tty *os.File, err error) {
	if keys, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	var number uint32
	var locked int32
	size := [4]uint16{40, width}
	err = control(keys, syscall.TIOCGPTN, unsafe.Pointer(&number))
	if err == nil {
		err = control(keys, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	}
	if err == nil {
		err = control(keys, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		keys.Close()
	}
	return keys, tty, err
}

// sit starts a shell in a new terminal, in dir, that finds actdone.
func sit(t *testing.T, dir string, env ...string) *terminal {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	command := command(t)
	keys, tty, err := openTerminal()
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	defer tty.Close()
	s := &terminal{keys: keys, screen: screen{width: width}, changed: make(chan struct{}, 1)}
	s.cmd = exec.Command(bash, "--norc", "--noprofile", "-i")
	s.cmd.Dir = dir
	s.cmd.Env = append([]string{"PATH=" + filepath.Dir(command) + ":" + os.Getenv("PATH"), "HOME=" + dir, "PS1=$ ", "TERM=xterm-256color", "LC_ALL=C.UTF-8", "HISTFILE="}, env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, s.cmd.Start())
	read := make(chan struct{})
	go s.read(read)
	t.Cleanup(func() {
		s.cmd.Process.Kill() // its terminal hangs up, which ends what runs there
		s.cmd.Wait()
		keys.Close()
		<-read
	})
	s.until(t, `^\$ $`)
	return s
}

// read keeps the screen up to date until the terminal is gone.
func (s *terminal) read(done chan struct{}) {
	defer close(done)
	buf := make([]byte, 4096)
	for {
		n, err := s.keys.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.screen.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
}

// press types.
func (s *terminal) press(t *testing.T, keys string) {
	t.Helper()
	_, err := s.keys.WriteString(keys)
	require.NoError(t, err)
}

// until waits until the screen matches a pattern, and returns what it shows.
func (s *terminal) until(t *testing.T, pattern string) string {
	t.Helper()
	wanted := regexp.MustCompile(`(?m)` + pattern)
	late := time.After(patience)
	for {
		s.mu.Lock()
		text := s.screen.text()
		s.mu.Unlock()
		if wanted.MatchString(text + " ") {
			return text
		}
		select {
		case <-s.changed:
		case <-late:
			require.Fail(t, "not on the screen: "+pattern, "%s", text)
		}
	}
}

// built is the command.
var built struct {
	once sync.Once
	path string
	err  error
}

// command returns the path of the command.
func command(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "actdone-e2e-")
		if err != nil {
			built.err = err
			return
		}
		atEnd = append(atEnd, func() { os.RemoveAll(dir) })
		built.path = filepath.Join(dir, "actdone")
		if output, err := exec.Command("go", "build", "-o", built.path, "../cmd/actdone").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, output)
		}
	})
	require.NoError(t, built.err)
	return built.path
}

// shown is the end of the screen after a run, below the command.
const shown = `
TASK: Which port does the server use?

 1. The config file should say.
    ACT: read_file server.conf
    OBS:
    file: server.conf (lines 1-2 of 2; 25 bytes)
    1|# the server
    2|port = 8080

 2. It says so in line 2.
    DONE:
the server listens on 8080
`

func TestTerminal(t *testing.T) {
	s := shared(t)
	typed := `actdone run --model slow --base-url ` + s.url + `/v1 "` + task + `"`
	for _, test := range []struct {
		name string
		env  string
		dim  string // how what is under way looks
	}{
		{"colour", "X=", "<2:%s>"},
		{"plain", "NO_COLOR=1", "%s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			term := sit(t, project(t), test.env)
			term.press(t, typed+"\n")
			text := term.until(t, `^actdone: .*\n\$ \z`)

			term.mu.Lock()
			defer term.mu.Unlock()
			assert.Empty(t, term.screen.unknown)
			assert.Zero(t, term.screen.wrapped, "no line wraps")
			assert.Regexp(t, `\A`+regexp.QuoteMeta("$ "+typed+shown)+`actdone: 2 asks in \S+s; tokens: 820 prompt, 26 reply\n\$\z`, text)
			term.moved(t)
			styled := term.screen.styled()
			assert.Contains(t, styled, " 1. "+fmt.Sprintf(test.dim, "The config file should say.")+"\n")
			if test.name == "plain" {
				assert.NotContains(t, styled, "<")
			} else {
				assert.Contains(t, styled, "    <1;36:ACT:> read_file server.conf\n")
			}
			if os.Getenv("ACTDONE_E2E_SHOW") != "" {
				t.Logf("%s\n--- and for a moment each:\n%s", styled, strings.Join(term.under(), "\n"))
			}
		})
	}
}

// moved checks what was on the screen for a moment.
func (s *terminal) moved(t *testing.T) {
	t.Helper()
	passed := strings.Join(s.screen.passed, "\n")
	for _, want := range []string{
		`(?m)^ 1\. ⠋ 0s · asking$`,
		`(?m)^ 1\. [⠋-⠿] \ds · \d+ bytes · [TA]`,
		`(?m)^ 2\. [⠋-⠿] 0s · asking$`,
		`(?m)^ 2\. [⠋-⠿] \ds · \d+ bytes · [ID]`,
	} {
		assert.Regexp(t, want, passed)
	}
}

// under returns the lines that were shown while asks were under way.
func (s *terminal) under() []string {
	var lines []string
	for _, line := range s.screen.passed {
		if strings.Contains(line, " · ") && (len(lines) == 0 || lines[len(lines)-1] != line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestTerminalInterrupt: Ctrl-C during an ask ends the run, and leaves a clean
// screen.
func TestTerminalInterrupt(t *testing.T) {
	t.Parallel()
	s := shared(t)
	term := sit(t, project(t), "OPENAI_BASE_URL="+s.url+"/v1", "OPENAI_MODEL=slow")
	term.press(t, `actdone run "`+task+`"; echo "exit $?"`+"\n")
	term.until(t, `^ 1\. . \ds · `)
	term.press(t, "\x03")
	text := term.until(t, `^exit 1$`)
	assert.Contains(t, text, "TASK: "+task+"\n\nactdone: interrupted after 0 steps, without an answer: interrupt signal received\nexit 1\n")
}
