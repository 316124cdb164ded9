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
	inputs := map[string]string{"list": ".", "glob": "**/*.py", "grep": "DEBUG", "read_file": "config.py"}
	for _, tool := range ws.Tools() {
		output, err := tool.Call(context.Background(), inputs[tool.Name])
		fmt.Println(tool.Name, "|", output, "|", err)
	}

	// Output:
	// list | config.py (14 bytes) | <nil>
	// glob | config.py | <nil>
	// grep | config.py:1:DEBUG = False | <nil>
	// read_file | DEBUG = False | <nil>
}

// Files are written if somebody approves. The text stands under the path, as the
// loop passes it on from a fence.
func ExampleWorkspace_Tools() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	show := func(_ context.Context, r workspace.Request) (workspace.Decision, string, error) {
		fmt.Print(r.Display)
		return workspace.Allow, "", nil
	}
	ws, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.ApproverFunc(show)})
	if err != nil {
		panic(err)
	}
	defer ws.Close()

	call := map[string]func(context.Context, string) (string, error){}
	for _, tool := range ws.Tools() {
		call[tool.Name] = tool.Call
	}
	fmt.Println(call["write_file"](context.Background(), "hello.py\nprint(\"Hello\")"))
	fmt.Println(call["edit_file"](context.Background(), "hello.py\n"+
		"<<<<<<< SEARCH\nprint(\"Hello\")\n=======\nprint(\"Hello, World!\")\n>>>>>>> REPLACE"))

	// Output:
	// write_file hello.py (new file)
	// --- hello.py
	// +++ hello.py
	// @@ -0,0 +1,1 @@
	// +print("Hello")
	// wrote hello.py (created, 1 line, 15 bytes) <nil>
	// edit_file hello.py
	// --- hello.py
	// +++ hello.py
	// @@ -1,1 +1,1 @@
	// -print("Hello")
	// +print("Hello, World!")
	// edited hello.py (1 block, line 1)
	// 1|print("Hello, World!") <nil>
}
