// Package workspace provides the built-in tools of an agent that works in one
// directory: read_file, list, glob and grep, write_file and edit_file if somebody
// may approve them, and bash if the caller asks for it.
//
// File tools reach files only through an [os.Root], so no "..", link or
// absolute path leads out of the directory. They never wait for a pipe, refuse
// devices and sockets, keep back files that look like secrets, and cap what
// they show.
//
// # Who may run commands
//
// Setting [Config.Runner] asks for bash, and says how far its commands are
// isolated. A Runner without an [Approver] is refused by [Open], so there is no
// bash that nobody approves and none whose isolation nobody stated. Without a
// Runner there is no bash tool, whatever the Approver allows. Without an
// Approver reads are allowed and nothing else: the zero Config with a Dir is a
// workspace to read in.
//
// # What is promised
//
// Also against a hostile model, file or command: file tools touch only files
// in the workspace, no call outlives its deadline by more than three seconds or
// keeps more in memory than its limits, no process of a command's session
// outlives the call, and the environment of the program is not passed on but
// for the names listed at [Config.Env]. Hard links and bind mounts inside the
// workspace are followed like any file. What a command can do beyond that is up
// to the Runner; see [Bubblewrap] and [Unconfined].
//
// write_file and edit_file write all of a file or nothing, also when the program
// is killed or the disk is full, and keep its permissions, links, line ends and,
// where the system allows it, its owner, but not extended attributes. A file with
// several hard links, or one that cannot be replaced, is written in place; there
// a program that is killed leaves half. write_file replaces no file that the agent
// has not read from, or written, as it now is (a few lines of it are enough);
// edit_file changes the lines that the agent names. Neither writes in a git
// directory.
//
// On Linux a command ends when it has more processes or threads, or these use more
// memory, than [Limits] says; that is looked at ten times a second. Each process
// besides gets no more memory than that, writes no larger files and leaves no core.
// Memory that is in use counts, and what a process allocates for itself; files
// and segments in memory (memfd, shmget, /tmp where it is private) do not, unless
// a process has them mapped. Commands that run at the same time are counted apart.
package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/actdone/actdone/tools"
)

// Config says what a workspace is and may do. Only Dir is required.
type Config struct {
	// Dir is the directory the tools work in. It must exist.
	Dir string

	// Approver is asked before every call. Nil allows reads and nothing else.
	Approver Approver

	// Runner runs the commands of bash. Nil means that there is no bash tool.
	// A Runner needs an Approver.
	Runner Runner

	// Limits caps calls and what they show; zero fields have defaults.
	Limits Limits

	// Env adds to the environment of commands, which otherwise holds PATH,
	// HOME, USER, LOGNAME, LANG, LC_*, TZ and TMPDIR of this program as they
	// are when the workspace is opened, and settings that keep programs from
	// paging, asking or colouring. "NAME" passes a variable on, "NAME=value"
	// sets one.
	Env []string

	// Pipefail gives commands bash's option of that name: a pipeline fails if
	// any of its programs does, not only the last.
	Pipefail bool

	// AllowSecretFiles lets the file tools show and write files whose names say
	// that they hold secrets: .env, keys, credentials.
	AllowSecretFiles bool

	// Redact lists secrets, such as the key of the model's API, each of at
	// least four bytes; empty ones are passed over. Where they stand in what a
	// tool answers, the model is shown "[redacted]", and write_file and
	// edit_file do not put that in the place of one. A secret in another form,
	// such as base64, is not known again.
	Redact []string
}

// A Workspace is one directory and the tools to work in it. The tools may be
// called concurrently.
type Workspace struct {
	dir      string // absolute, as the caller named it
	real     string // dir with its links resolved
	root     *os.Root
	identity fs.FileInfo // of the directory that was opened
	escape   error       // what os.Root answers to a path that leads out

	approver     Approver
	runner       Runner
	limits       Limits
	longest      time.Duration // what a call may ask for
	env          []string
	bashPath     string
	pipefail     bool
	readOnly     []string // what an Isolator keeps as it is
	allowSecrets bool
	secrets      *secrets

	memory memory // of what the agent has seen
	saver  saver

	baseline baseline // for Changed
}

// Open opens the workspace c describes. It refuses a Runner without an
// Approver, a Runner on a system without bash ([ErrNoBash]), and an [Isolator]
// that cannot keep here what it says. The caller closes the workspace after the
// last call of a tool.
func Open(c Config) (*Workspace, error) {
	w, err := prepare(c)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	if err := w.enter(c.Dir); err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	return w, nil
}

// prepare checks everything in c but the directory.
func prepare(c Config) (*Workspace, error) {
	if c.Dir == "" {
		return nil, errors.New("Config.Dir is empty")
	}
	w := &Workspace{approver: c.Approver, runner: c.Runner, pipefail: c.Pipefail, allowSecrets: c.AllowSecretFiles}
	if w.runner != nil && w.approver == nil {
		return nil, errors.New("bash needs an approver: set Config.Approver (AllowAll{} allows everything), or leave Config.Runner nil")
	}
	if w.approver == nil {
		w.approver = noApprover{}
	}
	var err error
	if w.limits, err = c.Limits.orDefaults(); err != nil {
		return nil, err
	}
	w.longest = cmp.Or(c.Limits.Timeout, maxTimeout)
	if w.env, err = environment(os.Environ(), c.Env); err != nil {
		return nil, err
	}
	if w.secrets, err = newSecrets(c.Redact); err != nil {
		return nil, err
	}
	return w, nil
}

// enter opens the directory and, if commands are wanted, finds the bash to run
// them with.
func (w *Workspace) enter(dir string) (err error) {
	if w.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if w.real, err = filepath.EvalSymlinks(w.dir); err != nil {
		return err
	}
	if w.runner != nil {
		prepareStart()
		if w.bashPath, err = findBash(os.Getenv("PATH"), w.real); err != nil {
			return err
		}
	}
	w.env = append(w.env, "PWD="+w.dir)
	if err := w.isolate(); err != nil {
		return err
	}
	if w.root, err = os.OpenRoot(w.dir); err != nil {
		return err
	}
	if w.identity, err = w.root.Stat("."); err != nil {
		w.root.Close()
		return err
	}
	_, outside := w.root.Lstat("..")
	w.escape = errors.Unwrap(outside)
	return nil
}

// Tools returns the tools of the workspace: list, glob, grep and read_file, and if
// there is an Approver other than [ReadOnly] also write_file and edit_file, and
// bash if there is a Runner. They stop working when the workspace is closed.
func (w *Workspace) Tools() []tools.Tool {
	var all []tools.Tool
	if w.hasBash() {
		all = append(all, w.bashTool())
	}
	all = append(all, w.listTool(), w.globTool(), w.grepTool(), w.readFileTool())
	if !readsOnly(w.approver) {
		all = append(all, w.writeFileTool(), w.editFileTool())
	}
	for i, t := range all {
		all[i] = w.discreet(t)
	}
	return all
}

// hasBash reports whether bash is among the tools.
func (w *Workspace) hasBash() bool { return w.runner != nil && !readsOnly(w.approver) }

// withBash returns text and a way out: hint, which needs bash, if there is one.
func (w *Workspace) withBash(text, hint string) string {
	if w.hasBash() {
		return text + "; " + hint
	}
	return text + "; ask the user"
}

// Close releases the directory. Calls made later give errors.
func (w *Workspace) Close() error { return w.root.Close() }
