package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// A work says on which folder the tools work and what they may do there.
type work struct {
	dir       string
	allow     []string
	isolation string

	// What commands have besides.
	readDirs []string
	network  bool
	env      []string
}

// kinds are the words of --allow.
var kinds = map[workspace.Kind]bool{workspace.Read: true, workspace.Write: true, workspace.Exec: true}

// flags adds the flags that fill w.
func (w *work) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&w.dir, "dir", "C", ".", "the `folder` the tools work in")
	cmd.Flags().StringSliceVar(&w.allow, "allow", []string{"read"},
		"what the tools may do without a question, a `list`: read (always), write (change files), exec (run commands)")
	cmd.Flags().StringVar(&w.isolation, "isolation", runners[0].name,
		"what keeps commands from the rest of this machine, a `name`: bubblewrap, or unconfined for nothing")
	cmd.Flags().StringArrayVar(&w.readDirs, "read-dir", nil, "a `folder` or file that isolated commands may read besides; may be repeated")
	cmd.Flags().BoolVar(&w.network, "network", false, "let isolated commands use the network of this machine")
	cmd.Flags().StringArrayVar(&w.env, "env", nil, "a variable for commands, `NAME[=VALUE]`, with its value here if none is given; may be repeated")
}

// allowed returns what may be done without a question.
func (w *work) allowed() (map[workspace.Kind]bool, error) {
	allowed := map[workspace.Kind]bool{workspace.Read: true}
	for _, word := range w.allow {
		kind := workspace.Kind(strings.TrimSpace(word))
		if !kinds[kind] {
			return nil, fmt.Errorf("--allow %q: want read, write or exec", word)
		}
		allowed[kind] = true
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
	runner, err := w.runner()
	if err != nil {
		return nil, err
	}
	for _, e := range w.env {
		if name, _, _ := strings.Cut(e, "="); name == "" {
			return nil, fmt.Errorf("--env %q: want NAME or NAME=VALUE", e)
		}
	}
	about := w.aboutCommands()
	if about != "" && u == nil && !allowed[workspace.Exec] {
		return nil, fmt.Errorf("--%s is about commands, of which this run has none; --allow exec allows them", about)
	}
	config := workspace.Config{Dir: w.dir, Redact: keys(), Env: w.env}
	if u != nil || allowed[workspace.Exec] {
		config.Runner = runner
	}
	if u != nil || allowed[workspace.Write] || allowed[workspace.Exec] {
		config.Approver = &approval{allowed: allowed, isolated: isolates(config.Runner), user: u}
	}
	folder, err := workspace.Open(config)
	if err != nil && config.Runner != nil && !allowed[workspace.Exec] && about == "" {
		config.Runner = nil // nobody said that there must be a bash
		return workspace.Open(config)
	}
	return folder, notIsolated(err)
}

// tools returns the tools of a run in the folder: where nobody can be asked, none
// whose calls would all be denied.
func (w *work) tools(folder *workspace.Workspace, u *user) []tools.Tool {
	allowed, _ := w.allowed()
	return slices.DeleteFunc(folder.Tools(), func(t tools.Tool) bool {
		kind, must := needs[t.Name]
		return u == nil && must && !allowed[kind]
	})
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
