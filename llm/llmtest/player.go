package llmtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// A Player is a script at play in a test: an [llm.Asker] and [llm.Chatter] that
// checks itself when the test ends. Make one with [Script] or [Open]; [Run] makes
// one for each file. Set its fields, and those of the script.Player in it (such
// as Regrow and Normalize), before the first ask. Its methods are safe for
// concurrent use.
type Player struct {
	*script.Player

	// Live is asked by -llm.record, which is refused without it. LiveName is
	// written beside what it says; it may be empty.
	Live     llm.Asker
	LiveName string

	// FreshReplies fails the test where a reply was recorded for another
	// prompt than the one it answered. By default that is logged.
	FreshReplies bool

	// Scrub replaces what looks like a secret in what is written. By default
	// nothing is written then.
	Scrub bool

	path    string // of the file, absolute; "" for a script in code
	home    string // the folder in which it was made; the test may go to another
	dir     string // of the run, temporary; "" if the kit has made none
	lane    string // the only one whose asks are seen; "" for all
	mode    mode
	goldens bool // whether steps without a golden get one
}

var (
	_ llm.Asker   = (*Player)(nil)
	_ llm.Chatter = (*Player)(nil)
)

// Script returns the player of a script in code. Each step is the reply, as a
// string, or what [Fail] and [Status] return: a *script.Step. Without any, no ask
// is expected.
//
//	model := llmtest.Script(t, "ACT: list .", "DONE: two files")
func Script(t testing.TB, steps ...any) *Player {
	t.Helper()
	_, file, line, _ := runtime.Caller(1)
	lane := &script.Lane{Name: "main"}
	for i, step := range steps {
		made, err := stepOf(step, line)
		if err != nil {
			t.Fatalf("llmtest: step %d of the script: %v", i+1, err)
		}
		lane.Steps = append(lane.Steps, made)
	}
	s := &script.Script{Name: filepath.Base(file), Lanes: []*script.Lane{lane}}
	p := &Player{Player: &script.Player{Script: s, Dirs: dirs()}, home: absolute("", "")}
	t.Cleanup(func() { t.Helper(); p.finish(t, p.Untold(nil)) })
	return p
}

// Open returns the player of testdata/NAME.txtar; an empty name is that of the
// test. It ends the test if there is no such script or it has a mistake. What the
// script says of the run as a whole (task, files, answer, error) is left to the
// test, which finds it in the player's Script; [Run] sees to it by itself.
func Open(t testing.TB, name string) *Player {
	t.Helper()
	p := open(t, pathOf(t, name))
	t.Cleanup(func() { t.Helper(); p.finish(t, p.Untold(nil)) })
	return p
}

// pathOf returns the path of a script.
func pathOf(t testing.TB, name string) string {
	if name == "" {
		name = t.Name()
	}
	return filepath.Join("testdata", filepath.FromSlash(name)+".txtar")
}

// open returns the player of a file, which does not check itself.
func open(t testing.TB, path string) *Player {
	t.Helper()
	mode := modeFor(t, path)
	s := parse(t, "", path)
	p := &Player{Player: &script.Player{Script: s, Dirs: dirs(), Accept: acceptCommand(t.Name())}, path: absolute("", path), mode: mode}
	p.Update = mode.writes()
	if mode.record {
		p.Player.Live = liveModel{p}
	}
	return p
}

// absolute returns a path relative to a folder, or to the one that we are in, as
// it is in any.
func absolute(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// nameHint says what is wrong with a path that was made of a path.
func nameHint(path string) string {
	path = filepath.ToSlash(path)
	if strings.HasSuffix(path, ".txtar.txtar") || strings.HasPrefix(path, "testdata/testdata/") {
		return " (a name has neither testdata/ nor .txtar in it)"
	}
	return ""
}

// parse reads a script file, named relative to dir.
func parse(t testing.TB, dir, path string) *script.Script {
	t.Helper()
	opened.add(path)
	data, err := os.ReadFile(absolute(dir, path))
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("llmtest: there is no script %s; write one, if only its task and a reply: recording needs it too%s", filepath.ToSlash(path), nameHint(path))
	}
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	s, err := script.Parse(filepath.ToSlash(path), data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// dirs returns the folders that the normalizer tempdir replaces beside those for
// temporary files: the module's and the user's.
func dirs() []string {
	var list []string
	if dir, err := os.Getwd(); err == nil {
		list = append(list, moduleRoot(dir))
	}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, home)
	}
	return list
}

// moduleRoot returns the folder of the go.mod that dir belongs to, or dir.
func moduleRoot(dir string) string {
	for root := dir; ; {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root
		}
		up := filepath.Dir(root)
		if up == root {
			return dir
		}
		root = up
	}
}

// Calls returns what became of the asks so far, in the order in which they came.
func (p *Player) Calls() []script.Call {
	var list []script.Call
	for _, call := range p.Player.Calls() {
		if p.lane == "" || call.Lane == p.lane {
			list = append(list, call)
		}
	}
	return list
}

// Prompts returns the prompts asked so far.
func (p *Player) Prompts() []string {
	var list []string
	for _, call := range p.Calls() {
		list = append(list, call.Prompt)
	}
	return list
}

// Added returns what the prompt of an ask, counted from 1, has beyond the one
// before it in its conversation. It panics if there was no such ask.
func (p *Player) Added(ask int) string { return p.Calls()[ask-1].Added }

// Lane returns the player as one of its conversations sees it: its asks are those
// of that lane. The name must be one of the script's.
func (p *Player) Lane(name string) *Player {
	var names []string
	for _, lane := range p.Script.Lanes {
		if lane.Name == name {
			view := *p
			view.lane = name
			return &view
		}
		names = append(names, lane.Name)
	}
	panic(fmt.Sprintf("llmtest: %s has no lane %s; it has %s", p.Script.Name, name, strings.Join(names, ", ")))
}
