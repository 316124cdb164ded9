package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/actdone/actdone/tools"
)

// maxCommand is the longest command in bytes; Linux takes no argument of more
// than 128 KiB.
const maxCommand = 96 << 10

// ErrNoBash is found in the error of [Open] if commands are to be run on a system
// without bash.
var ErrNoBash = errors.New("no bash on this system; the bash tool is off")

func (w *Workspace) bashTool() tools.Tool {
	return tools.Tool{
		Name: "bash",
		Usage: fmt.Sprintf("COMMAND: run it with bash in the workspace; a new shell each time, "+
			"no input, at most %s s%s; shows the output, and the exit status unless it is 0",
			seconds(w.limits.Timeout), w.moreTime(w.limits.Timeout, " (%s for up to %s s)")),
		Lines:  tools.Block,
		Schema: bashSchema,
		Call:   w.bash,
	}
}

// bash runs a command and returns its output, under a line that says how it
// ended unless it succeeded.
func (w *Workspace) bash(ctx context.Context, input string) (string, error) {
	command, timeout, err := w.bashInput(input)
	if err != nil {
		return "", err
	}
	if err := w.present(); err != nil {
		return "", err
	}
	request := Request{Tool: "bash", Kind: Exec, Command: command, Display: visible(command)}
	if err := w.approve(ctx, request); err != nil {
		return "", err
	}
	own, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out := newCapture(w.limits.OutputHead, w.limits.OutputTail, w.secrets)
	result, err := w.runner.Run(own, w.spec(command, out))
	switch {
	case err == nil:
		return report(result, out.text()), nil
	case ctx.Err() != nil:
		return out.text(), ctx.Err()
	case own.Err() != nil:
		return fmt.Sprintf("exit: timeout after %ss, killed%s; output so far:\n%s",
			seconds(timeout), w.moreTime(timeout, "; use %s for up to %s s"), out.text()), nil
	}
	return out.text(), fmt.Errorf("run bash: %w", err)
}

// moreTime says in the words of format how to get more time than a call has,
// if that can be had.
func (w *Workspace) moreTime(has time.Duration, format string) string {
	if has >= w.longest {
		return ""
	}
	longest := seconds(w.longest)
	return fmt.Sprintf(format, `{"command": "...", "timeout": `+longest+`}`, longest)
}

// A bashCall is the JSON object that bash takes in place of a command.
type bashCall struct {
	Command string   `json:"command"`
	Timeout *float64 `json:"timeout"`
}

var bashSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"command":{"type":"string","description":"what to run with bash"},` +
	`"timeout":{"type":"number","description":"seconds it may take"}},` +
	`"required":["command"],"additionalProperties":false}`)

// bashInput takes the command and its deadline from an input. An object in JSON
// is no command that bash could run, so it is never taken for one.
func (w *Workspace) bashInput(input string) (command string, timeout time.Duration, err error) {
	call := bashCall{Command: input}
	trimmed := strings.TrimSpace(input)
	object := strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed))
	if object {
		call = bashCall{}
		if err := decodeFields(trimmed, &call, "command, timeout"); err != nil {
			return "", 0, err
		}
	}
	timeout = w.limits.Timeout
	if call.Timeout != nil {
		if timeout, err = w.deadline(*call.Timeout); err != nil {
			return "", 0, err
		}
	}
	if object && strings.TrimSpace(call.Command) == "" {
		return "", 0, errors.New("no command; fields: command, timeout")
	}
	return call.Command, timeout, checkCommand(call.Command)
}

// deadline returns the deadline that a call asks for in seconds.
func (w *Workspace) deadline(asked float64) (time.Duration, error) {
	switch {
	case asked <= 0:
		return 0, fmt.Errorf("timeout %v is not a time; give seconds, or leave it out for %s", asked, seconds(w.limits.Timeout))
	case asked > w.longest.Seconds():
		return 0, fmt.Errorf("timeout %v is over the maximum %s", asked, seconds(w.longest))
	}
	return time.Duration(asked * float64(time.Second)), nil
}

// spec says how a command is to be run.
func (w *Workspace) spec(command string, output io.Writer) Spec {
	return Spec{
		Args: w.bashArgs(command), Dir: w.dir, Env: w.env, Output: output, ReadOnly: w.readOnly,
		Processes: w.limits.Processes, Memory: w.limits.Memory,
	}
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

// closeFiles is what a bash runs first to close the files that this program
// inherited and would pass on, all but 0, 1, 2 and keep.
func closeFiles(keep int) string {
	return fmt.Sprintf(`f() { local d; for d in /dev/fd/*; do d=${d##*/}; `+
		`case $d in [0-2]|%d|*[!0-9]*) ;; *) eval "exec $d>&-" ;; esac; done; }; f; `, keep)
}

// bashArgs makes the call of a first bash, which closes files and sets what the
// kernel limits for each process, and then becomes the bash of the command,
// which gets the text untouched. A limit that is lower already stays so.
func (w *Workspace) bashArgs(command string) []string {
	plain := []string{w.bashPath, "--noprofile", "--norc", "-c"}
	limits := fmt.Sprintf("ulimit -c 0; ulimit -f %d; ulimit -d %d; ", kib(w.limits.FileBytes), kib(w.limits.Memory))
	first := closeFiles(0) + "{ " + limits + "} 2>/dev/null; exec \"$@\""
	args := append(plain[:4:4], first, "bash")
	args = append(args, plain[:3]...)
	if w.pipefail {
		args = append(args, "-o", "pipefail")
	}
	return append(args, "-c", "--", command) // which may begin with a dash
}

// kib returns bytes in units of 1,024, at least one.
func kib(bytes int64) int64 { return max(1, bytes>>10) }

// report puts the line that says how the command ended over its output.
func report(r RunResult, output string) string {
	var b strings.Builder
	switch {
	case r.Killed != "":
		fmt.Fprintf(&b, "exit: over the limit of %s, killed; output so far:\n", r.Killed)
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

// findBash returns the bash that a search path names first.
func findBash(searchPath, workspace string) (string, error) {
	if hasBash {
		if program, ok := findProgram("bash", searchPath, workspace); ok {
			return program, nil
		}
	}
	return "", ErrNoBash
}

// findProgram returns the program that a search path names first, absolute and
// outside the workspace, where anything may be planted.
func findProgram(name, searchPath, workspace string) (program string, ok bool) {
	for _, dir := range filepath.SplitList(searchPath) {
		if !filepath.IsAbs(dir) {
			continue
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || under(workspace, real) {
			continue
		}
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return program, true
		}
	}
	return "", false
}
