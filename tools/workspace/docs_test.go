package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// order is the struct of the page.
type order struct {
	Fruit string `json:"fruit"`
	Count int    `json:"count,omitempty" jsonschema:"crates, 1 unless given"`
}

// openAsDocumented is the first piece of code on the page.
func openAsDocumented(model llm.Asker, key string) error {
	ws, err := workspace.Open(workspace.Config{
		Dir:      "project",
		Approver: workspace.AllowAll{},   // who decides about each call
		Runner:   workspace.Bubblewrap{}, // how commands are isolated; nil: no bash
		Redact:   []string{key},          // never shown to the model
	})
	if err != nil {
		return err
	}
	defer ws.Close()
	agent := react.Loop{LLM: model, Tools: ws.Tools()}
	_, err = agent.Run(context.Background(), "look")
	return err
}

// stockAsDocumented is the second.
func stockAsDocumented(crates map[string]int) tools.Tool {
	stock := tools.Tool{
		Name:  "stock",
		Usage: "FRUIT: how many crates there are",
		Call: func(ctx context.Context, fruit string) (string, error) {
			n, ok := crates[fruit]
			if !ok {
				return "", fmt.Errorf("no fruit %q; there are apples and pears", fruit)
			}
			return fmt.Sprintf("%d crates", n), nil
		},
	}
	return stock
}

// buyAsDocumented is the third.
func buyAsDocumented() (tools.Tool, error) {
	buy, err := tools.Typed("buy", "order crates", func(ctx context.Context, o order) (string, error) {
		if o.Count == 0 {
			o.Count = 1
		}
		if o.Count < 1 {
			return "", fmt.Errorf("count is %d; order 1 or more", o.Count)
		}
		return fmt.Sprintf("ordered %d of %s", o.Count, o.Fruit), nil
	})
	return buy, err
}

// TestToolsPage holds docs/TOOLS.md to the code: the usage of every tool, the
// fields of its schema, the table of promises, the code, and what it says that
// inputs do.
func TestToolsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/TOOLS.md")
	require.NoError(t, err)
	text := string(page)
	ws, err := workspace.Open(workspace.Config{Dir: t.TempDir(), Approver: workspace.AllowAll{}, Runner: workspace.Unconfined{}})
	if err != nil {
		t.Skip(err)
	}
	defer ws.Close()
	for _, tool := range ws.Tools() {
		_, section, ok := strings.Cut(text, "\n### "+tool.Name+"\n")
		require.True(t, ok, "no section %s", tool.Name)
		section, _, _ = strings.Cut(section, "\n##")
		assert.Contains(t, section, "`"+tool.Usage+"`", tool.Name)
		_, fields, _ := strings.Cut(section, "JSON: ")
		for _, name := range schemaFields(t, tool) {
			assert.Contains(t, fields, "`"+name+"`", "%s: field %s", tool.Name, name)
		}
	}
	promises, err := os.ReadFile("testdata/promises.md")
	require.NoError(t, err)
	assert.Contains(t, text, strings.TrimSpace(string(promises)))

	own, err := os.ReadFile("docs_test.go")
	require.NoError(t, err)
	for i, block := range strings.Split(text, "```go\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		for line := range strings.Lines(block) {
			assert.Contains(t, squeeze(string(own)), squeeze(line), "block %d", i+1)
		}
	}
	buy, err := buyAsDocumented()
	require.NoError(t, err)
	for _, input := range []string{"apples 3", "count=3 apples", `{"fruit": "apples", "count": 3}`} {
		output, err := buy.Call(t.Context(), input)
		require.NoError(t, err)
		assert.Equal(t, "ordered 3 of apples", output, input)
	}
	_, err = buy.Call(t.Context(), "apples -1")
	assert.EqualError(t, err, "count is -1; order 1 or more")
	_, err = stockAsDocumented(map[string]int{"apples": 1}).Call(t.Context(), "kiwi")
	assert.EqualError(t, err, `no fruit "kiwi"; there are apples and pears`)
	assert.Error(t, openAsDocumented(llm.Fixed("DONE: x"), "1234")) // there is no such directory
}

// squeeze makes blanks of a text alike.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// schemaFields returns the names of the fields a tool takes.
func schemaFields(t *testing.T, tool tools.Tool) []string {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(tool.Schema, &schema), tool.Name)
	require.NotEmpty(t, schema.Properties, tool.Name)
	return slices.Sorted(maps.Keys(schema.Properties))
}
