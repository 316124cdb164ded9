package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// An Isolator is a [Runner] that says what it keeps commands from. What it says
// holds for every command or the command does not run: isolation that cannot be
// had is an error, never less isolation.
//
// [Open] calls Check once, before any command runs, and fails with its error. A
// Runner that is not an Isolator is taken as it is, and [Workspace.Isolation]
// says that it does not tell.
type Isolator interface {
	Runner

	// Check reports why commands like spec, which does nothing, cannot be
	// isolated on this machine. The error is best an [*IsolationError].
	Check(ctx context.Context, spec Spec) error

	// Isolation says in a sentence or a few, without a full stop at the end,
	// what holds for commands after Check has returned nil.
	Isolation() string
}

// An IsolationError says that commands cannot be isolated as asked for. Its text
// ends by naming the alternative; a program that has its own name for that shows
// Reason and Cure instead.
type IsolationError struct {
	Reason string // what is missing, such as "bubblewrap is not installed"
	Cure   string // what to do about it; may be empty
}

func (e *IsolationError) Error() string {
	text := e.Reason
	if e.Cure != "" {
		text += "; " + e.Cure
	}
	return text + "; or set Config.Runner to workspace.Unconfined{}, which isolates nothing"
}

// Isolation says in words what keeps the commands of bash from the rest of this
// machine.
func (w *Workspace) Isolation() string {
	if !w.hasBash() {
		return "no commands: there is no bash tool"
	}
	switch r := w.runner.(type) {
	case Isolator:
		return r.Isolation()
	default:
		return fmt.Sprintf("unknown: the Runner %T does not say what it keeps commands from", r)
	}
}

// checkTime is how long an Isolator may take to look at the machine.
const checkTime = 30 * time.Second

// isolate finds what an Isolator is to keep as it is, and checks that it can
// keep what it says.
func (w *Workspace) isolate() (err error) {
	isolator, ok := w.runner.(Isolator)
	if !ok {
		return nil
	}
	if _, none := w.runner.(Unconfined); !none {
		if w.readOnly, err = gitPaths(w.real); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	return isolator.Check(ctx, w.spec("exit 0", io.Discard))
}

// tried returns what a try of a Runner tells of it: nil if its command, which
// does nothing, succeeded.
func tried(result RunResult, err error, output string) error {
	switch {
	case err == nil && result.ExitCode == 0:
		return nil
	case strings.TrimSpace(output) != "":
		line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
		return errors.New(line)
	case err != nil:
		return err
	}
	return fmt.Errorf("a command that does nothing ended with status %d", result.ExitCode)
}
