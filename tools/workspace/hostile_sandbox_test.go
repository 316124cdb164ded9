//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needsBubblewrap skips a test where bubblewrap cannot isolate, with its reason.
func needsBubblewrap(t testing.TB) {
	t.Helper()
	w, err := Open(Config{Dir: t.TempDir(), Approver: AllowAll{}, Runner: Bubblewrap{}})
	if err != nil {
		t.Skip(err)
	}
	w.Close()
}

// hostileSandbox are the inputs that only a sandbox withstands. What Unconfined
// does with them, where that can be shown, is in the same tests.
var hostileSandbox = []hostile{
	{"36-environment-of-agent", func(t *testing.T) {
		outside := decoy(t)
		look := "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep hunter2"
		want(t, openTemp(t), "bash", look, "exit: 1\n(no output)")
		want(t, openTemp(t, withRunnerOf(Unconfined{})), "bash",
			fmt.Sprintf("tr '\\0' '\\n' </proc/%d/environ | grep hunter2", outside), "DECOY=hunter2")
	}},
	{"37-kill-agent", parallel(func(t *testing.T, w *Workspace) {
		outside := decoy(t)
		out, err := call(t, w, "bash", fmt.Sprintf("kill -KILL %d; kill -KILL %d; kill -KILL -1", os.Getpid(), outside))
		require.NoError(t, err)
		assert.Equal(t, "exit: 137", strings.Split(out, "\n")[0], "the command killed what started it in its sandbox")
		assert.True(t, living(outside))
		assertNoneLeft(t, w)
	})},
	{"38-network", parallel(testNoNetwork)},
	{"39-outside", testOutside},
	{"89-sockets-and-calls", parallel(testSandboxCalls)},
	{"89-dev-shm", parallel(func(t *testing.T, w *Workspace) {
		name := "workspace-test-" + strconv.Itoa(os.Getpid())
		want(t, w, "bash", "ls -A /dev/shm; echo x >/dev/shm/"+name+"; cat /dev/shm/"+name, "x")
		assert.NoFileExists(t, "/dev/shm/"+name)
		want(t, w, "bash", "ls -A /dev/shm", "(no output)")
	})},
	{"89-git", testGitKept},
	{"97-memory-files", parallel(func(t *testing.T, w *Workspace) {
		out, err := call(t, w, "bash", "head -c 1100000000 /dev/zero >/tmp/full")
		require.NoError(t, err)
		assert.Regexp(t, "^exit: (1|153)\n", out, "private directories are bounded")
	})},
}

func withRunnerOf(r Runner) func(*Config) { return func(c *Config) { c.Runner = r } }

// decoy starts a process of this user with a secret in its environment, which
// stands for the agent.
func decoy(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("sleep", "999")
	cmd.Env = []string{"DECOY=hunter2"}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

// living reports whether a process runs; a zombie does not.
func living(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func testNoNetwork(t *testing.T, w *Workspace) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer udp.Close()
	_, tcpPort, _ := net.SplitHostPort(tcp.Addr().String())
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	connect := "exec 7<>/dev/tcp/127.0.0.1/" + tcpPort + " && echo connected"
	send := "; echo secret >/dev/udp/127.0.0.1/" + udpPort + "; true"

	out, err := call(t, w, "bash", connect+send)
	require.NoError(t, err)
	assert.NotContains(t, out, "connected")
	assert.Contains(t, out, "Connection refused")
	require.NoError(t, udp.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, _, err = udp.ReadFrom(make([]byte, 10))
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	out, err = call(t, w, "bash", "getent hosts example.com; cat /proc/net/route /proc/net/dev | grep -v lo: | wc -l")
	require.NoError(t, err)
	assert.Equal(t, "3", strings.TrimSpace(out), "there are headings and no device but lo")

	open := openTemp(t, withRunnerOf(Bubblewrap{Network: true}))
	want(t, open, "bash", connect, "connected")
}

// testOutside compares the surroundings of a workspace before and after.
func testOutside(t *testing.T) {
	t.Parallel()
	home, shown := t.TempDir(), t.TempDir()
	key := filepath.Join(home, ".ssh", "id_rsa")
	require.NoError(t, os.Mkdir(filepath.Dir(key), 0o700))
	require.NoError(t, os.WriteFile(key, []byte("secret key"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(shown, "a"), []byte("shown"), 0o644))
	w := openTemp(t, withRunnerOf(Bubblewrap{ReadDirs: []string{shown}}), func(c *Config) { c.Env = []string{"HOME=" + home} })
	want(t, w, "bash", "cat ~/.ssh/id_rsa "+key+"; echo x >~/new && cat ~/new; echo $HOME $TMPDIR; echo x >/tmp/new; ls -A /run; cat "+shown+"/a",
		"cat: "+key+": No such file or directory\ncat: "+key+": No such file or directory\nx\n"+home+" /tmp\nshown")
	want(t, w, "bash", "cat "+key+" 2>/dev/null", "exit: 1\n(no output)")
	out, err := call(t, w, "bash", "ls /")
	require.NoError(t, err)
	assert.Subset(t, strings.Fields("bin dev etc lib lib32 lib64 libx32 nix proc run sbin tmp usr var"),
		strings.Fields(strings.Replace(out, firstName(home), "tmp", 1)))
	want(t, w, "bash", "for path in /x /usr/x /etc/x /dev/x /etc/passwd /usr/bin/env "+shown+"/a "+shown+"/b "+
		"/proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/self/oom_score_adj; do "+
		"(exec 7>>$path) 2>/dev/null && echo writable $path; done; true", "(no output)")
	want(t, w, "bash", "for path in /etc/shadow /etc/ssl/private /var/log /sys/kernel /root/.bashrc /run/docker.sock /tmp/new /proc/"+
		strconv.Itoa(os.Getpid())+"; do [ ! -e $path ] || echo seen $path; done", "(no output)")
	assertListed(t, home, ".ssh")
	assertListed(t, shown, "a")
	assert.NoFileExists(t, "/tmp/new")
}

// firstName returns the name at the top of a path.
func firstName(path string) string { return strings.Split(path, "/")[1] }

func assertListed(t *testing.T, dir string, names ...string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	got := make([]string, len(found))
	for i, entry := range found {
		got[i] = entry.Name()
	}
	assert.Equal(t, names, got)
}

// testSandboxCalls runs this test binary inside, where it tries what a shell
// cannot.
func testSandboxCalls(t *testing.T, w *Workspace) {
	dir := t.TempDir()
	path, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	defer path.Close()
	name := fmt.Sprintf("@workspace-test-%d", os.Getpid())
	abstract, err := net.Listen("unix", name)
	require.NoError(t, err)
	defer abstract.Close()

	program, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "inside"), program, 0o755))
	run := fmt.Sprintf("INSIDE='%s %s' ./inside -test.run '^TestInside$' -test.v | grep '^call '", path.Addr(), name)
	want(t, w, "bash", run, strings.Join([]string{
		"call path-socket: no such file or directory",
		"call abstract-socket: connection refused",
		"call vsock: address family not supported by protocol",
		"call io_uring: function not implemented",
		"call keyctl: function not implemented",
		"call ptrace: no such process",
		"call mount: operation not permitted",
		"call namespace: no space left on device",
		"call reboot: operation not permitted",
	}, "\n"))
}

// TestInside is not a test but what testSandboxCalls runs.
func TestInside(t *testing.T) {
	path, abstract, ok := strings.Cut(os.Getenv("INSIDE"), " ")
	if !ok {
		t.Skip("runs inside a sandbox")
	}
	if runtime.GOOS != "linux" {
		t.Skip("there is no sandbox here")
	}
	tell := func(name string, err error) {
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			err = errno
		}
		fmt.Printf("call %s: %v\n", name, err)
	}
	_, err := net.Dial("unix", path)
	tell("path-socket", err)
	_, err = net.Dial("unix", abstract)
	tell("abstract-socket", err)
	for _, c := range insideCalls {
		tell(c.name, c.call())
	}
}

type insideCall struct {
	name string
	call func() error
}
