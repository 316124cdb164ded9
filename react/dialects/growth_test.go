package dialects_test

import (
	"strings"
	"testing"
	"time"

	"github.com/actdone/actdone/internal/growthtest"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/dialects"
	"github.com/actdone/actdone/tools"
)

// TestGrowth holds for every protocol that reading and writing a text takes time
// in proportion to its length, whatever the text is.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name     string
		protocol react.Protocol
		replies  map[string]func(size int) string
	}{
		{"act-done", react.ActDone{}, growthtest.ActDone},
		{"classic", dialects.Classic{}, growthtest.Classic},
		{"bracket", dialects.Bracket{ActOnly: true, Lenient: true}, growthtest.Bracket},
		{"fenced", dialects.Fenced{}, growthtest.Fenced},
	} {
		t.Run(c.name, func(t *testing.T) {
			grow(t, growthtest.Reading, growthtest.Texts, func(text string) { read(c.protocol, text) })
			grow(t, growthtest.Reading, c.replies, func(text string) { read(c.protocol, text) })
		})
	}
	t.Run("prompts", func(t *testing.T) { // the dialects have their layout in common
		grow(t, growthtest.Writing, growthtest.Texts, func(text string) { write(dialects.Classic{}, text) })
	})
}

func grow(t *testing.T, most time.Duration, texts map[string]func(size int) string, work func(text string)) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			growthtest.Linear(t, most, func(size int) func() {
				long := text(size)
				return func() { work(long) }
			})
		})
	}
}

// read parses text, at once and as it comes in small pieces.
func read(p react.Protocol, text string) {
	list := worldTools(nil)
	_, _ = p.Parse(text, list)
	stop := p.Stop(list)
	for n := 0; n < len(text) && !stop(text[:n]); n += 64 {
	}
}

// write puts text in the places that a prompt has for one.
func write(p react.Protocol, text string) {
	var b strings.Builder
	p.Task(&b, text)
	p.Move(&b, react.Step{Move: react.Move{Kind: react.Act, Tool: "x", Lines: tools.Block, Thought: text, Input: text}}, 1)
	p.Move(&b, react.Step{Reply: text}, 1)
	p.Observation(&b, react.Step{Observation: text}, 1)
}
