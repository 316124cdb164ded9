package workspace

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/promises.md")

// A promise is a sentence of what is promised against a hostile model, repository
// or command.
type promise struct {
	sentence string
	isolated bool // by Bubblewrap alone
	kept     func(t *testing.T, w *Workspace)
}

var promises = []promise{
	{"file tools touch only files in the workspace", false, func(t *testing.T, w *Workspace) {
		link(t, w, "/", "root")
		for _, act := range [][2]string{{"read_file", "root/etc/passwd"}, {"read_file", "../x"}, {"write_file", "root/tmp/x\ny"},
			{"edit_file", "../x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"}, {"list", "root"}, {"grep", "path=root x"}, {"glob", "../*"}} {
			_, err := call(t, w, act[0], act[1])
			assert.Error(t, err, act[0])
		}
	}},
	{"no call outlives its deadline by more than 3 s", false, func(t *testing.T, w *Workspace) {
		start := time.Now()
		out, err := call(t, w, "bash", `{"command":"trap '' TERM; setsid sleep 999 & sleep 999; sleep 999","timeout":0.5}`)
		require.NoError(t, err)
		assert.Contains(t, out, "exit: timeout after 0.5s")
		assert.Less(t, time.Since(start), promptly, "3.5 s on a machine that is not busy")
		killLeft(t, w)
	}},
	{"no call grows memory beyond its caps", false, func(t *testing.T, w *Workspace) {
		before := heap()
		out, err := call(t, w, "bash", `{"command":"head -c 50000000 /dev/zero | tr '\\0' a","timeout":100}`)
		require.NoError(t, err)
		assert.Less(t, len(out), 10<<10)
		assert.Less(t, heap(), before+2<<20)
	}},
	{"no process of the session survives a call", false, func(t *testing.T, w *Workspace) {
		want(t, w, "bash", "(sleep 999 & sleep 999 >/dev/null 2>&1 &); echo hi", "hi"+stoppedNote)
		assertNoneLeft(t, w)
	}},
	{"writes are whole or absent", false, func(t *testing.T, w *Workspace) {
		put(t, w, "f", "old\n")
		_, err := call(t, w, "write_file", "f\nnew")
		assert.Error(t, err, "it was not read")
		want(t, w, "read_file", "f", "old")
		_, err = call(t, w, "write_file", "f\nnew")
		require.NoError(t, err)
		want(t, w, "bash", "cat f; ls -A | grep -vx f | wc -l | tr -d ' '", "new\n0")
	}},
	{"untouched bytes stay", false, func(t *testing.T, w *Workspace) {
		put(t, w, "f", "\xef\xbb\xbfa\r\nb\rc\xff\nend")
		_, err := call(t, w, "edit_file", "f\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE")
		require.NoError(t, err)
		data, err := os.ReadFile(filepath.Join(w.dir, "f"))
		require.NoError(t, err)
		assert.Equal(t, "\xef\xbb\xbfA\r\nb\rc\xff\nend", string(data))
	}},
	{"registered secrets never appear verbatim", false, func(t *testing.T, w *Workspace) {
		put(t, w, "f", "sk-promised\n")
		want(t, w, "read_file", "f", "[redacted]")
		want(t, w, "bash", "cat f f", "[redacted]\n[redacted]")
	}},
	{"the environment of the program is not passed on", false, func(t *testing.T, w *Workspace) {
		want(t, w, "bash", "env | grep -c PROMISE", "exit: 1\n0")
	}},
	{"no writes outside the listed directories", true, func(t *testing.T, w *Workspace) {
		outside := filepath.Dir(w.dir)
		want(t, w, "bash", "for f in /x /usr/x /etc/x /proc/sys/kernel/core_pattern "+
			"/proc/self/oom_score_adj; do (exec 7>>$f) 2>/dev/null && echo writable $f; done; (echo x >"+outside+"/x) 2>/dev/null; true", "(no output)")
		assert.NoFileExists(t, filepath.Join(outside, "x"))
	}},
	{"no reads outside the listed directories", true, func(t *testing.T, w *Workspace) {
		secret := filepath.Join(filepath.Dir(w.dir), "secret")
		require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
		want(t, w, "bash", "for f in "+secret+" /etc/shadow /root/.ssh /home/* /var/log /sys/kernel; do [ -e $f ] && echo seen $f; done; true", "(no output)")
	}},
	{"no network", true, func(t *testing.T, w *Workspace) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		want(t, w, "bash", "(exec 7<>/dev/tcp/127.0.0.1/"+port+") 2>/dev/null && echo connected; grep -vc -e lo: -e '|' /proc/net/dev", "exit: 1\n0")
	}},
	{"no outside socket", true, func(t *testing.T, w *Workspace) {
		path := filepath.Join(filepath.Dir(w.dir), "s")
		l, err := net.Listen("unix", path)
		require.NoError(t, err)
		defer l.Close()
		want(t, w, "bash", "[ -e "+path+" ] || echo absent; ls -A /run; grep -c @ /proc/net/unix", "exit: 1\nabsent\n0")
	}},
	{"no survivor at all", true, func(t *testing.T, w *Workspace) {
		want(t, w, "bash", "setsid sleep 999 & (setsid setsid sleep 999 >/dev/null 2>&1 &); echo hi", "hi"+stoppedNote)
		assertNoneLeft(t, w)
	}},
	{"the program's own environment and memory are unreadable", true, func(t *testing.T, w *Workspace) {
		outside := decoy(t)
		want(t, w, "bash", fmt.Sprintf("cat /proc/[0-9]*/environ 2>/dev/null | grep -ac hunter2; [ -e /proc/%d/mem ] && grep -z DECOY /proc/%d/environ; true", outside, outside), "0")
	}},
}

// killLeft kills what Unconfined lets live.
func killLeft(t *testing.T, w *Workspace) {
	t.Helper()
	for _, pid := range left(t, w) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	assertNoneLeft(t, w)
}

// A cell is how one promise stands with one Runner in one world.
type cell string

const (
	kept      cell = "kept"
	none      cell = "not promised"
	refusedAt cell = "refused at Open"
)

// A world is a machine and a user of it.
type world struct{ root, bwrap, namespaces bool }

var worlds = []world{
	{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false},
	{false, true, true}, {false, true, false}, {false, false, true}, {false, false, false},
}

func (w world) String() string {
	word := func(is bool, yes, no string) string { return map[bool]string{true: yes, false: no}[is] }
	return word(w.root, "root", "ordinary user") + ", bwrap " + word(w.bwrap, "present", "absent") +
		", user namespaces " + word(w.namespaces, "on", "off")
}

// promised returns what the documentation says for a cell.
func promised(runner string, p promise, w world) cell {
	switch {
	case runner == "Unconfined" && p.isolated:
		return none
	case runner == "Bubblewrap" && !(w.bwrap && w.namespaces):
		return refusedAt
	}
	return kept
}

// TestPromises checks each promise with each Runner for root and an ordinary
// user, with and without bubblewrap and user namespaces. With -v it prints the
// table, with -update it writes it for the documentation.
func TestPromises(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be both users")
	}
	needsBubblewrap(t)
	found := map[world]map[string]cell{}
	for _, w := range worlds {
		t.Run(w.String(), func(t *testing.T) {
			found[w] = cells(t, w)
			for _, p := range promises {
				for _, runner := range []string{"Unconfined", "Bubblewrap"} {
					assert.Equal(t, promised(runner, p, w), found[w][runner+": "+p.sentence], "%s: %s", runner, p.sentence)
				}
			}
		})
	}
	table := promiseTable(found)
	t.Log("\n" + table)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile("testdata/promises.md", []byte(table), 0o644))
	}
	want, err := os.ReadFile("testdata/promises.md")
	require.NoError(t, err)
	assert.Equal(t, string(want), table, "go test -run TestPromises -update writes it")
}

// cells runs TestPromisesHere in a world of its own and returns what it told.
func cells(t *testing.T, w world) map[string]cell {
	t.Helper()
	dir, program := copyOfTest(t)
	script := "exec "
	if !w.namespaces {
		script = "echo 0 >/proc/sys/user/max_user_namespaces || exit 1; exec "
	}
	if !w.root {
		script += fmt.Sprintf("setpriv --reuid %d --regid %d --clear-groups ", nobody, nobody)
	}
	cmd := exec.Command("bash", "-c", script+`"$@"`, "bash", program, "-test.run=^TestPromisesHere$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + searchPath(t, dir, w.bwrap), "HOME=" + dir, "TMPDIR=" + dir, "PROMISES=1"}
	if !w.namespaces { // they are switched off in one
		ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: nobody, HostID: nobody, Size: 1}}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	told := map[string]cell{}
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "cell "); ok {
			name, value, _ := strings.Cut(strings.TrimSpace(rest), " = ")
			told[name] = cell(value)
		}
	}
	return told
}

// searchPath returns the search path, or one with all its programs but bwrap.
func searchPath(t *testing.T, dir string, bwrap bool) string {
	t.Helper()
	const usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	if bwrap {
		return usual
	}
	programs := filepath.Join(dir, "bin")
	require.NoError(t, os.Mkdir(programs, 0o755))
	for _, from := range filepath.SplitList(usual) {
		entries, _ := os.ReadDir(from)
		for _, entry := range entries {
			if entry.Name() != "bwrap" {
				_ = os.Symlink(filepath.Join(from, entry.Name()), filepath.Join(programs, entry.Name()))
			}
		}
	}
	return programs
}

// TestPromisesHere tells the cells of the world it runs in.
func TestPromisesHere(t *testing.T) {
	if os.Getenv("PROMISES") == "" {
		t.Skip("TestPromises runs it")
	}
	for _, r := range []Runner{Unconfined{}, Bubblewrap{}} {
		runner := strings.TrimPrefix(fmt.Sprintf("%T", r), "workspace.")
		for _, p := range promises {
			t.Run(runner, func(t *testing.T) {
				fmt.Printf("\ncell %s: %s = %s\n", runner, p.sentence, judge(t, r, p))
			})
		}
	}
}

// judge opens a workspace and sees whether a promise is kept.
func judge(t *testing.T, r Runner, p promise) cell {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	w, err := Open(Config{Dir: dir, Approver: AllowAll{}, Runner: r, Redact: []string{"sk-promised"}})
	if _, missing := errors.AsType[*IsolationError](err); missing {
		return refusedAt
	}
	require.NoError(t, err)
	defer w.Close()
	if _, confined := r.(Bubblewrap); p.isolated && !confined {
		return none
	}
	p.kept(t, w)
	if t.Failed() {
		return "broken"
	}
	return kept
}

// promiseTable renders the cells, worlds that are alike in one column.
func promiseTable(found map[world]map[string]cell) string {
	var b bytes.Buffer
	b.WriteString("| promise | `Unconfined` | `Bubblewrap`, bwrap present and user namespaces on | `Bubblewrap`, one of them missing |\n")
	b.WriteString("| --- | --- | --- | --- |\n")
	for _, p := range promises {
		var columns [3][]string
		for _, w := range worlds {
			columns[0] = append(columns[0], who(w)+string(found[w]["Unconfined: "+p.sentence]))
			n := 2
			if w.bwrap && w.namespaces {
				n = 1
			}
			columns[n] = append(columns[n], who(w)+string(found[w]["Bubblewrap: "+p.sentence]))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.sentence, alike(columns[0]), alike(columns[1]), alike(columns[2]))
	}
	return b.String()
}

func who(w world) string {
	if w.root {
		return "root: "
	}
	return "ordinary user: "
}

// alike joins cells that begin with whom they are about: "kept" if all say so,
// else "root: kept; ordinary user: broken".
func alike(cells []string) string {
	slices.Sort(cells)
	cells = slices.Compact(cells)
	_, value, _ := strings.Cut(cells[0], ": ")
	if !slices.ContainsFunc(cells, func(c string) bool { return !strings.HasSuffix(c, ": "+value) }) {
		return value
	}
	return strings.Join(cells, "; ")
}
