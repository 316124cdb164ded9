package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/actdone/actdone/tools/workspace"
)

// runners are what --isolation chooses from, the default first.
var runners = []struct {
	name   string
	runner workspace.Runner
}{
	{"bubblewrap", workspace.Bubblewrap{}},
	{"unconfined", workspace.Unconfined{}},
}

// runnerNamed returns the runner that --isolation names.
func runnerNamed(name string) (workspace.Runner, error) {
	for _, r := range runners {
		if r.name == name {
			return r.runner, nil
		}
	}
	return nil, fmt.Errorf("--isolation %q: want bubblewrap or unconfined", name)
}

// runner returns what runs the commands.
func (w *work) runner() (workspace.Runner, error) {
	runner, err := runnerNamed(w.isolation)
	if err != nil {
		return nil, err
	}
	bubblewrap, ok := runner.(workspace.Bubblewrap)
	if !ok {
		if opens := w.opens(); opens != "" {
			return nil, fmt.Errorf("--%s opens something to isolated commands; with --isolation %s all is open: leave one of them out", opens, w.isolation)
		}
		return runner, nil
	}
	bubblewrap.Network = w.network
	for _, name := range w.readDirs {
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("--read-dir: %w", err)
		}
		dir, err := filepath.Abs(name)
		if err != nil {
			return nil, fmt.Errorf("--read-dir: %w", err)
		}
		bubblewrap.ReadDirs = append(bubblewrap.ReadDirs, dir)
	}
	return bubblewrap, nil
}

// opens names a flag that is given and opens something to isolated commands.
func (w *work) opens() string {
	switch {
	case len(w.readDirs) > 0:
		return "read-dir"
	case w.network:
		return "network"
	}
	return ""
}

// aboutCommands names a flag that is given and means nothing without commands.
func (w *work) aboutCommands() string {
	if name := w.opens(); name != "" || len(w.env) == 0 {
		return name
	}
	return "env"
}

// notIsolated says in the words of the command line why commands cannot be
// isolated; other errors it returns as they are.
func notIsolated(err error) error {
	missing, ok := errors.AsType[*workspace.IsolationError](err)
	if !ok {
		return err
	}
	text := missing.Reason
	if missing.Cure != "" {
		text += "; " + missing.Cure
	}
	return fmt.Errorf("commands cannot be isolated: %s; or choose --isolation unconfined, where they can do all that you can", text)
}

// showIsolation prints what holds on this machine for commands under each runner.
func showIsolation(stdout io.Writer) error {
	dir, err := os.MkdirTemp("", "actdone-isolation-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	var missing error // what the default lacks
	for i, r := range runners {
		folder, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.AllowAll{}, Runner: r.runner})
		text := ""
		if err == nil {
			text = folder.Isolation()
			folder.Close()
		} else {
			why := strings.TrimPrefix(notIsolated(err).Error(), "open workspace: ")
			text = fmt.Sprintf("%s: not on this machine: %s", r.name, why)
			if i == 0 {
				missing = fmt.Errorf("%s, the default, is not to be had on this machine", r.name)
			}
		}
		if _, err := fmt.Fprintln(stdout, text); err != nil {
			return fail(err)
		}
	}
	return fail(missing)
}
