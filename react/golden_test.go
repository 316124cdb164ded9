package react_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(want) != got {
		t.Errorf("%s\nif the change is meant: go test ./react -update", diff.Diff(path, want, "now", []byte(got)))
	}
}

// TestInstructionsGolden holds the wording that every prompt begins with. A
// change of it needs a new RulesVersion.
func TestInstructionsGolden(t *testing.T) {
	list := []tools.Tool{
		{Name: "bash", Usage: "COMMAND: runs it", Lines: tools.Block},
		{Name: "write_file", Usage: "PATH: writes a file", Lines: tools.Body},
		{Name: "list", Usage: "[PATH]: lists a folder"},
	}
	golden(t, "instructions-v"+react.RulesVersion+".txt", react.ActDone{}.Instructions(list, "", "")+"\n")
}

// TestInstructionsParse holds that the example shows what the rules demand: its
// replies parse, and its tools are none of ours.
func TestInstructionsParse(t *testing.T) {
	example := strings.TrimSuffix(strings.TrimPrefix(react.Example, "Example:\n\n"), "\n\nEnd of the example.")
	_, blocks, err := readPrompt("i\n\nTASK: t\n\n" + example)
	require.NoError(t, err)
	var kinds []string
	for _, b := range blocks {
		kinds = append(kinds, b.Kind)
	}
	require.Equal(t, []string{"task", "act", "observation", "act", "observation", "done"}, kinds)
	for _, reply := range strings.Split(example, "\n\n") {
		m, err := react.Parse(reply, []tools.Tool{{Name: "note", Lines: tools.Body}, {Name: "stock"}})
		require.NoError(t, err)
		require.NotContains(t, []string{"bash", "read_file", "write_file", "list"}, m.Tool)
	}
	require.NotContains(t, react.Rules+react.Example, "\nTASK:")
}

// TestAPIGolden holds the exported API, so that a change of it is seen in
// review.
func TestAPIGolden(t *testing.T) {
	for _, name := range []string{"llm", "llm/llmtest", "react", "tools"} {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			doc := exec.Command("go", "doc", "-all", "./"+name)
			doc.Dir = ".."
			out, err := doc.CombinedOutput()
			require.NoError(t, err, "%s", out)
			golden(t, "api-"+strings.ReplaceAll(name, "/", "-")+".txt", string(out))
		})
	}
}

const (
	module     = "github.com/actdone/actdone/"
	jsonschema = "github.com/google/jsonschema-go/jsonschema" // and no more: it has no requirements
	doublestar = "github.com/bmatcuk/doublestar/v4"
	textDiff   = "github.com/rogpeppe/go-internal/diff" // likewise
)

// TestImports holds that imports point down: what each package may import beside
// the standard library.
func TestImports(t *testing.T) {
	allowed := map[string][]string{
		"llm":             {},
		"llm/script":      {module + "llm", textDiff},
		"llm/llmtest":     {module + "react", module + "llm", module + "llm/script", textDiff, module + "tools", module + "react/internal/lex", jsonschema, module + "internal/levenshtein"},
		"tools":           {jsonschema},
		"react":           {module + "llm", module + "tools", module + "react/internal/lex", jsonschema, module + "internal/levenshtein"},
		"tools/workspace": {jsonschema, doublestar, textDiff, module + "tools", module + "internal/levenshtein"},
	}
	for name, may := range allowed {
		list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+name)
		list.Dir = ".."
		out, err := list.CombinedOutput()
		require.NoError(t, err, "%s", out)
		for _, path := range strings.Fields(string(out)) {
			if path != module+name {
				require.Contains(t, may, path, "%s imports it", name)
			}
		}
	}
}

// TestForeignImports holds which package may import which module of others,
// tests left out.
func TestForeignImports(t *testing.T) {
	allowed := map[string][]string{
		module + "llm/script":      {textDiff},
		module + "llm/openai":      {"github.com/sashabaranov/go-openai", "github.com/tmaxmax/go-sse"},
		module + "tools":           {jsonschema},
		module + "tools/workspace": {doublestar, textDiff},
		module + "cmd/actdone":     {"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term", "golang.org/x/sys/unix", textDiff},
		// for tests
		module + "internal/growthtest": {"golang.org/x/sys/unix"},
		module + "internal/clienttest": {"github.com/stretchr/testify/assert", "github.com/stretchr/testify/require"},
	}
	list := exec.Command("go", "list", "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}`, "./...")
	list.Dir = ".."
	out, err := list.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for line := range strings.Lines(string(out)) {
		pair := strings.Fields(line)
		if len(pair) != 2 || !strings.Contains(pair[1], ".") || strings.HasPrefix(pair[1], module) {
			continue // of the standard library, or our own
		}
		require.Contains(t, allowed[pair[0]], pair[1], "%s imports it", pair[0])
	}
}
