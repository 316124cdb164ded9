package react

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/actdone/actdone/llm"
)

// ask asks for the next step. A reply that EarlyStop has ended is the text so
// far.
func (r *run) ask(ctx context.Context, prompt string) (string, error) {
	h := &hearing{run: r, ask: r.Asks() + 1}
	asking, cancel := h.listen(ctx)
	defer cancel()
	started := r.askStart(h.ask, prompt)
	reply, err := r.loop.LLM.Ask(llm.WithParts(asking, r.Parts()), prompt)
	reply, err = h.end(reply, err)
	if r.trace.AskDone != nil {
		r.trace.AskDone(h.ask, reply, err, time.Since(started))
	}
	r.watch(h.ask, prompt, h.tokens)
	if ctx.Err() != nil && (err != nil || strings.TrimSpace(reply) == "") {
		r.askErr = err
		return "", ctx.Err()
	}
	return reply, err
}

func (r *run) askStart(n int, prompt string) time.Time {
	if r.trace.AskStart != nil {
		r.trace.AskStart(n, prompt)
	}
	if r.trace.AskDone == nil {
		return time.Time{}
	}
	return time.Now()
}

// watch looks for a prompt that the server has cut.
func (r *run) watch(ask int, prompt string, tokens int) {
	lost, ok := r.growth.lost(ask, prompt, tokens)
	if !ok {
		return
	}
	if r.lostPrompt == 0 {
		r.lostPrompt = ask
	}
	if r.trace.PromptLost != nil {
		r.trace.PromptLost(lost)
	}
}

// A hearing is what the run hears of one ask. Once the ask has returned it hears
// no more, also from an Asker that goes on talking.
type hearing struct {
	run    *run
	ask    int
	tokens int // of the prompt, as the server counts them

	mu      sync.Mutex
	over    bool
	may     func(soFar string) bool // EarlyStop: whether the reply may be stopped
	cancel  context.CancelFunc
	text    strings.Builder
	stopped bool
}

// listen returns a context whose Askers report to h.
func (h *hearing) listen(ctx context.Context) (context.Context, context.CancelFunc) {
	heard := &llm.Trace{Usage: h.usage}
	h.cancel = func() {}
	if h.run.loop.EarlyStop {
		ctx, h.cancel = context.WithCancel(ctx)
		h.may = h.run.protocol.Stop(h.run.tools)
	}
	if h.may != nil || h.run.trace.Text != nil {
		heard.Delta = h.delta
	}
	if h.may != nil || h.run.trace.Retry != nil {
		heard.Retry = h.retry
	}
	return llm.WithTrace(ctx, heard), h.cancel
}

// end closes h. It returns the text of a reply that was stopped, unless the
// Asker has returned another.
func (h *hearing) end(reply string, err error) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	if text := h.text.String(); h.stopped && (err != nil || strings.HasPrefix(reply, text)) {
		return text, nil
	}
	return reply, err
}

// usage keeps the largest count: an Asker may ask smaller things on the way.
func (h *hearing) usage(u llm.Usage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.tokens = max(h.tokens, u.Prompt)
	}
}

func (h *hearing) delta(piece string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over || h.stopped {
		return
	}
	if h.run.trace.Text != nil {
		h.run.trace.Text(h.ask, piece)
	}
	if h.may == nil {
		return
	}
	h.text.WriteString(piece)
	if !h.may(h.text.String()) {
		return
	}
	h.stopped = true
	h.cancel()
	if h.run.trace.Stopped != nil {
		h.run.trace.Stopped(h.ask)
	}
}

func (h *hearing) retry(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over || h.stopped {
		return
	}
	if h.may != nil {
		h.may = h.run.protocol.Stop(h.run.tools)
		h.text.Reset()
	}
	if h.run.trace.Retry != nil {
		h.run.trace.Retry(h.ask, err)
	}
}
