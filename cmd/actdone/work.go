package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/tools/workspace"
)

// A work says on which folder the tools work and what they may do there.
type work struct {
	dir   string
	allow []string
}

// flags adds the flags that fill w.
func (w *work) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&w.dir, "dir", "C", ".", "the `folder` the tools work in")
	cmd.Flags().StringSliceVar(&w.allow, "allow", []string{"read"}, "what the tools may do, a `list`: read (always), exec (run commands with bash)")
}

// exec reports whether commands may be run.
func (w *work) exec() (bool, error) {
	exec := false
	for _, kind := range w.allow {
		switch kind {
		case "read":
		case "exec":
			exec = true
		default:
			return false, fmt.Errorf("--allow %q: this version knows read and exec", kind)
		}
	}
	return exec, nil
}

// open opens the folder. The caller closes it.
func (w *work) open() (*workspace.Workspace, error) {
	exec, err := w.exec()
	if err != nil {
		return nil, err
	}
	return openFolder(w.dir, exec)
}

// openFolder opens a folder to read in, and to run commands in if exec is set.
func openFolder(dir string, exec bool) (*workspace.Workspace, error) {
	config := workspace.Config{Dir: dir}
	if exec {
		config.Approver, config.Runner = workspace.AllowAll{}, workspace.Unconfined{}
	}
	return workspace.Open(config)
}

// maxInput is how much is read of a file or of standard input.
const maxInput = 16 << 20

// readInput reads a file, or standard input if its name is "-".
func readInput(name string, stdin io.Reader) ([]byte, error) {
	from := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s: more than %d MiB, too much for a reply or script", inputName(name), maxInput>>20)
	}
	return data, nil
}

// inputName returns how messages call an input.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}
