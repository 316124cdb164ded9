package workspace

import (
	"context"
	"io"
)

// A Runner starts the commands of bash and decides how far they are isolated.
//
//   - Run runs spec.Args, waits until that program exits, and leaves nothing
//     of it behind: processes that outlive it are killed, not waited for.
//   - Standard input is empty, standard output and standard error both go to
//     spec.Output, by one goroutine at a time and never after Run returned.
//   - When ctx ends, Run ends the command within three seconds and returns
//     ctx.Err().
//   - A command that ran and exited is a result, whatever its status; an error
//     means that it could not be run, or not to its end.
//   - Run may be called from several goroutines at once.
//
// The ready-made Runners are [Bubblewrap] and [Unconfined]. One that isolates is
// an [Isolator] too.
type Runner interface {
	Run(ctx context.Context, spec Spec) (RunResult, error)
}

// A Spec is one command to run.
type Spec struct {
	Args   []string  // bash, by an absolute path, and its arguments, to be passed on as they are
	Dir    string    // absolute; where the command starts
	Env    []string  // the whole environment, as NAME=value
	Output io.Writer // takes all output, with bounded memory

	// ReadOnly are files and directories below Dir, its links resolved, that
	// an [Isolator] keeps as they are, with the names of all directories
	// between.
	ReadOnly []string

	Processes int   // how many processes the command may have at once; 0 is no limit
	Memory    int64 // how many bytes of memory they may take together; 0 is no limit
}

// A RunResult says how a command ended.
type RunResult struct {
	ExitCode  int    // 0 is success; 128 and the signal's number if a signal ended it
	Signal    string // the name of that signal, such as SIGKILL, if it is known; usually empty
	Survivors bool   // processes outlived the command and were killed
	Killed    string // the limit the command was killed at, such as "512 processes"; usually empty
}

// Unconfined is the [Runner] without isolation: a session of its own, a
// deadline, an environment of listed names, an empty standard input and no
// inherited files, and nothing else.
//
// A command can do all that the user of this program can: read and write any
// of the user's files, read the environment and memory of this program, use the
// network, talk to a container engine, fill the disk. A process that leaves the
// command's session (setsid, a daemon) survives the call and is not counted for
// its limits. Code that a command plants in .git or a Makefile runs later, when
// somebody else calls it. Use Unconfined where that is acceptable, such as in a
// container made for the agent.
//
// If this program is killed while a command runs, Linux kills its bash too, but
// not what that bash has started. Elsewhere the command runs on to its end.
//
// It works on Unix systems; elsewhere [Open] refuses bash.
type Unconfined struct{}

var _ Isolator = Unconfined{}

// Check returns nil: what is not promised can be had everywhere.
func (Unconfined) Check(context.Context, Spec) error { return nil }

// Isolation says that there is none.
func (Unconfined) Isolation() string {
	return "unconfined: commands can read, change and send whatever the user of this program can, " +
		"and leave processes behind that start a session of their own"
}
