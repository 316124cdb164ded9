package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFrontPages: the README and the changelog name all that there is.
func TestFrontPages(t *testing.T) {
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		require.NoError(t, err)
		text := string(data)
		for _, cmd := range newRoot().Commands() {
			assert.Contains(t, text, "`"+cmd.Name()+"`", name)
		}
		for _, tool := range builtin {
			assert.Contains(t, text, tool.Name, name)
		}
		assert.Contains(t, text, "react.Native", name)
		assert.NotContains(t, text, "no sandbox", name)
		assert.NotContains(t, text, "Not there yet", name)
		if name == "README.md" {
			assert.Regexp(t, `(?s)go mod init .*go mod edit .*go mod tidy `, text)
			assert.Contains(t, text, "-short")
		}
	}
}
