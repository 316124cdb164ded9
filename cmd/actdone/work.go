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
	dir       string
	allow     []string
	isolation string
}

// flags adds the flags that fill w.
func (w *work) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&w.dir, "dir", "C", ".", "the `folder` the tools work in")
	cmd.Flags().StringSliceVar(&w.allow, "allow", []string{"read"},
		"what the tools may do without a question, a `list`: read (always), write (change files), exec (run commands)")
	cmd.Flags().StringVar(&w.isolation, "isolation", runners[0].name,
		"what keeps commands from the rest of this machine, a `name`: bubblewrap, or unconfined for nothing")
}

// allowed returns what may be done without a question.
func (w *work) allowed() (map[workspace.Kind]bool, error) {
	allowed := map[workspace.Kind]bool{workspace.Read: true}
	for _, word := range w.allow {
		switch kind := workspace.Kind(word); kind {
		case workspace.Read, workspace.Write, workspace.Exec:
			allowed[kind] = true
		default:
			return nil, fmt.Errorf("--allow %q: want read, write or exec", word)
		}
	}
	return allowed, nil
}

// open opens the folder. For what is not allowed u is asked, unless it is
// nil. The caller closes the folder.
func (w *work) open(u *user) (*workspace.Workspace, error) {
	allowed, err := w.allowed()
	if err != nil {
		return nil, err
	}
	runner, err := runnerNamed(w.isolation)
	if err != nil {
		return nil, err
	}
	config := workspace.Config{Dir: w.dir, Redact: keys()}
	if u != nil || allowed[workspace.Exec] {
		config.Runner = runner
	}
	if u != nil || allowed[workspace.Write] || allowed[workspace.Exec] {
		config.Approver = &approval{allowed: allowed, isolated: isolates(config.Runner), user: u}
	}
	folder, err := workspace.Open(config)
	if err != nil && config.Runner != nil && !allowed[workspace.Exec] {
		config.Runner = nil // nobody said that there must be a bash
		return workspace.Open(config)
	}
	return folder, notIsolated(err)
}

// isolates reports whether a runner keeps commands from what is outside the
// folder.
func isolates(runner workspace.Runner) bool {
	_, unconfined := runner.(workspace.Unconfined)
	return runner != nil && !unconfined
}

// openFolder opens a folder to read in, and to do everything in if all is set.
func openFolder(dir string, all bool) (*workspace.Workspace, error) {
	config := workspace.Config{Dir: dir, Redact: keys()}
	if all {
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
