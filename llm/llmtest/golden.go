package llmtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actdone/actdone/llm/script"
)

// Golden wants that everything that was asked is written down: the first prompt
// of each conversation whole, of the others what they add. Call it when the run
// is done.
//
// For the player of a script in code that is the file testdata/golden/TEST.txtar,
// which -llm.update makes. For that of a file it is the file itself: each of its steps
// must have a golden, and -llm.update adds those that are missing.
func Golden(t testing.TB, p *Player) {
	t.Helper()
	if p.path != "" {
		p.goldens = true
		return
	}
	if slices.Contains(strings.Split(t.Name(), "/"), "..") {
		t.Fatalf("llmtest: the test's name %q leads out of testdata/golden; give the subtest another", t.Name())
	}
	path := pathOf(t, "golden/"+t.Name())
	opened.add(path)
	m := modeFor(t, path)
	if m.update {
		p.path, p.mode, p.goldens = absolute(p.home, path), m, true
		p.Script.Title = "What " + t.Name() + " asks."
		return
	}
	if _, err := os.Stat(absolute(p.home, path)); errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is no %s; write it with: %s", filepath.ToSlash(path), acceptCommand(t.Name()))
		return
	}
	if err := compare(t, p, parse(t, p.home, path)); err != nil {
		t.Errorf("%v", err)
	}
}

// compare asks the golden script what p was asked.
func compare(t testing.TB, p *Player, s *script.Script) error {
	for _, lane := range s.Lanes {
		for _, step := range lane.Steps { // whose answers do not matter
			step.Fault, step.Calls, step.Reply.Text, step.Delay, step.Gap = nil, nil, "-", 0, 0
		}
	}
	golden := &script.Player{Script: s, Dirs: p.Dirs, Normalize: p.Normalize, Regrow: p.Regrow, Accept: acceptCommand(t.Name())}
	for _, call := range p.Calls() {
		if !call.Again {
			_, _ = golden.Ask(t.Context(), call.Prompt) // what is wrong with it is for Check
		}
	}
	return golden.Check()
}

// goldenless returns the steps without a golden, where each is to have one.
func (p *Player) goldenless() []error {
	if !p.goldens || p.mode.writes() {
		return nil
	}
	var faults []error
	for _, lane := range p.Script.Lanes {
		for _, step := range lane.Steps {
			if step.Prompt.Line == 0 && step.Added.Line == 0 && step.Times < 2 {
				faults = append(faults, fmt.Errorf("%s: nothing says what is asked here; add it with: %s", p.Script.At(step.Line()), p.Accept))
			}
		}
	}
	return faults
}
