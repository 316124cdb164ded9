package llmtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
)

// Chaos is an [llm.Asker] that spoils some of the replies of another, for tests
// that an agent comes to its answer all the same and that nothing is run which
// the model did not mean:
//
//	for seed := range uint64(100) {
//		script := &llm.ScriptedLLM{Replies: []string{"ACT: list .", "DONE: two files"}}
//		model := &llmtest.Chaos{LLM: script, Seed: seed}
//		… run the agent with Retries: 2; no tool may see llmtest.Invented …
//		t.Log(seed, model.Spoilt())
//	}
//
// Only LLM must be set. The same Seed spoils the same replies of the same run in
// the same ways.
//
// A good reply is held back while its spoilt forms are refused, and given in the
// end: the replies of LLM are used in order, each once. Whether a spoilt form was
// taken for the good reply is seen in the next prompt, which goes on from the one
// before:
//
//   - Most slips do not hold the good reply, so it is still to be given, also
//     where the form was a move of its own ([SlipWrongTool]).
//   - [SlipInvented], [SlipTwoActs], [SlipFarewell] and [SlipLoneTag] hold it
//     whole. It has been given unless what the prompt adds begins with REFUSED:,
//     as the prompts of package react do. These slips are used only where what
//     they invent stays outside of the move: behind DONE: all is answer.
//
// Each spoilt form that is refused costs an ask, so MaxSteps needs room for up to
// InRow more for each reply. An agent that gives up earlier leaves a reply that
// LLM counts as used.
//
// It is for the replies of [react.ActDone]. Errors of LLM are returned as they
// are, and not counted as slips; a cancelled ask uses nothing. It does not
// stream: a listener hears the reply that is given, in one piece.
//
// Fields are set before the first Ask. All methods are safe for concurrent use
// if LLM is, and conversations that share a Chaos keep their replies apart by
// their prompts; but which of them slips when is then left to the order of their
// asks, and two conversations of the same prompt are one. ScriptedLLM serves one
// conversation.
type Chaos struct {
	LLM   llm.Asker // whose replies are good
	Seed  uint64    // what decides when to slip and how
	Slips []Slip    // the ways to slip; nil means all
	Every int       // one reply in so many is spoilt, on average; 0 means 3
	InRow int       // at most so many replies in a row are spoilt; 0 means 2

	mu     sync.Mutex
	rand   *rand.Rand
	asks   int
	spoilt []Spoilt
	held   []held
}

// Spoilt is a reply that was given in place of a good one.
type Spoilt struct {
	Ask   int // which ask of the Chaos, from 1
	Slip  Slip
	Reply string // what was given; of [SlipTruncated] the text that arrived
}

// held is a conversation whose last reply was spoilt.
type held struct {
	prompt string
	good   string
	slip   Slip
	row    int // how many were spoilt in a row
}

var _ llm.Asker = (*Chaos)(nil)

// Ask returns the reply of LLM to prompt, the one held back, or a spoilt form of
// it.
func (c *Chaos) Ask(ctx context.Context, prompt string) (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	ask, last, ok := c.next(prompt)
	if !ok {
		good, err := c.LLM.Ask(unheard(ctx), prompt)
		if err != nil {
			return good, err
		}
		last.good = good
	}
	last.prompt = prompt
	reply, err := c.give(ask, last)
	llm.ContextTrace(ctx).Delta(reply)
	if err != nil {
		return "", err
	}
	return reply, nil
}

// Spoilt returns what was spoilt so far, for the test's log.
func (c *Chaos) Spoilt() []Spoilt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spoilt)
}

// check reports fields that cannot work.
func (c *Chaos) check() error {
	if c.LLM == nil {
		return errors.New("llmtest: Chaos.LLM is nil")
	}
	if c.Every < 0 || c.InRow < 0 {
		return fmt.Errorf("llmtest: Chaos.Every and Chaos.InRow must not be negative: %d, %d", c.Every, c.InRow)
	}
	for _, s := range c.Slips {
		if !slices.Contains(Slips(), s) {
			return fmt.Errorf("llmtest: Chaos.Slips holds %q, which is none", s)
		}
	}
	return nil
}

// unheard returns a context for LLM, whose text is not the reply yet.
func unheard(ctx context.Context) context.Context {
	heard := llm.ContextTrace(ctx)
	heard.Delta = nil
	return llm.WithTrace(llm.WithParts(llm.WithoutTrace(ctx), llm.ContextParts(ctx)), &heard)
}

// next counts the ask and takes the conversation that prompt goes on from, if its
// last reply was spoilt. It reports whether the good reply is still to be given.
func (c *Chaos) next(prompt string) (ask int, last held, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asks++
	longest := -1
	for i, h := range c.held {
		if h.leadsTo(prompt) && (longest < 0 || len(h.prompt) > len(c.held[longest].prompt)) {
			longest = i
		}
	}
	if longest < 0 {
		return c.asks, held{}, false
	}
	last = c.held[longest]
	c.held = slices.Delete(c.held, longest, longest+1)
	return c.asks, last, !last.taken(prompt)
}

// leadsTo reports whether prompt is the held one, asked again, or goes on from
// it.
func (h held) leadsTo(prompt string) bool {
	added, ok := strings.CutPrefix(prompt, h.prompt)
	return ok && (added == "" || added[0] == '\n')
}

// taken reports whether prompt shows that the spoilt form was taken for the good
// reply.
func (h held) taken(prompt string) bool {
	added := strings.TrimLeft(prompt[len(h.prompt):], "\n")
	return h.slip.holdsGood() && added != "" && !strings.HasPrefix(added, "REFUSED:")
}

// give returns the good reply, or a spoilt form of it. Text that was cut comes
// with its error.
func (c *Chaos) give(ask int, h held) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rand == nil {
		c.rand = rand.New(rand.NewPCG(c.Seed, 0))
	}
	slip, ok := c.draw(h)
	if !ok {
		return h.good, nil
	}
	h.slip, h.row = slip, h.row+1
	c.held = append(c.held, h)
	reply := slip.spoil(h.good, c.rand)
	c.spoilt = append(c.spoilt, Spoilt{Ask: ask, Slip: slip, Reply: reply})
	if slip == SlipTruncated {
		return reply, &llm.TruncatedError{Text: reply, Reason: "length"}
	}
	return reply, nil
}

// draw decides whether a reply is spoilt, and how.
func (c *Chaos) draw(h held) (Slip, bool) {
	every, inRow := c.Every, c.InRow
	if every == 0 {
		every = 3
	}
	if inRow == 0 {
		inRow = 2
	}
	if c.rand.IntN(every) > 0 || h.row >= inRow {
		return "", false
	}
	slips := c.Slips
	if slips == nil {
		slips = Slips()
	}
	var fitting []Slip
	for _, s := range slips {
		if s.fits(h.good) {
			fitting = append(fitting, s)
		}
	}
	if len(fitting) == 0 {
		return "", false
	}
	return fitting[c.rand.IntN(len(fitting))], true
}

// fits reports whether s spoils good without making another move of it.
func (s Slip) fits(good string) bool {
	if !s.holdsGood() {
		return true
	}
	m, err := react.Parse(s.spoil(good, nil), nil)
	return err != nil || !strings.Contains(m.Tool+m.Input+m.Answer, Invented)
}
