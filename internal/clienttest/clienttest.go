// Package clienttest has scripts for clients of the OpenAI API that are not ours,
// and what these must make of them when they are served. The scripts are those of
// the folder testdata/clients.
package clienttest

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

// A Case is a script and what comes of it. A client asks as often as there are
// turns, with the model "small" and the tool "bash": first "go on", then after an
// error or an empty reply the same again; after a reply "go on" behind it; after
// calls their results, which are "result of ID".
type Case struct {
	Name    string
	Retries int // how often the client is to try again by itself
	Plain   []Turn
	Stream  []Turn
}

// A Turn is what came of one ask. The zero value is a reply with nothing in it.
type Turn struct {
	Text   string   `json:"text"` // of a stream that broke: what had arrived
	Calls  []Call   `json:"calls"`
	Finish string   `json:"finish"`
	Usage  [3]int   `json:"usage"` // prompt, reply, cached
	Error  *Problem `json:"error"`
}

// A Call is a tool that was called.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A Problem is an error, as far as all clients tell it.
type Problem struct {
	Broken     bool   `json:"broken"` // any that is no answer with a status
	Status     int    `json:"status"`
	Message    string `json:"message"`
	Code       string `json:"code"`
	RetryAfter string `json:"retryAfter"`
}

// Turns returns what is wanted.
func (c Case) Turns(stream bool) []Turn {
	if stream {
		return c.Stream
	}
	return c.Plain
}

// Serve serves the script until the test ends, and returns the base URL. Check
// returns what the script says at the end.
func (c Case) Serve(t *testing.T) (base string, check func() error) {
	t.Helper()
	name := filepath.Join("..", "testdata", "clients", c.Name+".txtar")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	s, err := script.Parse(name, data)
	require.NoError(t, err)
	player := &script.Player{Script: s}
	handler, err := script.NewServer(player)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/v1", player.Check
}

// Equal compares what a client told with what is wanted.
func Equal(t *testing.T, want, got []Turn) {
	t.Helper()
	for i := range got {
		if len(got[i].Calls) == 0 {
			got[i].Calls = nil
		}
	}
	assert.Equal(t, want, got)
}
