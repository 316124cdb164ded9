package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/internal/clienttest"
)

// openaiPackage is OpenAI's own client for JavaScript.
var openaiPackage = filepath.Join("node_modules", "openai")

// A conversation is what client.mjs is to do.
type conversation struct {
	Base    string `json:"base"`
	Stream  bool   `json:"stream"`
	Retries int    `json:"retries"`
	Asks    int    `json:"asks"`
}

// TestOpenAIPackage serves scripts to OpenAI's client for JavaScript, with whole
// replies and with streams. It gets the replies, calls and errors that the script
// holds, and asks for all of them.
func TestOpenAIPackage(t *testing.T) {
	needsPackage(t)
	var todo []conversation
	var checks []func() error
	for _, c := range clienttest.Cases {
		for _, stream := range []bool{false, true} {
			base, check := c.Serve(t)
			todo = append(todo, conversation{base, stream, c.Retries, len(c.Turns(stream))})
			checks = append(checks, check)
		}
	}
	told := converse(t, todo)
	for i, c := range clienttest.Cases {
		for j, name := range []string{"plain", "stream"} {
			t.Run(c.Name+"-"+name, func(t *testing.T) {
				want := c.Turns(j == 1)
				if c.Name == "raw" {
					want = c.Stream // a page is taken for a reply with nothing in it
				}
				clienttest.Equal(t, want, told[2*i+j])
				assert.NoError(t, checks[2*i+j]())
			})
		}
	}
}

// needsPackage skips the test where the client is missing.
func needsPackage(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no Node.js here: ", err)
	}
	if _, err := os.Stat(openaiPackage); err != nil {
		t.Skip(`OpenAI's client is not installed; "npm ci" in the folder e2e installs it: `, err)
	}
}

// converse lets the client do it.
func converse(t *testing.T, todo []conversation) [][]clienttest.Turn {
	t.Helper()
	in, err := json.Marshal(todo)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "node", "client.mjs")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	require.NoError(t, err, &stderr)
	var told [][]clienttest.Turn
	require.NoError(t, json.Unmarshal(out, &told))
	require.Len(t, told, len(todo))
	return told
}
