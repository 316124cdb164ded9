package e2e

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveCommand starts "actdone script serve". End interrupts it and returns how it
// ended and what it told.
func serveCommand(t *testing.T, script string) (base string, end func() (stderr string, err error)) {
	t.Helper()
	cmd := exec.Command(command(t), "script", "serve", script)
	var told bytes.Buffer
	cmd.Stderr = &told
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err, &told)
	return strings.TrimSuffix(line, "\n"), func() (string, error) {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		err := cmd.Wait()
		return told.String(), err
	}
}

// TestOpenAIPackageCommand lets the same client ask the command.
func TestOpenAIPackageCommand(t *testing.T) {
	needsPackage(t)
	for _, test := range []struct {
		name string
		asks int
		told string
		ok   bool
	}{
		{"all", 3, "", true},
		{"not-all", 2, "not used", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, end := serveCommand(t, filepath.Join("..", "testdata", "clients", "calls.txtar"))
			told := converse(t, []conversation{{Base: base, Stream: true, Asks: test.asks}})
			assert.Equal(t, test.asks, len(told[0]))
			stderr, err := end()
			assert.Equal(t, test.ok, err == nil, stderr)
			assert.Equal(t, test.asks, strings.Count(stderr, " POST /v1/chat/completions 200 lane main ask "))
			assert.Contains(t, stderr, test.told)
		})
	}
}
