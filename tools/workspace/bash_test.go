//go:build unix

package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBash(t *testing.T) {
	w := openTemp(t, func(c *Config) { c.Env = []string{"ADDED=yes"} })
	put(t, w, "a.txt", "a\n")
	for _, c := range []struct{ name, command, want string }{
		{"output", "echo hi", "hi"},
		{"both-streams", "echo a; echo b >&2; echo c", "a\nb\nc"},
		{"no-output", "true", "(no output)"},
		{"only-newlines", `printf '\n\n'`, "(no output)"},
		{"failure-without-output", "false", "exit: 1\n(no output)"},
		{"directory", "pwd; ls", w.dir + "\na.txt"},
		{"lines", "for i in 1 2; do\n  echo $i\ndone", "1\n2"},
		{"here-document", "cat <<EOF\n$((1+1))\nEOF", "2"},
		{"added-variable", "echo $ADDED $PAGER $TERM", "yes cat dumb"},
		{"plain-shell", "echo $0 $# $SHLVL; shopt -q login_shell || echo no login", "bash 0 1\nno login"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want = strings.Replace(c.want, "bash 0 1", w.bashPath+" 0 1", 1)
			want(t, w, "bash", c.command, c.want)
		})
	}
}

// An object in JSON is a call, anything else a command.
func TestBashInput(t *testing.T) {
	w := openTemp(t)
	for _, c := range []struct{ name, input, want, wantErr string }{
		{"command", `{"command":"echo hi"}`, "hi", ""},
		{"timeout", ` {"command":"sleep 999","timeout":0.2} `, `exit: timeout after 0.2s, killed; use {"command": "...", "timeout": 600} for up to 600 s; output so far:` + "\n(no output)", ""},
		{"group", "{ echo hi; }", "hi", ""},
		{"not-json", `{"command":"echo hi"`, "exit: 127\n" + w.bashPath + `: line 1: {command:echo hi: command not found`, ""},
		{"unknown-field", `{"command":"true","cwd":"/"}`, "", `bad JSON: unknown field "cwd"; fields: command, timeout`},
		{"wrong-type", `{"command":"true","timeout":"5"}`, "", "bad JSON: field timeout cannot be a string: want a number; fields: command, timeout"},
		{"no-command", "{}", "", "no command; fields: command, timeout"},
		{"over", `{"command":"true","timeout":900}`, "", "timeout 900 is over the maximum 600"},
		{"negative", `{"command":"true","timeout":-1}`, "", "timeout -1 is not a time; give seconds, or leave it out for 120"},
		{"zero", `{"command":"true","timeout":0}`, "", "timeout 0 is not a time; give seconds, or leave it out for 120"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := call(t, w, "bash", c.input)
			assert.Equal(t, c.want, got)
			if c.wantErr != "" {
				assert.EqualError(t, err, c.wantErr)
			} else {
				assert.NoError(t, err)
			}
		})
	}
	w = openTemp(t, withLimits(Limits{Timeout: 5 * time.Second}))
	wantError(t, w, "bash", `{"command":"true","timeout":6}`, "timeout 6 is over the maximum 5")
}

func TestBashSchema(t *testing.T) {
	for _, tool := range openTemp(t).Tools() {
		if tool.Name == "bash" {
			assert.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["command"],"properties":{
				"command":{"type":"string","description":"what to run with bash"},
				"timeout":{"type":"number","description":"seconds it may take"}}}`, string(tool.Schema))
		}
	}
}

func TestPipefail(t *testing.T) {
	w := openTemp(t, func(c *Config) { c.Pipefail = true })
	want(t, w, "bash", "false | true", "exit: 1\n(no output)")
	want(t, w, "bash", "echo $0; echo $-", w.bashPath+"\nhBc")
}

func TestBashCommandWithDash(t *testing.T) {
	w := openTemp(t)
	want(t, w, "bash", "-x() { echo called; }; -x", "called")
	want(t, w, "bash", "--version", "exit: 127\n"+w.bashPath+": line 1: --version: command not found")
}

func TestBashThroughLinkedDir(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "name")))
	w := openAt(t, filepath.Join(dir, "name"))
	put(t, w, "a", "x\n")
	want(t, w, "bash", "pwd", filepath.Join(dir, "name"))
	want(t, w, "read_file", filepath.Join(dir, "name", "a"), "x")
	want(t, w, "read_file", filepath.Join(dir, "real", "a"), "x")
}

// A runnerFunc is a func used as a Runner.
type runnerFunc func(context.Context, Spec) (RunResult, error)

func (f runnerFunc) Run(ctx context.Context, s Spec) (RunResult, error) { return f(ctx, s) }

func withRunner(f runnerFunc) func(*Config) { return func(c *Config) { c.Runner = f } }

func TestBashReports(t *testing.T) {
	for _, c := range []struct {
		name      string
		result    RunResult
		err       error
		want, bad string
	}{
		{"success", RunResult{}, nil, "out", ""},
		{"status", RunResult{ExitCode: 7}, nil, "exit: 7\nout", ""},
		{"signal", RunResult{ExitCode: 137, Signal: "SIGKILL"}, nil, "exit: 137 (killed by SIGKILL)\nout", ""},
		{"limit", RunResult{ExitCode: 137, Killed: "512 processes"}, nil, "exit: over the limit of 512 processes, killed; output so far:\nout", ""},
		{"survivors", RunResult{Survivors: true}, nil, "out\n[note: background processes were stopped]", ""},
		{"runner-error", RunResult{}, errors.New("no sandbox"), "out", "run bash: no sandbox"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openTemp(t, withRunner(func(_ context.Context, s Spec) (RunResult, error) {
				s.Output.Write([]byte("out\n"))
				return c.result, c.err
			}))
			got, err := call(t, w, "bash", "x")
			assert.Equal(t, c.want, got)
			if c.bad != "" {
				assert.EqualError(t, err, c.bad)
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

// What a Runner gets is the absolute bash, the text untouched, the directory
// and the listed environment.
func TestBashSpec(t *testing.T) {
	var got Spec
	w := openTemp(t, withRunner(func(_ context.Context, s Spec) (RunResult, error) {
		got = s
		return RunResult{}, nil
	}))
	_, err := call(t, w, "bash", "  a 'b' \n")
	require.NoError(t, err)
	assert.Equal(t, []string{w.bashPath, "--noprofile", "--norc", "-c", "--", "  a 'b' \n"}, got.Args[len(got.Args)-6:])
	assert.Equal(t, w.bashPath, got.Args[0])
	assert.True(t, filepath.IsAbs(w.bashPath))
	assert.Equal(t, w.dir, got.Dir)
	assert.Contains(t, got.Env, "PWD="+w.dir)
	assert.Contains(t, got.Env, "GIT_TERMINAL_PROMPT=0")
}

func TestBashDeniedRunsNothing(t *testing.T) {
	var requests []Request
	w := openTemp(t, asked(&requests))
	command := "touch made #" + strings.Repeat(" ", 500) + "\u202e\n"
	wantError(t, w, "bash", command, "denied; try another way, or answer with DONE:")
	assert.NoFileExists(t, filepath.Join(w.dir, "made"))
	assert.Equal(t, []Request{{Tool: "bash", Kind: Exec, Command: command,
		Display: `touch made #[500 blanks]\u{202e}` + "\n"}}, requests)
}

func TestFindBash(t *testing.T) {
	plant := func(mode os.FileMode) string {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bash"), nil, mode))
		return dir
	}
	good, other, notExecutable, workspace := plant(0o755), plant(0o755), plant(0o644), plant(0o755)
	t.Chdir(workspace)
	linked := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.Symlink(workspace, linked))
	for _, c := range []struct{ name, path, want string }{
		{"first", good + ":" + other, good},
		{"not-executable", notExecutable + ":" + good, good},
		{"relative", ".:" + good, good},
		{"empty-entry", ":" + good, good},
		{"workspace", workspace + ":" + good, good},
		{"link-to-workspace", linked + ":" + good, good},
		{"none", ".:" + notExecutable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := findBash(c.path, workspace)
			if c.want == "" {
				assert.EqualError(t, err, "no bash on this system; the bash tool is off")
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, filepath.Join(c.want, "bash"), got)
		})
	}
}

func TestSignalName(t *testing.T) {
	assert.Equal(t, "SIGKILL", signalName(9))
	assert.Equal(t, "signal 63", signalName(63))
}

// The deadline of the tool gives an output; the
// caller's deadline is the caller's error, not a timeout of the tool.
func TestBashDeadlines(t *testing.T) {
	w := openTemp(t, withLimits(Limits{Timeout: 200 * time.Millisecond}))
	out, err := call(t, w, "bash", "sleep 999")
	assert.NoError(t, err)
	assert.Equal(t, "exit: timeout after 0.2s, killed; output so far:\n(no output)", out)

	w = openTemp(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = callContext(t, ctx, w, "bash", "sleep 999")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
