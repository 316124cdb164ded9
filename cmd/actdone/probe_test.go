package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listing starts a server that answers as told when asked for its models.
func listing(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/models", r.URL.Path)
		assert.Empty(t, r.Header.Get("Authorization"))
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestProbe(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", key)
	hang := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer slow.Close()
	defer close(hang)
	good := listing(t, 200, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"bad\nname"},{"id":""}]}`)
	empty := listing(t, 200, `{"object":"list","data":null}`)
	started := time.Now()
	found := probe(t.Context(), []string{
		"http://127.0.0.1:9/v1", slow.URL + "/v1", good,
		listing(t, 200, "<html>"), listing(t, 200, `{"hello":1}`), listing(t, 401, `{"data":[]}`), listing(t, 200, `{"data":{"a":1}}`),
		empty,
	})
	assert.Less(t, time.Since(started), 5*probeTime)
	assert.Equal(t, []localServer{{good, []string{"qwen3:8b"}}, {empty, nil}}, found)
}

func TestPick(t *testing.T) {
	for _, test := range []struct {
		name   string
		models []string
		model  string
		others []string
	}{
		{"none", nil, "", nil},
		{"one", []string{"a"}, "a", nil},
		{"embeddings", []string{"nomic-embed-text", "bge-reranker", "a"}, "a", nil},
		{"many", []string{"a", "b", "c", "d", "e"}, "a", []string{"b", "c", "d"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			model, others := localServer{models: test.models}.pick()
			assert.Equal(t, test.model, model)
			assert.Equal(t, test.others, others)
		})
	}
}

// noModel runs "actdone run" with args where addresses are looked at.
func noModel(t *testing.T, addresses []string, args ...string) string {
	t.Helper()
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"} {
		t.Setenv(name, "")
	}
	c := runCommand{local: addresses, maxSteps: 1}
	cmd := &cobra.Command{Use: "actdone"}
	c.work.flags(cmd)
	c.choice.flags(cmd)
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "")
	require.NoError(t, cmd.ParseFlags(args))
	cmd.SetContext(t.Context())
	err := c.runModel(cmd, cmd.Flags().Args())
	require.IsType(t, &noModelError{}, err)
	return err.Error()
}

// TestNoModelFound: a server that was found is offered, with a command that can
// be typed.
func TestNoModelFound(t *testing.T) {
	good := listing(t, 200, `{"data":[{"id":"qwen3:8b"},{"id":"a$(b)"}]}`)
	empty := listing(t, 200, `{"data":[]}`)
	text := noModel(t, []string{good, empty}, "--json", "--allow", "read,exec", "-C", "my dir", "100% sure?")
	assert.Contains(t, text, "no model    actdone demo")
	assert.Contains(t, text, "\nfound       a server at "+good+" with the model qwen3:8b (also a$(b)); to ask it:\n"+
		"            actdone --base-url "+good+" --model qwen3:8b --allow read,exec --dir 'my dir' --json=true '100% sure?'\n")
	assert.Contains(t, text, "\nfound       a server at "+empty+", but it lists no model")

	text = noModel(t, nil)
	assert.NotContains(t, text, "found")

	text = noModel(t, nil, "--base-url", good, "why?")
	assert.Contains(t, text, "            actdone --base-url "+good+" --model qwen3:8b 'why?'")
}

func TestAgainQuotes(t *testing.T) {
	hostile := listing(t, 200, `{"data":[{"id":"x; rm -rf ~"}]}`)
	assert.Contains(t, noModel(t, []string{hostile}, "it's"), ` --model 'x; rm -rf ~' 'it'\''s'`)
}

// TestAgainRepeated: a flag that may be repeated is, and keeps its commas.
func TestAgainRepeated(t *testing.T) {
	server := listing(t, 200, `{"data":[{"id":"m"}]}`)
	assert.Contains(t, noModel(t, []string{server}, "--env", "A=1,2", "--env", "B", "why"), ` --model m --env A=1,2 --env B why`)
}
