package llmtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

// A Want is what a text is to be like. Make one with [Has], [Lacks] or [Matches].
type Want struct {
	check script.Check
	err   error
}

// Has wants a text that contains part.
func Has(part string) Want { return Want{check: script.Check{Verb: "contains", Text: part}} }

// Lacks wants a text that does not contain part.
func Lacks(part string) Want {
	return Want{check: script.Check{Not: true, Verb: "contains", Text: part}}
}

// Matches wants a text that matches a regular expression, in which ^ and $ are
// the ends of a line.
func Matches(re string) Want {
	check, err := script.ParseCheck("match " + strconv.Quote(re))
	return Want{check, err}
}

// fault returns what is wrong with text, or "".
func (w Want) fault(text string) string {
	switch {
	case w.err != nil:
		return w.err.Error()
	case !w.check.Holds(text):
		return "this does not hold: " + w.check.String()
	}
	return ""
}

// faults returns what is wrong with text, a line each.
func faults(text string, wants []Want) string {
	var list []string
	for _, w := range wants {
		if fault := w.fault(text); fault != "" {
			list = append(list, fault)
		}
	}
	return strings.Join(list, "\n")
}

// Asked wants n asks so far.
func Asked(t testing.TB, p *Player, n int) {
	t.Helper()
	if calls := p.Calls(); len(calls) != n {
		var list strings.Builder
		for i, call := range calls {
			fmt.Fprintf(&list, "\n  %d, lane %s: %s", i+1, call.Lane, strings.TrimSpace(call.Status+" "+call.At))
		}
		t.Errorf("%s: asked %d times, want %d%s", p.Script.Name, len(calls), n, list.String())
	}
}

// Prompt wants that the prompt of an ask, counted from 1, is like all of wants.
func Prompt(t testing.TB, p *Player, ask int, wants ...Want) {
	t.Helper()
	calls := p.Calls()
	if ask < 1 || ask > len(calls) {
		t.Errorf("%s: there was no ask %d, but %d asks", p.Script.Name, ask, len(calls))
		return
	}
	call := calls[ask-1]
	if text := faults(call.Prompt, wants); text != "" {
		t.Errorf("%s", script.Environ().Scrub(fmt.Sprintf("%s: prompt %d: %s\nit adds:\n%s", p.Script.Name, ask, text, indented(call.Added))))
	}
}

// OnlyGrew wants that every prompt begins with the one before it in its
// conversation. A player sees to that by itself, unless Regrow is set or the
// script says shrinks or allow concurrent.
func OnlyGrew(t testing.TB, p *Player) {
	t.Helper()
	before := map[string]string{}
	for i, call := range p.Calls() {
		if last := before[call.Lane]; !strings.HasPrefix(call.Prompt, last) {
			t.Errorf("%s: prompt %d does not begin with the one before it in lane %s", p.Script.Name, i+1, call.Lane)
			return
		}
		before[call.Lane] = call.Prompt
	}
}

// Acted wants that one of the steps is an act: that tool with that input.
func Acted(t testing.TB, steps []react.Step, tool, input string) {
	t.Helper()
	var acts []string
	for _, s := range steps {
		if s.Move.Kind == react.Act {
			acts = append(acts, fmt.Sprintf("%s %q", s.Move.Tool, s.Move.Input))
		}
	}
	if want := fmt.Sprintf("%s %q", tool, input); !slices.Contains(acts, want) {
		t.Errorf("no act %s; the acts are:%s", want, listed(acts))
	}
}

// Observed wants that one of the observations of a tool is like all of wants.
func Observed(t testing.TB, steps []react.Step, tool string, wants ...Want) {
	t.Helper()
	var seen []string
	for _, s := range steps {
		if s.Move.Kind != react.Act || s.Move.Tool != tool {
			continue
		}
		text := faults(s.Observation, wants)
		if text == "" {
			return
		}
		seen = append(seen, fmt.Sprintf("%q: %s", s.Observation, text))
	}
	t.Errorf("no observation of %s is as wanted; they are:%s", tool, script.Environ().Scrub(listed(seen)))
}

// listed returns lines, or a word for none.
func listed(lines []string) string {
	if len(lines) == 0 {
		return " none"
	}
	return "\n  " + strings.Join(lines, "\n  ")
}

func indented(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
