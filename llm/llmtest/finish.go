package llmtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// finish ends a play: it reports the faults, once, or writes the script where
// that is asked for.
func (p *Player) finish(t testing.TB, faults []error) {
	t.Helper()
	if t.Skipped() {
		return
	}
	faults = append(faults, p.goldenless()...)
	faults = append(faults, p.stale(t)...)
	if len(faults) > 0 {
		p.report(t, faults)
	}
	if t.Failed() {
		p.keepPartial(t)
		return
	}
	if err := p.save(); err != nil {
		t.Errorf("%v", err)
	}
}

// report tells faults, as one failure. A test that has failed already hears of
// them in its log.
func (p *Player) report(t testing.TB, faults []error) {
	t.Helper()
	var texts []string
	for _, err := range faults {
		texts = append(texts, p.tell(err))
	}
	text := script.Environ().Scrub(strings.Join(texts, "\n"))
	if t.Failed() {
		t.Logf("%s", text)
		return
	}
	t.Errorf("%s", text)
}

// tell returns the text of a fault, with its place.
func (p *Player) tell(err error) string {
	if _, ok := errors.AsType[*llm.ConcurrentAskError](err); ok {
		return fmt.Sprintf("%s: %v, or, in a script file, a lane", p.place(), err)
	}
	return err.Error()
}

// place returns where the conversation of the script begins.
func (p *Player) place() string {
	for _, lane := range p.Script.Lanes {
		for _, step := range lane.Steps {
			return p.Script.At(step.Line())
		}
	}
	return p.Script.Name
}

// stale tells of replies that were recorded for other prompts: in the log, or, if
// they are to be fresh, as faults.
func (p *Player) stale(t testing.TB) []error {
	t.Helper()
	if p.mode.record {
		return nil
	}
	var faults []error
	for _, call := range p.Player.Calls() {
		if !call.Stale {
			continue
		}
		err := fmt.Errorf("reply at %s was recorded for another prompt", call.At)
		if p.FreshReplies {
			faults = append(faults, err)
		} else {
			t.Logf("%v", err)
		}
	}
	return faults
}
