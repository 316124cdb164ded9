package examples_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

// blocks returns the blocks of code in docs/TESTING.md, by language.
func blocks(t *testing.T) map[string][]string {
	text, err := os.ReadFile(filepath.Join("..", "docs", "TESTING.md"))
	require.NoError(t, err)
	found := map[string][]string{}
	for _, block := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		found[block[1]] = append(found[block[1]], block[2])
	}
	return found
}

// TestTestingGo holds that the Go code of docs/TESTING.md stands in the example.
func TestTestingGo(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("scripted", "*.go"))
	require.NoError(t, err)
	var source strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		source.Write(text)
	}
	list := blocks(t)["go"]
	assert.Greater(t, len(list), 9)
	for _, block := range list {
		for part := range strings.SplitSeq(block, "\n\nfunc ") {
			assert.Contains(t, source.String(), part)
		}
	}
	for _, block := range blocks(t)["text"] {
		for line := range strings.Lines(block) {
			assert.Contains(t, source.String(), "\t// "+line)
		}
	}
}

// TestTestingScripts reads the scripts of docs/TESTING.md. Those that the example
// has are the same there.
func TestTestingScripts(t *testing.T) {
	list := blocks(t)["txtar"]
	require.Len(t, list, 5)
	for _, block := range list {
		_, err := script.Parse("TESTING.md", []byte(block))
		assert.NoError(t, err)
	}
	for i, name := range map[int]string{0: "missing.txtar", 2: "more/two.txtar"} {
		text, err := os.ReadFile(filepath.Join("scripted", "testdata", name))
		require.NoError(t, err)
		assert.Equal(t, string(text), list[i], name)
	}
}

// TestTestingForeign runs the programs of docs/TESTING.md in other languages.
func TestTestingForeign(t *testing.T) {
	all := blocks(t)
	greeting := all["txtar"][len(all["txtar"])-1]
	for _, c := range []struct{ language, command, file string }{
		{"python", "python3", "agent.py"},
		{"js", "node", "agent.mjs"},
	} {
		t.Run(c.language, func(t *testing.T) {
			command, err := exec.LookPath(c.command)
			if err != nil {
				t.Skip(err)
			}
			require.Len(t, all[c.language], 1)
			path := filepath.Join(t.TempDir(), c.file)
			require.NoError(t, os.WriteFile(path, []byte(all[c.language][0]), 0o666))
			s, err := script.Parse("greeting.txtar", []byte(greeting))
			require.NoError(t, err)
			player := &script.Player{Script: s}
			handler, err := script.NewServer(player)
			require.NoError(t, err)
			server := httptest.NewServer(handler)
			defer server.Close()
			agent := exec.Command(command, path)
			agent.Env = append(os.Environ(), "OPENAI_BASE_URL="+server.URL+"/v1", "no_proxy=127.0.0.1")
			out, err := agent.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, "Hello.\n", strings.ReplaceAll(string(out), "\r", ""))
			assert.NoError(t, player.Check())
		})
	}
}

// TestTestingLinks holds that what docs/TESTING.md links to and names is there.
func TestTestingLinks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "TESTING.md"))
	require.NoError(t, err)
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
		_, err := os.Stat(filepath.Join("..", "docs", link[1]))
		assert.NoError(t, err)
	}
	tests := declared(t)
	for _, command := range regexp.MustCompile(`(?:-run|-fuzz) '?([\w|$]+)`).FindAllStringSubmatch(string(text), -1) {
		for name := range strings.SplitSeq(command[1], "|") {
			assert.Regexp(t, `(?m)^func `+strings.TrimSuffix(name, "$")+`\w*\(`, tests)
		}
	}
}

// declared returns the source of the tests that docs/TESTING.md may name.
func declared(t *testing.T) string {
	var source strings.Builder
	for _, pattern := range []string{"llm/llmtest", "llm/script", "e2e", ".ci", "examples/scripted"} {
		paths, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern), "*_test.go"))
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			source.Write(text)
		}
	}
	return source.String()
}
