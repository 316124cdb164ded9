package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/actdone/actdone/tools/workspace"
)

// A workspace to read in needs no more than a directory.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "config.py"), []byte("DEBUG = False\n"), 0o644); err != nil {
		panic(err)
	}

	ws, err := workspace.Open(workspace.Config{Dir: dir})
	if err != nil {
		panic(err)
	}
	defer ws.Close()
	for _, tool := range ws.Tools() {
		output, err := tool.Call(context.Background(), map[string]string{"list": ".", "read_file": "config.py"}[tool.Name])
		fmt.Println(tool.Name, "|", output, "|", err)
	}

	// Output:
	// list | config.py (14 bytes) | <nil>
	// read_file | DEBUG = False | <nil>
}
