package main

import (
	"errors"
	"fmt"
	"io"
	"os"

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
	for _, r := range runners {
		folder, err := workspace.Open(workspace.Config{Dir: dir, Approver: workspace.AllowAll{}, Runner: r.runner})
		text := fmt.Sprintf("%s: not on this machine: %v", r.name, notIsolated(err))
		if err == nil {
			text = folder.Isolation()
			folder.Close()
		}
		if _, err := fmt.Fprintln(stdout, text); err != nil {
			return fail(err)
		}
	}
	return nil
}
