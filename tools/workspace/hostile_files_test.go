//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const outsideText = " is outside the workspace; use a path under the workspace root"

var hostileFiles = []hostile{
	{"40-planted-link", parallel(func(t *testing.T, w *Workspace) {
		want(t, w, "bash", "ln -s /etc/passwd p; ln -s / r", "(no output)")
		wantError(t, w, "read_file", "p", "p"+outsideText)
		wantError(t, w, "read_file", "r/etc/passwd", "r/etc/passwd"+outsideText)
	})},
	{"45-paths", parallel(testPaths)},
	{"46-links", parallel(testLinks)},
	{"47-swapped-directory", parallel(testSwappedDirectory)},
	{"48-fifo", parallel(testFIFO)},
	{"49-socket-and-device", parallel(testSocketAndDevice)},
	{"50-directory", refuses("read_file", ".", ". is a directory; use list .")},
	{"51-huge-and-changing", parallel(testHugeAndChanging)},
	{"52-empty-and-newlines", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "empty", "", "open", "a\nb", "newlines", "\n\n\n")
		want(t, w, "read_file", "empty", "file: empty (empty)")
		want(t, w, "read_file", "empty -5", "file: empty (empty)")
		want(t, w, "read_file", "open", "file: open (lines 1-2 of 2; 3 bytes; last line has no newline)\n1|a\n2|b")
		want(t, w, "read_file", "newlines", "file: newlines (lines 1-3 of 3; 3 bytes)\n1|\n2|\n3|")
	})},
	{"53-ranges", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "a", numbers(1, 3))
		for word, text := range map[string]string{
			"0":                      "bad range 0: lines are counted from 1",
			"0-2":                    "bad range 0-2: lines are counted from 1",
			"2-0":                    "bad range 2-0: lines are counted from 1",
			"-0":                     "bad range -0: lines are counted from 1",
			"9-3":                    "bad range 9-3: it ends before it starts",
			"4":                      "a has 3 lines; line 4 does not exist",
			"9223372036854775807":    "a has 3 lines; line 9223372036854775807 does not exist",
			"99999999999999999999-":  "bad range 99999999999999999999-: the number is too large",
			"1-99999999999999999999": "bad range 1-99999999999999999999: the number is too large",
		} {
			wantError(t, w, "read_file", "a "+word, text)
		}
		want(t, w, "read_file", "a -9223372036854775807", "file: a (lines 1-3 of 3; 6 bytes)\n"+strings.TrimSpace(numbered(1, 3)))
		want(t, w, "read_file", "a 3-9223372036854775807", "file: a (lines 3-3 of 3; 6 bytes)\n3|3")
	})},
	{"54-not-text", parallel(testNotText)},
	{"55-names", parallel(testNames)},
	{"56-unreadable", parallel(testUnreadable)},
	{"57-secrets", parallel(testSecrets)},
	{"88-unknown-options", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "a", "x\n")
		wantError(t, w, "read_file", "limit=5 a", "unknown option limit=; there are no options; -- before a path with = in it")
		wantError(t, w, "list", "sort=time .", "unknown option sort=; options: depth=")
		wantError(t, w, "read_file", `{"path":"a","mode":"r"}`, `bad JSON: unknown field "mode"; fields: path, start, end`)
		wantError(t, w, "list", `{"path":".","all":true}`, `bad JSON: unknown field "all"; fields: path, depth`)
	})},
}

func testPaths(t *testing.T, w *Workspace) {
	put(t, w, "a", "x\n", "d/b", "y\n")
	link(t, w, "a", "l")
	sibling := w.dir + "-sibling"
	for _, p := range []string{"../x", "a/../../x", "missing/../../x", "/etc/passwd", sibling + "/x", w.dir + "/../x", ".."} {
		got, err := call(t, w, "read_file", p)
		assert.ErrorIs(t, err, ErrOutside, p)
		assert.EqualError(t, err, p+outsideText)
		assert.Empty(t, got)
	}
	want(t, w, "read_file", w.dir+"/a", "x")
	want(t, w, "read_file", w.dir+"//d/../a", "x")
	wantError(t, w, "read_file", w.dir, w.dir+" is a directory; use list "+w.dir)
	wantError(t, w, "read_file", `""`, "no path; use read_file PATH [RANGE]")
	wantError(t, w, "read_file", "a\x00b", `"a\x00b" holds a NUL byte, which no path does`)
	wantError(t, w, "read_file", strings.Repeat("x", 5000), "the path has 5,000 bytes, more than any file")
	wantError(t, w, "read_file", strings.Repeat("x", 300), "a name in the path is too long (the path has 300 bytes); use list to find the file")
	wantError(t, w, "read_file", "l/", "no file l/; list . to see files")
	wantError(t, w, "read_file", "~/a", "no file ~/a; did you mean a? (list . to see files)")
}

func testLinks(t *testing.T, w *Workspace) {
	put(t, w, "d/a", "x\n")
	for name, target := range map[string]string{
		"in": "d/a", "dir": "d", "d/up": "../d/a", "out": "/etc/passwd", "out-relative": "../../../../../etc/passwd", "loop": "loop2", "loop2": "loop",
		"dangling-in": "d/zzzzzzzz", "dangling-out": "/nowhere/x", "zero": "/dev/zero", "environ": "/proc/self/environ", "absolute-in": w.dir + "/d/a",
	} {
		link(t, w, target, name)
	}
	for _, p := range []string{"in", "dir/a", "d/up", "dir/up"} {
		want(t, w, "read_file", p, "x")
	}
	for _, p := range []string{"out", "out-relative", "dangling-out", "zero", "environ", "absolute-in"} {
		wantError(t, w, "read_file", p, p+outsideText)
	}
	wantError(t, w, "read_file", "dangling-in", "no file dangling-in; list . to see files")
	wantError(t, w, "read_file", "loop", "loop is a link that leads back to itself; use list to find the file")
}

func testSwappedDirectory(t *testing.T, w *Workspace) {
	secret := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(secret, "f"), []byte("outside\n"), 0o644))
	put(t, w, "d/f", "inside\n")
	link(t, w, secret, "evil")
	at := func(name string) string { return filepath.Join(w.dir, name) }
	done := make(chan struct{})
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			select {
			case <-done:
				return
			default:
			}
			os.Rename(at("d"), at("kept"))
			os.Rename(at("evil"), at("d"))
			os.Rename(at("d"), at("evil"))
			os.Rename(at("kept"), at("d"))
		}
	}()
	good := 0
	for range 400 {
		out, err := call(t, w, "read_file", "d/f")
		if err == nil {
			require.Equal(t, "inside", out)
			good++
		}
	}
	close(done)
	<-swapped
	assert.NotZero(t, good, "never read between the swaps")
}

func testFIFO(t *testing.T, w *Workspace) {
	name := filepath.Join(w.dir, "pipe1")
	require.NoError(t, syscall.Mkfifo(name, 0o644))
	refused := "pipe1 is not a regular file (named pipe); tools read regular files only"
	within(t, promptly, func() { wantError(t, w, "read_file", "pipe1", refused) })
	writer, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writer.Close()
	_, err = writer.WriteString("x\n")
	require.NoError(t, err)
	within(t, promptly, func() { wantError(t, w, "read_file", "pipe1", refused) })
	want(t, w, "list", ".", "pipe1 (named pipe)")
}

// A pipe that takes the place of a file after the first look does not hold up
// the call: what counts is what was opened.
func TestOpenDoesNotWait(t *testing.T) {
	w := openTemp(t)
	name := filepath.Join(w.dir, "p")
	require.NoError(t, syscall.Mkfifo(name, 0o644))
	rescue := time.AfterFunc(promptly, func() { os.OpenFile(name, os.O_RDWR, 0) })
	defer rescue.Stop()
	within(t, promptly, func() {
		f, err := w.openRegular("p", "p")
		assert.Nil(t, f)
		assert.ErrorContains(t, err, "named pipe")
	})
}

// A file that is no longer where it was opened is not judged by what is there
// now.
func TestOpenNoticesSwap(t *testing.T) {
	w := openTemp(t)
	put(t, w, ".env", "KEY=1\n", "new", "x\n")
	f, err := os.Open(filepath.Join(w.dir, ".env"))
	require.NoError(t, err)
	defer f.Close()
	assert.EqualError(t, w.judge(&regular{File: f, asked: "new"}, "new"), "new changed while it was opened; try again")
}

func testSocketAndDevice(t *testing.T, w *Workspace) {
	listener, err := net.Listen("unix", filepath.Join(w.dir, "s"))
	require.NoError(t, err)
	defer listener.Close()
	wantError(t, w, "read_file", "s", "s is not a regular file (socket); tools read regular files only")
	const null = 1<<8 | 3
	if err := syscall.Mknod(filepath.Join(w.dir, "null"), syscall.S_IFCHR|0o666, null); err != nil {
		t.Skipf("devices cannot be made here: %v", err)
	}
	wantError(t, w, "read_file", "null", "null is not a regular file (device); tools read regular files only")
}

func testHugeAndChanging(t *testing.T, w *Workspace) {
	create := func(name string) *os.File {
		f, err := os.Create(filepath.Join(w.dir, name))
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	if err := create("sparse").Truncate(1 << 40); err == nil {
		wantError(t, w, "read_file", "sparse", "sparse is binary (1,099,511,627,776 bytes); use bash with file, xxd or strings")
	}
	f := create("line")
	mebibyte := []byte(strings.Repeat("a", 1<<20))
	for range 65 {
		_, err := f.Write(mebibyte)
		require.NoError(t, err)
	}
	want(t, w, "read_file", "line", "file: line (lines 1-1 of many; 68,157,440 bytes)\n1|"+strings.Repeat("a", 1000)+
		"[+67,107,864 characters or more]\n[more: many lines; next: read_file line 2-]")

	// What changes between the survey and the reading.
	read := func(content string, change func(name string)) (string, error) {
		put(t, w, "changing", content)
		r, err := w.open("changing")
		require.NoError(t, err)
		defer r.Close()
		s, err := takeSurvey(t.Context(), r, span{first: 1})
		require.NoError(t, err)
		change(filepath.Join(w.dir, "changing"))
		p := page{file: r, survey: s, span: span{first: 1}, limits: w.limits, hidden: w.secrets}
		if err := p.read(t.Context()); err != nil {
			return "", err
		}
		return p.text(), nil
	}
	grown, err := read("1\n2\n", func(name string) { require.NoError(t, os.WriteFile(name, []byte("1\n2\n3\n4\n"), 0o644)) })
	assert.Equal(t, "file: changing (lines 1-2 of 2; 4 bytes)\n1|1\n2|2", grown)
	require.NoError(t, err)
	shrunk, err := read("1\n2\n3\n", func(name string) { require.NoError(t, os.Truncate(name, 3)) })
	assert.Equal(t, "file: changing (lines 1-2 of 3; 6 bytes)\n1|1\n2|2\n[more: 1 line; next: read_file changing 3-]", shrunk)
	require.NoError(t, err)
	_, err = read("1\n2\n3\n", func(name string) { require.NoError(t, os.Truncate(name, 0)) })
	assert.EqualError(t, err, "changing changed while it was read; try again")
}

func testNotText(t *testing.T, w *Workspace) {
	put(t, w, "logo.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00", 12337), "data", "a\x00b\n", "doc", "%PDF-1.7\n",
		"bom16", "\xff\xfea\x00\n\x00", "be16", "\xfe\xff\x00a", "plain16", strings.Repeat("a\x00", 40),
		"utf8-bom", "\ufeffa\nb\n", "latin", "caf\xe9\nb\n", "late", strings.Repeat("x\n", 4096)+"\x00\n")
	wantError(t, w, "read_file", "logo.png", "logo.png is binary (png, 12,345 bytes); use bash with file, xxd or strings")
	wantError(t, w, "read_file", "data", "data is binary (4 bytes); use bash with file, xxd or strings")
	wantError(t, w, "read_file", "doc", "doc is binary (pdf, 9 bytes); use bash with file, xxd or strings")
	for _, name := range []string{"bom16", "be16", "plain16"} {
		wantError(t, w, "read_file", name, name+" is utf-16 text; convert it with iconv in bash first")
	}
	want(t, w, "read_file", "utf8-bom", "file: utf8-bom (lines 1-2 of 2; 7 bytes; bom)\n1|a\n2|b")
	want(t, w, "read_file", "latin 2", "file: latin (lines 2-2 of 2; 7 bytes; not utf-8)\n2|b")
	want(t, w, "read_file", "late 4097-", `file: late (lines 4097-4097 of 4,097; 8,194 bytes; some bytes shown as \xNN or \u{...})`+"\n"+`4097|\x00`)
}

func testNames(t *testing.T, w *Workspace) {
	names := []string{"new\nline", "\x1b[31mred", "inv\xffalid", "-dash", " spaces ", "two words", "10-20", "ends 10-20", `"quoted"`, "{brace", "k=v x", "-- x", "日本", "\u202ebidi"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("a\nb\n"), 0o644); err != nil {
			t.Logf("%q cannot be made here: %v", name, err)
			continue
		}
		shown := quotePath(name)
		want(t, w, "read_file", shown, fmt.Sprintf("file: %s (lines 1-2 of 2; 4 bytes)\n1|a\n2|b", shown))
	}
	out, err := call(t, w, "list", "")
	require.NoError(t, err)
	assert.Len(t, strings.Split(out, "\n"), len(names))
	for _, line := range []string{`"\x1b[31mred" (4 bytes)`, `"new\nline" (4 bytes)`, `"\u202ebidi" (4 bytes)`, "-dash (4 bytes)", "two words (4 bytes)"} {
		assert.Contains(t, out, line)
	}
}

func testUnreadable(t *testing.T, w *Workspace) {
	err := w.explain("f", "f", &fs.PathError{Op: "open", Path: "f", Err: syscall.EACCES})
	assert.EqualError(t, err, "f cannot be read (permission denied); ask the user")
	err = w.explain("f", "f", &fs.PathError{Op: "openat", Path: "f", Err: syscall.EIO})
	assert.EqualError(t, err, "open f: input/output error")
	assert.True(t, errors.Is(err, syscall.EIO))
	if os.Geteuid() == 0 {
		t.Skip("root can read every file")
	}
	put(t, w, "f", "x\n", "d/x", "")
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "f"), 0))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "d"), 0))
	defer os.Chmod(filepath.Join(w.dir, "d"), 0o755)
	wantError(t, w, "read_file", "f", "f cannot be read (permission denied); ask the user")
	wantError(t, w, "list", "d", "d cannot be read (permission denied); ask the user")
	want(t, w, "list", "depth=2", "d/ (cannot be read)\nf (2 bytes)")
}

func testSecrets(t *testing.T, w *Workspace) {
	put(t, w, ".env", "KEY=1\n", ".env.example", "KEY=\n", "sub/.env.local", "KEY=1\n", "id_rsa", "x\n")
	link(t, w, ".env", "notes.txt")
	link(t, w, "notes.txt", "again.txt")
	link(t, w, ".env.example", ".env.link")
	wantError(t, w, "read_file", ".env", ".env may hold secrets and is not shown; ask the user or read .env.example")
	wantError(t, w, "read_file", "sub/.env.local", "sub/.env.local may hold secrets and is not shown; ask the user or read sub/.env.example")
	wantError(t, w, "read_file", "id_rsa", "id_rsa may hold secrets and is not shown; ask the user")
	want(t, w, "read_file", ".env.example", "KEY=")
	for _, name := range []string{"notes.txt", "again.txt"} {
		wantError(t, w, "read_file", name, name+" leads to .env, which may hold secrets and is not shown; ask the user or read .env.example")
	}
	wantError(t, w, "read_file", ".env.link", ".env.link may hold secrets and is not shown; ask the user or read .env.example")
}
