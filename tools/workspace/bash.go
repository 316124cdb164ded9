package workspace

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/actdone/actdone/tools"
)

// maxCommand is the longest command in bytes; Linux takes no argument of more
// than 128 KiB.
const maxCommand = 96 << 10

var errNoBash = errors.New("no bash on this system; the bash tool is off")

func (w *Workspace) bashTool() tools.Tool {
	return tools.Tool{
		Name: "bash",
		Usage: fmt.Sprintf("COMMAND: run it with bash in the workspace; a new shell each time, "+
			"no input, at most %s s; shows the output, and the exit status unless it is 0", seconds(w.limits.Timeout)),
		Lines: tools.Block,
		Call:  w.bash,
	}
}

// bash runs a command and returns its output, under a line that says how it
// ended unless it succeeded.
func (w *Workspace) bash(ctx context.Context, command string) (string, error) {
	if err := checkCommand(command); err != nil {
		return "", err
	}
	if err := w.present(); err != nil {
		return "", err
	}
	request := Request{Tool: "bash", Kind: Exec, Command: command, Display: visible(command)}
	if err := w.approve(ctx, request); err != nil {
		return "", err
	}
	own, cancel := context.WithTimeout(ctx, w.limits.Timeout)
	defer cancel()
	out := newCapture(w.limits.OutputHead, w.limits.OutputTail)
	result, err := w.runner.Run(own, Spec{Args: w.bashArgs(command), Dir: w.dir, Env: w.env, Output: out})
	switch {
	case err == nil:
		return report(result, out.text()), nil
	case ctx.Err() != nil:
		return out.text(), ctx.Err()
	case own.Err() != nil:
		return fmt.Sprintf("exit: timeout after %ss, killed; output so far:\n%s",
			seconds(w.limits.Timeout), out.text()), nil
	}
	return out.text(), fmt.Errorf("run bash: %w", err)
}

func checkCommand(command string) error {
	switch {
	case strings.TrimSpace(command) == "":
		return errors.New("no command; write it on the line of the act or in a fence under it")
	case len(command) > maxCommand:
		return fmt.Errorf("command has %s bytes (max %s); put data in a file with write_file",
			comma(len(command)), comma(maxCommand))
	case strings.ContainsRune(command, 0):
		return errors.New("the command holds a NUL byte, which bash cannot take; write it as an escape")
	}
	return nil
}

// closeFiles is what a first bash runs, to close the files that this program
// inherited and would pass on; then it becomes the bash of the command, which
// gets the text untouched.
const closeFiles = `f() { local d; for d in /dev/fd/*; do d=${d##*/}; ` +
	`case $d in [0-2]|*[!0-9]*) ;; *) eval "exec $d>&-" ;; esac; done; }; f; exec "$@"`

func (w *Workspace) bashArgs(command string) []string {
	plain := []string{w.bashPath, "--noprofile", "--norc", "-c"}
	args := append(plain[:4:4], closeFiles, "bash")
	return append(append(args, plain...), command)
}

// report puts the line that says how the command ended over its output.
func report(r RunResult, output string) string {
	var b strings.Builder
	switch {
	case r.Signal != "":
		fmt.Fprintf(&b, "exit: %d (killed by %s)\n", r.ExitCode, r.Signal)
	case r.ExitCode != 0:
		fmt.Fprintf(&b, "exit: %d\n", r.ExitCode)
	}
	b.WriteString(output)
	if r.Survivors {
		b.WriteString("\n[note: background processes were stopped]")
	}
	return b.String()
}

// findBash returns the bash that a search path names first, absolute and
// outside the workspace, where anything may be planted.
func findBash(searchPath, workspace string) (string, error) {
	if !hasBash {
		return "", errNoBash
	}
	for _, dir := range filepath.SplitList(searchPath) {
		if !filepath.IsAbs(dir) {
			continue
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || under(workspace, real) {
			continue
		}
		if program, err := exec.LookPath(filepath.Join(dir, "bash")); err == nil {
			return program, nil
		}
	}
	return "", errNoBash
}
