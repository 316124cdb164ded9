package main

import (
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
	"golang.org/x/term"
)

// A typist types into a chat on a terminal.
type typist struct {
	*session
	slave *os.File
	begun *term.State // of the terminal, before the chat
}

// chatting starts a chat in a new folder on a terminal of its own. Its replies
// are played by a script.
func chatting(t *testing.T, replies []string, flags ...string) *typist {
	t.Helper()
	master, slave := openTerminal(t)
	t.Cleanup(func() { slave.Close() })
	s := &typist{session: &session{dir: t.TempDir(), terminal: master}, slave: slave}
	s.resize(t, 80)
	begun, err := term.GetState(int(slave.Fd()))
	require.NoError(t, err)
	s.begun = begun
	script := filepath.Join(t.TempDir(), "s.txtar")
	text := "-- reply --\n" + strings.Join(replies, "\n-- reply --\n") + "\n"
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	args := append([]string{"chat", "--script", script, "-C", s.dir, "--isolation", "unconfined"}, flags...)
	s.cmd = exec.Command(os.Args[0], args...)
	s.cmd.Env = append(os.Environ(), asCommand+"=1", "TERM=xterm", "NO_COLOR=1")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return s
}

// begin starts the chat and waits until a question can be typed.
func (s *typist) begin(t *testing.T) *typist {
	t.Helper()
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill() })
	s.asked(t)
	return s
}

// asked waits until a question can be typed.
func (s *typist) asked(t *testing.T) string { t.Helper(); return s.sees(t, pasteOn) }

// resize gives the window a width.
func (s *typist) resize(t *testing.T, columns uint16) {
	t.Helper()
	size := [4]uint16{24, columns}
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, s.slave.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	require.Zero(t, errno)
}

// left waits for the end and checks that the terminal is as it was.
func (s *typist) left(t *testing.T) int {
	t.Helper()
	exit := s.end(t)
	state, err := term.GetState(int(s.slave.Fd()))
	require.NoError(t, err)
	assert.Equal(t, s.begun, state, "the state of the terminal")
	return exit
}

// screen returns what is on the terminal.
func (s *typist) screen() string { return screenOf(80, s.all.String()) }

func needBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
}

// exercises are the four of every coding agent, and what a model may reply.
var exercises = []struct {
	question string
	replies  []string
	answer   string
}{
	{"create hello.py that prints Hello, World!",
		[]string{"I will write the file.\nACT: bash\n```\ncat >hello.py <<'EOF'\nprint(\"Hello, World!\")\nEOF\n```", "ACT: bash cat hello.py", "DONE: hello.py prints Hello, World!"}, "hello.py prints Hello, World!"},
	{"list all Python files here",
		[]string{"ACT: bash find . -name '*.py'", "DONE: There is one: hello.py"}, "There is one: hello.py"},
	{"what is the current git branch?",
		[]string{"ACT: bash git symbolic-ref --short HEAD", "DONE: You are on the branch trunk."}, "You are on the branch trunk."},
	{"create test_output with three files in it",
		[]string{"ACT: bash mkdir test_output && touch test_output/{one,two,three}.txt && ls test_output", "DONE: test_output holds one.txt, three.txt and two.txt."}, "test_output holds one.txt, three.txt and two.txt."},
}

const exerciseScreen = `> create hello.py that prints Hello, World!
I will write the file.
$ cat >hello.py <<'EOF'
  print("Hello, World!")
  EOF
(no output)
$ cat hello.py
print("Hello, World!")
hello.py prints Hello, World!
> list all Python files here
$ find . -name '*.py'
./hello.py
There is one: hello.py
> what is the current git branch?
$ git symbolic-ref --short HEAD
trunk
You are on the branch trunk.
> create test_output with three files in it
$ mkdir test_output && touch test_output/{one,two,three}.txt && ls test_output
one.txt
three.txt
two.txt
test_output holds one.txt, three.txt and two.txt.
> q
`

func TestChatExercises(t *testing.T) {
	needBash(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	var replies []string
	for _, e := range exercises {
		replies = append(replies, e.replies...)
	}
	for name, flags := range map[string][]string{"text": nil, "native": {"--native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := chatting(t, replies, append(flags, "--allow", "exec")...)
			require.NoError(t, exec.Command("git", "init", "-q", "-b", "trunk", s.dir).Run())
			s.begin(t)
			for _, e := range exercises {
				s.types(e.question + "\r")
				s.asked(t)
			}
			s.types("q\r")
			assert.Equal(t, 0, s.left(t))
			s.sees(t, "> q")
			_, talk, _ := strings.Cut(s.screen(), "an empty line leaves\n")
			assert.Equal(t, exerciseScreen, talk)
			t.Log("\n" + s.screen())
			for _, path := range []string{"hello.py", "test_output/one.txt", "test_output/two.txt", "test_output/three.txt"} {
				assert.FileExists(t, filepath.Join(s.dir, path))
			}
		})
	}
}

// Ctrl-C during a run stops the run; what was done stands in the history.
func TestChatInterruptRun(t *testing.T) {
	needBash(t)
	for name, flags := range map[string][]string{"text": nil, "native": {"--native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "s.jsonl")
			s := chatting(t, []string{"ACT: bash touch begun; sleep 60", "DONE: after it"}, append(flags, "--allow", "exec", "--save", file)...).begin(t)
			s.types("wait\r")
			s.sees(t, "$ touch begun; sleep 60")
			assert.Eventually(t, func() bool { return exists(s.dir, "begun") }, 30*time.Second, 5*time.Millisecond)
			s.types("\x03")
			s.sees(t, "actdone: interrupted after 1 step, without an answer: interrupt signal received")
			s.asked(t)
			s.types("and now?\r")
			s.sees(t, "after it")
			s.asked(t)
			s.types("\r")
			assert.Equal(t, 1, s.left(t), "one question has no answer")
			_, data, err := readStepFile(file)
			require.NoError(t, err)
			steps, err := parseSteps("s.jsonl", data)
			require.NoError(t, err)
			require.Len(t, steps, 2)
			assert.Equal(t, "wait", steps[0].Task)
			assert.Contains(t, steps[0].Observation, "error: context canceled")
			assert.Equal(t, "after it", steps[1].Move.Answer)
		})
	}
}

// Ctrl-C at a question whether a tool may do something stops the run, and what is
// typed then is the next question, not the answer to that one.
func TestChatInterruptApproval(t *testing.T) {
	t.Parallel()
	s := chatting(t, []string{"ACT: write_file a.txt\n```\none\n```", "ACT: write_file b.txt\n```\ntwo\n```", "DONE: yes"}).begin(t)
	s.types("write\r")
	s.sees(t, "[a]lways in this session  [n]o REASON  "+choices)
	s.types("\x03")
	s.sees(t, "interrupted after 1 step")
	s.asked(t)
	s.types("y\r")
	s.sees(t, choices)
	s.types("y\n")
	s.sees(t, "yes")
	s.asked(t)
	s.types("\x03")
	assert.Equal(t, 1, s.left(t))
	assert.NoFileExists(t, filepath.Join(s.dir, "a.txt"))
	assert.FileExists(t, filepath.Join(s.dir, "b.txt"))
}

// TestChatLeave: each way to leave, with the terminal as it was.
func TestChatLeave(t *testing.T) {
	for name, keys := range map[string]string{
		"ctrl-c": "\x03", "ctrl-c-in-a-question": "half a quest\x03", "end-of-input": "\x04", "empty-line": "\r", "blanks": "  \r", "q": "q\r", "exit": " exit\r",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := chatting(t, []string{"DONE: never asked"}).begin(t)
			s.types(keys)
			assert.Equal(t, 1, s.left(t), "the script has a reply left")
			s.sees(t, "scripted: 1 of 1 replies were not used")
		})
	}
	t.Run("terminated", func(t *testing.T) {
		t.Parallel()
		s := chatting(t, []string{"DONE: never asked"}).begin(t)
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		s.left(t)
	})
}

// TestChatTyping: what is typed is on the screen as a person would expect, and
// is what the model is asked.
func TestChatTyping(t *testing.T) {
	for _, test := range []struct{ name, keys, row, question string }{
		{"plain", "which port?", "> which port?", "which port?"},
		{"backspace", "portt\x7f?", "> port?", "port?"},
		{"insert", "prt\x1b[D\x1b[Do", "> port", "port"},
		{"wide", "漢字かな", "> 漢字かな", "漢字かな"},
		{"wide-backspace", "漢字かな\x7f\x7f!", "> 漢字!", "漢字!"},
		{"wide-insert", "漢な\x1b[D字\x1b[D\x1b[D*", "> *漢字な", "*漢字な"},
		{"accents", "\u00fcber Ma\u00dfe", "> über Maße", "über Maße"},
		{"long", strings.Repeat("0123456789", 9), "> …" + strings.Repeat("0123456789", 9)[14:], strings.Repeat("0123456789", 9)},
		{"long-start", strings.Repeat("0123456789", 9) + "\x1b[H", "> " + strings.Repeat("0123456789", 9)[:77], strings.Repeat("0123456789", 9)},
		{"pasted", "see: \x1b[200~a\tb\rc\r\n\nd\x1b[201~!", "> see: a b⏎c⏎⏎d!", "see: a b\nc\n\nd!"},
		{"no-character", "a\xff\xfe\ufffd\xe6\xbc", "> a", "a"},
		{"control", "a\x1b[200~\x03\x1b[31m\x1b[201~", "> a[31m", "a[31m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "s.jsonl")
			s := chatting(t, []string{"DONE: yes"}, "--save", file).begin(t)
			s.types(test.keys)
			s.types("\x1b[99~") // a key without a meaning, by which the end is known
			s.drawn(t, test.row)
			s.types("\r")
			s.sees(t, "yes\r\n")
			s.asked(t)
			s.types("q\r")
			assert.Equal(t, 0, s.left(t))
			_, data, err := readStepFile(file)
			require.NoError(t, err)
			steps, err := parseSteps("s.jsonl", data)
			require.NoError(t, err)
			assert.Equal(t, test.question, steps[0].Task)
		})
	}
}

// drawn waits until the last row of the screen is as wanted.
func (s *typist) drawn(t *testing.T, want string) {
	t.Helper()
	for {
		rows := strings.Split(strings.TrimSpace(s.screen()), "\n")
		if rows[len(rows)-1] == want {
			return
		}
		s.seen.Reset()
		s.sees(t, "\x1b[K") // of the next drawing, or the test ends here
	}
}

// TestChatRecall: the up key brings back earlier questions, those of the file
// that the session goes on from too.
func TestChatRecall(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	saved := `{"kind":"actdone steps","version":1}` + "\n" +
		`{"task":"first","ask":1,"reply":"DONE: 1","move":{"kind":"done","answer":"1"}}` + "\n"
	require.NoError(t, os.WriteFile(file, []byte(saved), 0o600))
	s := chatting(t, []string{"DONE: two", "DONE: three"}, "--continue", file).begin(t)
	s.types("second\r")
	s.asked(t)
	s.types("\x1b[A")
	s.drawn(t, "> second")
	s.types("\x1b[A")
	s.drawn(t, "> first")
	s.types("\x1b[B")
	s.drawn(t, "> second")
	s.types(" one\r")
	s.sees(t, "three")
	s.asked(t)
	s.types("\x04")
	assert.Equal(t, 0, s.left(t))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, saved, string(data), "not asked to save")
}

// TestChatResize: a line is drawn for the window as it is.
func TestChatResize(t *testing.T) {
	t.Parallel()
	s := chatting(t, []string{"DONE: yes"}).begin(t)
	s.types("0123456789012345678901234")
	s.drawn(t, "> 0123456789012345678901234")
	s.resize(t, 20)
	s.types("漢")
	s.drawn(t, "> "+lastCells("0123456789012345678901234漢", 17))
	s.resize(t, 40)
	s.types("x")
	s.drawn(t, "> 0123456789012345678901234漢x")
	s.types("\r")
	s.sees(t, "yes\r\n")
	s.asked(t)
	s.types("q\r")
	assert.Equal(t, 0, s.left(t))
}

// TestChatColour: on a terminal commands have a colour, unless NO_COLOR is set.
func TestChatColour(t *testing.T) {
	t.Parallel()
	s := chatting(t, []string{"I look.\nACT: list .", "DONE: yes"})
	s.cmd.Env = append(os.Environ(), asCommand+"=1", "TERM=xterm", "NO_COLOR=")
	s.begin(t)
	s.types("look\r")
	assert.Contains(t, s.sees(t, "yes"), "I look.\n\x1b[1;36m$ list .\x1b[0m\n\x1b[2m(empty directory)\x1b[0m\n")
	s.asked(t)
	s.types("q\r")
	assert.Equal(t, 0, s.left(t))
}

// TestChatDumb: a terminal that obeys no escapes has plain lines.
func TestChatDumb(t *testing.T) {
	for name, keys := range map[string]string{"interrupt": "\x03", "end-of-input": "\x04", "empty-line": "\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := chatting(t, []string{"ACT: list .", "DONE: yes"})
			s.cmd.Env = append(s.cmd.Env, "TERM=dumb")
			require.NoError(t, s.cmd.Start())
			s.sees(t, prompt)
			s.types("look\n")
			s.sees(t, "yes\r\n"+prompt)
			s.types(keys)
			assert.Equal(t, 0, s.left(t))
			assert.NotContains(t, s.all.String(), "\x1b")
		})
	}
}
