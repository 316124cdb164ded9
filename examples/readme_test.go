// Package examples_test holds the README to the examples it shows.
package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestReadme compares the Go code in the README with the files it was copied
// from.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	assert.Less(t, strings.Count(string(readme), "\n"), 150)
	blocks := goBlock.FindAllStringSubmatch(string(readme), -1)
	require.Len(t, blocks, 2)
	program, err := os.ReadFile(filepath.Join("hello", "main.go"))
	require.NoError(t, err)
	_, code, _ := strings.Cut(string(program), "\npackage main\n")
	assert.Equal(t, "package main\n"+code, blocks[0][1], "examples/hello/main.go")
	test, err := os.ReadFile(filepath.Join("hello", "main_test.go"))
	require.NoError(t, err)
	assert.Contains(t, string(test), blocks[1][1], "examples/hello/main_test.go") // which has an Example, too
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(readme), -1) {
		_, err := os.Stat(filepath.Join("..", link[1]))
		assert.NoError(t, err)
	}
}
