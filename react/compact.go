package react

import (
	"fmt"
	"strings"

	"github.com/actdone/actdone/llm"
)

// Compaction: where Compact is set and a prompt has grown past it, the oldest
// observations become stubs of one line, all at once and so many that the prompt
// falls to half of Compact. From there on it only grows again, for many steps.
// Where that would free too little, nothing changes.
const (
	untouched   = 3 // observations, the last ones, that never become stubs
	leastFreed  = 4 // one part in so many of Compact
	compactedTo = 2 // likewise
)

// stubOf returns what stands for an observation that has been dropped.
func stubOf(observation string) string {
	return fmt.Sprintf("[%d bytes were dropped here to save room; run the act again if they are needed]", len(observation))
}

// compacted returns s as it is shown: with a stub if its observation is one of
// those that have been dropped.
func (p *progress) compacted(i int) Step {
	s := p.steps[i]
	if i < p.stubs && freed(s) > 0 {
		s.Observation = stubOf(s.Observation)
	}
	return s
}

// freed is how many bytes the stub of an observation saves.
func freed(s Step) int {
	if s.Move.Kind != Act {
		return 0
	}
	return max(0, len(s.Observation)-len(stubOf(s.Observation)))
}

// overgrown reports whether a prompt of the first n steps is to be made anew,
// and how many of them then have stubs.
func (p *progress) overgrown(size, n int) bool {
	if p.limits.compact == 0 || size <= p.limits.compact {
		return false
	}
	for p.stubs < n-untouched && freed(p.steps[p.stubs]) == 0 {
		p.stubs++ // so that they are not looked at again
	}
	stubs, less := p.stubs, 0
	for ; stubs < n-untouched && size-less > p.limits.compact/compactedTo; stubs++ {
		less += freed(p.steps[stubs])
	}
	if less < max(1, p.limits.compact/leastFreed) {
		return false
	}
	p.stubs, p.restarted = stubs, true
	return true
}

// compact makes the prompt of the first n steps anew if it has grown too long.
func (t *Transcript) compact(n int) {
	if !t.overgrown(t.prompt.Len(), n) {
		return
	}
	asks, refused, instructions := t.asks, t.refused, t.prompt.String()[:t.parts[0].End]
	t.prompt = strings.Builder{}
	t.prompt.Grow(t.limits.compact)
	t.prompt.WriteString(instructions)
	t.parts = append(make([]llm.Part, 0, len(t.parts)), t.parts[0])
	t.inTask = false
	for i := range n {
		s := t.compacted(i)
		t.enter(s.Task)
		t.write(s, i+1)
	}
	t.asks, t.refused = asks, refused
}

// compact makes the messages of the first n steps anew if they have grown too
// long.
func (c *conversation) compact(n int) {
	if !c.overgrown(c.text.Len(), n) {
		return
	}
	asks, refused, system := c.asks, c.refused, c.messages[0]
	c.messages, c.text, c.ids, c.inTask = nil, strings.Builder{}, map[string]bool{}, false
	c.say(system)
	steps := make([]Step, n)
	for i := range steps {
		steps[i] = c.compacted(i)
	}
	for rest := steps; len(rest) > 0; {
		n := oneReply(rest)
		c.enter(rest[0].Task)
		c.replay(rest[:n])
		rest = rest[n:]
	}
	c.asks, c.refused = asks, refused
}
