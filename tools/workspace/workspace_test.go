package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openAt opens a workspace with bash where there is one; the edits change its
// configuration.
func openAt(t testing.TB, dir string, edits ...func(*Config)) *Workspace {
	t.Helper()
	c := Config{Dir: dir, Approver: AllowAll{}}
	if hasBash {
		c.Runner = runnerFor(t)
	}
	for _, edit := range edits {
		edit(&c)
	}
	w, err := Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// runnerFor returns the Runner of a test: Bubblewrap for those below a test of
// that name.
func runnerFor(t testing.TB) Runner {
	if isolated(t) {
		return Bubblewrap{}
	}
	return Unconfined{}
}

func isolated(t testing.TB) bool { return strings.Contains(t.Name(), "/bubblewrap/") }

func openTemp(t testing.TB, edits ...func(*Config)) *Workspace {
	t.Helper()
	return openAt(t, t.TempDir(), edits...)
}

func withLimits(l Limits) func(*Config) { return func(c *Config) { c.Limits = l } }

// put writes files, given as name and content in turn, with their directories.
func put(t testing.TB, w *Workspace, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(w.dir, files[i])
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(files[i+1]), 0o644))
	}
}

func link(t testing.TB, w *Workspace, target, name string) {
	t.Helper()
	require.NoError(t, os.Symlink(target, filepath.Join(w.dir, name)))
}

// call calls a tool by name.
func call(t testing.TB, w *Workspace, tool, input string) (string, error) {
	t.Helper()
	return callContext(t, t.Context(), w, tool, input)
}

func callContext(t testing.TB, ctx context.Context, w *Workspace, name, input string) (string, error) {
	t.Helper()
	for _, tool := range w.Tools() {
		if tool.Name == name {
			return tool.Do(ctx, input)
		}
	}
	require.Fail(t, "no tool "+name)
	return "", nil
}

// want calls a tool that must succeed.
func want(t testing.TB, w *Workspace, tool, input, output string) {
	t.Helper()
	got, err := call(t, w, tool, input)
	require.NoError(t, err)
	assert.Equal(t, output, got)
}

// wantError calls a tool that must give this error and no output.
func wantError(t testing.TB, w *Workspace, tool, input, text string) {
	t.Helper()
	got, err := call(t, w, tool, input)
	assert.EqualError(t, err, text)
	assert.Empty(t, got)
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, c := range []struct {
		name, wantErr string
		config        Config
	}{
		{"no-dir", "open workspace: Config.Dir is empty", Config{}},
		{"absent-dir", "no such file", Config{Dir: filepath.Join(dir, "absent")}},
		{"file-as-dir", "not a directory", Config{Dir: file}},
		{"negative-timeout", "negative Limits.Timeout: -1s", Config{Dir: dir, Limits: Limits{Timeout: -time.Second}}},
		{"long-timeout", "timeout 900 is over the maximum 600", Config{Dir: dir, Limits: Limits{Timeout: 900 * time.Second}}},
		{"negative-lines", "negative Limits.ReadLines: -1", Config{Dir: dir, Limits: Limits{ReadLines: -1}}},
		{"bad-env", `Config.Env has the bad entry "=x"`, Config{Dir: dir, Env: []string{"=x"}}},
		{"runner-without-approver", "bash needs an approver", Config{Dir: dir, Runner: Unconfined{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Open(c.config)
			assert.Nil(t, w)
			assert.ErrorContains(t, err, c.wantErr)
		})
	}
}

func TestTools(t *testing.T) {
	names := func(edit func(*Config)) string {
		var names []string
		for _, tool := range openTemp(t, edit).Tools() {
			names = append(names, tool.Name)
			assert.NotContains(t, tool.Usage, "\n")
		}
		return strings.Join(names, " ")
	}
	assert.Equal(t, "list glob grep read_file", names(func(c *Config) { c.Approver, c.Runner = nil, nil }))
	assert.Equal(t, "list glob grep read_file write_file edit_file", names(func(c *Config) { c.Runner = nil }))
	if hasBash {
		assert.Equal(t, "bash list glob grep read_file write_file edit_file", names(func(c *Config) {}))
	}
}

func TestCloseEndsTools(t *testing.T) {
	w := openTemp(t)
	require.NoError(t, w.Close())
	for _, tool := range w.Tools() {
		_, err := tool.Do(t.Context(), "x")
		assert.EqualError(t, err, "the workspace is closed", tool.Name)
	}
}

func TestEnvironment(t *testing.T) {
	parent := []string{"PATH=/bin", "LC_ALL=C", "OPENAI_API_KEY=sk-1", "BASH_ENV=/x", "BASH_FUNC_ls%%=() { :; }",
		"LD_PRELOAD=/x.so", "GIT_DIR=/g", "TERM=xterm", "FOO=1", "=odd", "HOMES=x"}
	got, err := environment(parent, []string{"FOO", "BAR=a=b", "ABSENT", "PAGER=less"})
	require.NoError(t, err)
	assert.Equal(t, []string{"BAR=a=b", "DEBIAN_FRONTEND=noninteractive", "EDITOR=true", "FOO=1",
		"GIT_EDITOR=true", "GIT_PAGER=cat", "GIT_SEQUENCE_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"MANPAGER=cat", "NO_COLOR=1", "PAGER=less", "PATH=/bin", "PIP_PROGRESS_BAR=off",
		"SSH_ASKPASS_REQUIRE=never", "TERM=dumb", "TQDM_DISABLE=1", "VISUAL=true"}, got)
}
