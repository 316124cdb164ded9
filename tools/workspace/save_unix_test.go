//go:build unix

package workspace

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inChild runs the test name in a process of its own, where it finds dir in the
// environment, and returns how that ended and what it printed.
func inChild(t *testing.T, name, dir string) (*os.ProcessState, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(os.Environ(), "ACTDONE_TEST_CHILD="+dir, "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		require.NoError(t, err)
	}
	return cmd.ProcessState, string(out)
}

// childDir returns the directory that a test in a process of its own works in.
func childDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ACTDONE_TEST_CHILD")
	if dir == "" {
		t.Skip("runs in a child process of another test")
	}
	return dir
}

// TestChildKilled does what replace does up to the renaming, and is killed.
func TestChildKilled(t *testing.T) {
	root, err := os.OpenRoot(childDir(t))
	require.NoError(t, err)
	f, _, err := createTemporary(root, false)
	require.NoError(t, err)
	require.NoError(t, fill(f, []byte("new\n"), nil))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
	select {}
}

func testKilledWriter(t *testing.T) {
	w := openTemp(t)
	put(t, w, "f", "a\n", ".actdone-notes.tmp", "mine\n")
	state, out := inChild(t, "TestChildKilled", w.dir)
	require.Equal(t, syscall.SIGKILL, state.Sys().(syscall.WaitStatus).Signal(), out)
	assertFile(t, w, "f", "a\n")
	entries, err := os.ReadDir(w.dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "the child left no temporary file")

	// One in use stays, and so do other things with such a name.
	used, name, err := createTemporary(w.root, false)
	require.NoError(t, err)
	defer used.Close()
	odd := temporaryStart + rand.Text() + temporaryEnd
	require.NoError(t, os.Mkdir(filepath.Join(w.dir, odd), 0o755))
	pipe := temporaryStart + rand.Text() + temporaryEnd
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.dir, pipe), 0o644))
	wrote(t, w, "edit_file", editing("f"))
	names := []string{name, odd, pipe, ".actdone-notes.tmp", "f"}
	entries, err = os.ReadDir(w.dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	assert.ElementsMatch(t, names, got)
}

// TestChildFull writes where files can have 64 KiB at most.
func TestChildFull(t *testing.T) {
	dir := childDir(t)
	signal.Ignore(syscall.SIGXFSZ)
	w := openAt(t, dir, func(c *Config) { c.Runner = nil })
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}))
	failsFull(t, w, "file too large")
}

// failsFull writes too much to the file f, its hard link and a new file.
func failsFull(t *testing.T, w *Workspace, cause string) {
	t.Helper()
	wrote(t, w, "read_file", "f")
	wrote(t, w, "read_file", "twin")
	for _, name := range []string{"f", "twin", "new"} {
		wantError(t, w, "write_file", name+"\n"+strings.Repeat("x", 200<<10), "write "+name+": "+cause+"; nothing was changed")
	}
	assertFile(t, w, "f", "a\n")
	assertFile(t, w, "twin", "a\nb\n")
	assertNames(t, w, "f", "twin", "twin2")
}

func testDiskFull(t *testing.T) {
	prepare := func(t *testing.T) *Workspace {
		w := openTemp(t)
		put(t, w, "f", "a\n", "twin", "a\nb\n")
		require.NoError(t, os.Link(filepath.Join(w.dir, "twin"), filepath.Join(w.dir, "twin2")))
		return w
	}
	t.Run("file-size-limit", func(t *testing.T) {
		w := prepare(t)
		state, out := inChild(t, "TestChildFull", w.dir)
		assert.True(t, state.Success(), out)
		assert.Contains(t, out, "--- PASS: TestChildFull")
		assertNames(t, w, "f", "twin", "twin2")
	})
	t.Run("small-disk", func(t *testing.T) {
		dir := t.TempDir()
		if err := mountSmall(dir); err != nil {
			t.Skipf("a small disk cannot be made here: %v", err)
		}
		t.Cleanup(func() { assert.NoError(t, unmount(dir)) })
		w := openAt(t, dir)
		put(t, w, "f", "a\n", "twin", "a\nb\n")
		require.NoError(t, os.Link(filepath.Join(dir, "twin"), filepath.Join(dir, "twin2")))
		failsFull(t, w, "no space left on device")
		require.NoError(t, w.Close())
	})
}

// A write in place that fails midway puts the old text back.
func TestOverwrite(t *testing.T) {
	for _, c := range []struct{ name, old, data string }{
		{"longer", "old", "longer text"}, {"shorter", "old text", "new"}, {"equal", "old", "new"}, {"from-empty", "", "new"}, {"to-empty", "old", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(t.TempDir(), "f"))
			require.NoError(t, err)
			defer f.Close()
			_, err = io.WriteString(f, c.old)
			require.NoError(t, err)
			require.NoError(t, overwrite(f, []byte(c.old), []byte(c.data)))
			got, err := os.ReadFile(f.Name())
			require.NoError(t, err)
			assert.Equal(t, c.data, string(got))
		})
	}
	f, err := os.Open(os.Args[0])
	require.NoError(t, err)
	defer f.Close()
	assert.ErrorIs(t, overwrite(f, []byte("a"), []byte("b")), errDamaged)
}

// A file that cannot be replaced, such as one that is mounted, is written in
// place.
func TestSaveInPlace(t *testing.T) {
	for _, err := range []error{syscall.EBUSY, syscall.EXDEV, syscall.EACCES, syscall.EPERM, syscall.EROFS} {
		assert.True(t, refused(&os.LinkError{Op: "renameat", Err: err}), err.Error())
	}
	assert.False(t, refused(&os.PathError{Op: "write", Err: syscall.ENOSPC}))
	w := openTemp(t)
	put(t, w, "f", "a\n", "g", "a\n")
	if err := bindMount(filepath.Join(w.dir, "g"), filepath.Join(w.dir, "f")); err != nil {
		t.Skipf("a file cannot be mounted here: %v", err)
	}
	defer func() { assert.NoError(t, unmount(filepath.Join(w.dir, "f"))) }()
	wrote(t, w, "edit_file", editing("f"))
	assertFile(t, w, "f", "b\n")
	assertFile(t, w, "g", "b\n")
	assertNames(t, w, "f", "g")
}

// Calls at once are written one after another; each is whole.
func TestWritesAtOnce(t *testing.T) {
	w := openTemp(t)
	texts := map[string]bool{}
	var wg sync.WaitGroup
	put(t, w, "f", "0\n")
	wrote(t, w, "read_file", "f")
	for _, c := range "abcdefghijklmnop" {
		text := strings.Repeat(string(c), 10_000)
		texts[text+"\n"] = true
		wg.Go(func() { _, _ = call(t, w, "write_file", "f\n"+text) })
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(w.dir, "f"))
	require.NoError(t, err)
	assert.True(t, texts[string(data)], "%.20q", data)
	assertNames(t, w, "f")
}
