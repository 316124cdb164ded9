package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// aimock is the program of the server.
var aimock = filepath.Join("node_modules", "@copilotkit", "aimock", "dist", "cli.js")

// oldest is the first Node.js that runs it.
const oldest = 20

// patience is how long anything here may take.
const patience = 20 * time.Second

// A server is an aimock at work, on loopback.
type server struct {
	url    string // without "/v1"
	cmd    *exec.Cmd
	output bytes.Buffer
	ended  chan struct{}
}

// common is the server that most tests share. They are told apart by the header
// X-Test-Id.
var common struct {
	once sync.Once
	*server
	err error
}

// atEnd is what is to be done when all tests have run.
var atEnd []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range atEnd {
		f()
	}
	if common.server != nil {
		common.stop()
	}
	http.DefaultClient.CloseIdleConnections()
	if left := leaks(); left != "" && code == 0 {
		fmt.Fprintf(os.Stderr, "goroutines left over:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leaks returns the stacks of goroutines of ours or of connections that do not
// end.
func leaks() string {
	var left []string
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = nil
		for i, stack := range strings.Split(string(stacks), "\n\n") {
			if i > 0 && (strings.Contains(stack, "actdone/actdone/") || strings.Contains(stack, "net/http.")) {
				left = append(left, stack)
			}
		}
		if left == nil {
			break
		}
	}
	return strings.Join(left, "\n\n")
}

// shared returns the common server.
func shared(t *testing.T) *server {
	t.Helper()
	needs(t)
	common.once.Do(func() { common.server, common.err = begin() })
	require.NoError(t, common.err)
	return common.server
}

// start starts a server of the test's own.
func start(t *testing.T, flags ...string) *server {
	t.Helper()
	needs(t)
	s, err := begin(flags...)
	require.NoError(t, err)
	t.Cleanup(s.stop)
	return s
}

// needs skips the test where the server cannot run.
func needs(t *testing.T) {
	t.Helper()
	version, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Skip("no Node.js here to run aimock: ", err)
	}
	var major int
	if fmt.Sscanf(string(version), "v%d.", &major); major < oldest {
		t.Skipf("aimock wants Node.js %d, here is %s", oldest, version)
	}
	if _, err := os.Stat(aimock); err != nil {
		t.Skip(`aimock is not installed; "npm ci" in the folder e2e installs it: `, err)
	}
}

// begin starts a server and waits until it takes connections. The port may be
// taken by another program meanwhile, so it tries again.
func begin(flags ...string) (*server, error) {
	var err error
	for range 3 {
		var s *server
		if s, err = tryBegin(flags); err == nil {
			return s, nil
		}
	}
	return nil, err
}

func tryBegin(flags []string) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	args := append([]string{aimock, "-p", port, "-f", "fixtures", "--log-level", "warn", "--validate-on-load"}, flags...)
	s := &server{url: "http://" + address, cmd: exec.Command("node", args...), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.cmd.Wait()
		close(s.ended)
	}()
	if err := s.connect(address); err != nil {
		s.stop()
		return nil, fmt.Errorf("aimock: %w\n%s", err, &s.output)
	}
	return s, nil
}

// connect waits until the server takes connections.
func (s *server) connect(address string) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-s.ended:
			return fmt.Errorf("ended at once: %v", s.cmd.ProcessState)
		case <-late:
			return err
		}
	}
}

// stop ends the process.
func (s *server) stop() {
	s.cmd.Process.Kill() // fails only if it has ended
	<-s.ended
}

// chaos sets how the server misbehaves towards the test with an id.
func (s *server) chaos(t *testing.T, id string, config map[string]any) {
	t.Helper()
	body, err := json.Marshal(config)
	require.NoError(t, err)
	req, err := http.NewRequest(http.MethodPost, s.url+"/__aimock/chaos", bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("X-Test-Id", id)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

// A request is one as the server has noted it.
type request struct {
	Body struct {
		Model    string
		Stream   bool
		Grammar  string
		Messages []struct{ Role, Content string }
	}
	Response struct{ Status int }
}

// text returns the contents of the messages, joined.
func (r request) text() string {
	var b strings.Builder
	for _, m := range r.Body.Messages {
		b.WriteString(m.Content)
	}
	return b.String()
}

// roles returns who speaks.
func (r request) roles() []string {
	var roles []string
	for _, m := range r.Body.Messages {
		roles = append(roles, m.Role)
	}
	return roles
}

// journal returns the requests of the test with an id, in order.
func (s *server) journal(t *testing.T, id string) []request {
	t.Helper()
	resp, err := http.Get(s.url + "/__aimock/journal?path=/v1/chat/completions&testId=" + url.QueryEscape(id))
	require.NoError(t, err)
	defer resp.Body.Close()
	var requests []request
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&requests))
	return requests
}
