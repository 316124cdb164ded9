//go:build unix

package workspace

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	unread    = " exists and was not read (or changed since); read_file it, then write or edit"
	protected = ".git is protected; use git through bash"
	same      = "; nothing was changed"
)

var hostileWrites = []hostile{
	{"40-write-through-planted-link", parallel(func(t *testing.T, w *Workspace) {
		outside := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("a\n"), 0o644))
		want(t, w, "bash", "ln -s "+outside+"/f file; ln -s "+outside+" dir; ln -s ../"+filepath.Base(w.dir)+"-x up", "(no output)")
		for _, p := range []string{"file", "dir/f", "dir/new", "up", "up/new"} {
			refusesWrites(t, w, p, p+outsideText)
		}
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	})},
	{"45-paths-to-write", parallel(testWritePaths)},
	{"46-links-to-write", parallel(testWriteLinks)},
	{"47-swapped-directory-to-write", parallel(testWriteSwappedDirectory)},
	{"48-fifo-to-write", parallel(func(t *testing.T, w *Workspace) {
		name := filepath.Join(w.dir, "pipe1")
		require.NoError(t, syscall.Mkfifo(name, 0o644))
		refused := "pipe1 is not a regular file (named pipe); tools read regular files only"
		within(t, promptly, func() { refusesWrites(t, w, "pipe1", refused) })
		reader, err := os.OpenFile(name, os.O_RDWR, 0)
		require.NoError(t, err)
		defer reader.Close()
		within(t, promptly, func() { refusesWrites(t, w, "pipe1", refused) })
		within(t, promptly, func() {
			refusesWrites(t, w, "pipe1/x", "pipe1 is a file, so pipe1/x cannot be made; choose another path")
		})
	})},
	{"49-socket-and-device-to-write", parallel(func(t *testing.T, w *Workspace) {
		listener, err := net.Listen("unix", filepath.Join(w.dir, "s"))
		require.NoError(t, err)
		defer listener.Close()
		refusesWrites(t, w, "s", "s is not a regular file (socket); tools read regular files only")
		const null = 1<<8 | 3
		if err := syscall.Mknod(filepath.Join(w.dir, "null"), syscall.S_IFCHR|0o666, null); err != nil {
			t.Skipf("devices cannot be made here: %v", err)
		}
		refusesWrites(t, w, "null", "null is not a regular file (device); tools read regular files only")
	})},
	{"50-directory-to-write", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "d/f", "a\n")
		refusesWrites(t, w, "d", "d is a directory; use list d")
		refusesWrites(t, w, ".", ". is a directory; use list .")
		refusesWrites(t, w, "d/", "d/ names a directory; give the path of a file")
	})},
	{"55-names-to-write", parallel(testWriteNames)},
	{"56-not-writable", parallel(testNotWritable)},
	{"57-secrets-to-write", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, ".env", "a\n", ".env.example", "a\n")
		link(t, w, ".env", "notes.txt")
		link(t, w, "id_rsa", "dangling")
		refusesWrites(t, w, ".env", ".env may hold secrets and is not written; ask the user")
		refusesWrites(t, w, "notes.txt", "notes.txt leads to .env, which may hold secrets and is not written; ask the user")
		refusesWrites(t, w, "dangling", "dangling leads to id_rsa, which may hold secrets and is not written; ask the user")
		refusesWrites(t, w, "sub/server.key", "sub/server.key may hold secrets and is not written; ask the user")
		wrote(t, w, "edit_file", editing(".env.example"))
	})},
}

// refusesWrites checks that neither tool writes to a path.
func refusesWrites(t *testing.T, w *Workspace, path, text string) {
	t.Helper()
	path = quotePath(path)
	wantError(t, w, "write_file", path+"\nhacked", text)
	wantError(t, w, "edit_file", editing(path), text+same)
}

// wrote calls a tool that must succeed.
func wrote(t *testing.T, w *Workspace, tool, input string) {
	t.Helper()
	_, err := call(t, w, tool, input)
	assert.NoError(t, err)
}

func testWritePaths(t *testing.T, w *Workspace) {
	put(t, w, "a", "a\n")
	link(t, w, "a", "l")
	for _, p := range []string{"../x", "a/../../x", "missing/../../x", "/etc/x", w.dir + "-sibling/x", w.dir + "/../x", ".."} {
		_, err := call(t, w, "write_file", p+"\nx")
		assert.ErrorIs(t, err, ErrOutside, p)
		refusesWrites(t, w, p, p+outsideText)
	}
	want(t, w, "write_file", w.dir+"/new/b\nx", "wrote "+w.dir+"/new/b (created, 1 line, 2 bytes)")
	wrote(t, w, "edit_file", editing(w.dir+"//new/../a"))
	wantError(t, w, "write_file", `""`+"\nx", "no path; use write_file PATH with the text in a fence under it")
	refusesWrites(t, w, "a\x00b", `"a\x00b" holds a NUL byte, which no path does`)
	refusesWrites(t, w, strings.Repeat("x", 5000), "the path has 5,000 bytes, more than any file")
	refusesWrites(t, w, "l/", "l/ names a directory; give the path of a file")
	wantError(t, w, "write_file", strings.Repeat("x", 300)+"\nx", "a name in the path is too long (the path has 300 bytes); use list to find the file")
	wantError(t, w, "write_file", "missing/../x\nx", "no file missing/../x; list . to see files")
	want(t, w, "write_file", "~/$HOME/*\nx", "wrote ~/$HOME/* (created, 1 line, 2 bytes)")
	assertFile(t, w, "~/$HOME/*", "x\n")
	assertNames(t, w, "a", "l", "new", "~")
}

func testWriteLinks(t *testing.T, w *Workspace) {
	put(t, w, "d/a", "a\n")
	for name, target := range map[string]string{
		"in": "d/a", "dir": "d", "d/up": "../d/a", "out": "/etc/passwd", "out-relative": "../../../../../etc/passwd", "loop": "loop2", "loop2": "loop",
		"dangling-in": "d/new", "dangling-deep": "x/y/z", "dangling-out": "/nowhere/x", "zero": "/dev/zero", "environ": "/proc/self/environ", "absolute-in": w.dir + "/d/a",
	} {
		link(t, w, target, name)
	}
	for _, p := range []string{"out", "out-relative", "dangling-out", "zero", "environ", "absolute-in"} {
		refusesWrites(t, w, p, p+outsideText)
	}
	refusesWrites(t, w, "loop", "loop is a link that leads back to itself; use list to find the file")
	wrote(t, w, "edit_file", editing("dir/up"))
	want(t, w, "write_file", "in\nc", "wrote in (replaced, was 1 line)")
	want(t, w, "write_file", "dangling-in\nx", "wrote dangling-in (created, 1 line, 2 bytes)")
	want(t, w, "write_file", "dangling-deep\nx", "wrote dangling-deep (created, 1 line, 2 bytes)")
	assertFile(t, w, "d/a", "c\n")
	assertFile(t, w, "d/new", "x\n")
	assertFile(t, w, "x/y/z", "x\n")
}

// While a directory is swapped with links, one that leads out and one to a
// protected directory, writes arrive in the directory or nowhere.
func testWriteSwappedDirectory(t *testing.T, w *Workspace) {
	outside := t.TempDir()
	put(t, w, "d/f", "inside\n", ".git/HEAD", "", "kept/x", "")
	link(t, w, outside, "evil")
	link(t, w, ".git", "evil2")
	at := func(name string) string { return filepath.Join(w.dir, name) }
	done, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			evil := at([]string{"evil", "evil2"}[i%2])
			os.Rename(at("d"), at("away"))
			os.Rename(evil, at("d"))
			os.Rename(at("d"), evil)
			os.Rename(at("away"), at("d"))
		}
	}()
	good := 0
	for i := range 200 {
		if _, err := call(t, w, "write_file", fmt.Sprintf("d/new%d\nx", i)); err == nil {
			good++
		}
	}
	close(done)
	<-swapped
	assert.NotZero(t, good, "never written between the swaps")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
	entries, err = os.ReadDir(at(".git"))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func testWriteNames(t *testing.T, w *Workspace) {
	for _, name := range []string{"new\nline", "\x1b[31mred", "inv\xffalid", "-dash", " spaces ", "two words", "10-20", "ends 10-20",
		`"quoted"`, "{brace", "k=v x", "-- x", "日本", "\u202ebidi", "all", "all x", "a <<EOF"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("a\n"), 0o644); err != nil {
			t.Logf("%q cannot be made here: %v", name, err)
			continue
		}
		shown := quotePath(name)
		want(t, w, "edit_file", editing(shown), "edited "+shown+" (1 block, line 1)\n1|b")
		assertFile(t, w, name, "b\n")
		want(t, w, "write_file", shown+"\nc", "wrote "+shown+" (replaced, was 1 line)")
		assertFile(t, w, name, "c\n")
	}
}

func testNotWritable(t *testing.T, w *Workspace) {
	failed := (&target{asked: "f"}).failed(&fs.PathError{Op: "open", Path: "f", Err: syscall.EACCES})
	assert.EqualError(t, failed, "f cannot be written (permission denied); ask the user")
	if os.Geteuid() == 0 {
		t.Skip("root can write every file")
	}
	put(t, w, "unreadable", "a\n", "d/f", "a\n", "shut/f", "a\n")
	at := func(name string) string { return filepath.Join(w.dir, name) }
	require.NoError(t, os.Chmod(at("unreadable"), 0o200))
	refusesWrites(t, w, "unreadable", "unreadable cannot be read (permission denied); ask the user")
	// In a directory that takes no new files an old one is written in place.
	require.NoError(t, os.Chmod(at("d"), 0o555))
	defer os.Chmod(at("d"), 0o755)
	wrote(t, w, "edit_file", editing("d/f"))
	assertFile(t, w, "d/f", "b\n")
	wantError(t, w, "write_file", "d/new\nx", "d/new cannot be written (permission denied); ask the user")
	wantError(t, w, "write_file", "d/e/new\nx", "d/e/new cannot be written (permission denied); ask the user")
	require.NoError(t, os.Chmod(at("shut"), 0))
	defer os.Chmod(at("shut"), 0o755)
	refusesWrites(t, w, "shut/f", "shut/f cannot be read (permission denied); ask the user")
}
