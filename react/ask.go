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
	h := &hearing{trace: &r.trace, ask: r.Asks() + 1}
	if r.loop.EarlyStop {
		h.stop = func() func(string) bool { return r.protocol.Stop(r.tools) }
	}
	asking, cancel := h.listen(ctx)
	defer cancel()
	started := r.askStart(h.ask, prompt)
	reply, err := r.loop.LLM.Ask(llm.WithParts(asking, r.Parts()), prompt)
	reply, err = h.end(reply, err)
	r.askDone(h, started, prompt, reply, err)
	if ctx.Err() != nil && (err != nil || strings.TrimSpace(reply) == "") {
		r.askErr = err
		return "", ctx.Err()
	}
	return reply, err
}

func (d *driver) askStart(n int, prompt string) time.Time {
	if d.p.restarted {
		d.growth, d.last, d.p.restarted = growth{}, 0, false
	}
	d.prompts, d.repeated, d.last = d.prompts+len(prompt), d.repeated+d.last, len(prompt)
	if d.trace.AskStart != nil {
		d.trace.AskStart(n, prompt)
	}
	if d.trace.AskDone == nil {
		return time.Time{}
	}
	return time.Now()
}

// askDone reports the end of an ask, and looks for a prompt that the server has
// cut.
func (d *driver) askDone(h *hearing, started time.Time, prompt, reply string, err error) {
	if d.trace.AskDone != nil {
		d.trace.AskDone(h.ask, reply, err, time.Since(started))
	}
	lost, ok := d.growth.lost(h.ask, prompt, h.tokens)
	if !ok {
		return
	}
	if d.lostPrompt == 0 {
		d.lostPrompt = h.ask
	}
	if d.trace.PromptLost != nil {
		d.trace.PromptLost(lost)
	}
}

// A hearing is what the run hears of one ask. Once the ask has returned it hears
// no more, also from an Asker that goes on talking.
type hearing struct {
	trace  *Trace
	ask    int
	stop   func() func(soFar string) bool // for EarlyStop: Protocol.Stop; else nil
	tokens int                            // of the prompt, as the server counts them

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
	if h.stop != nil {
		ctx, h.cancel = context.WithCancel(ctx)
		h.may = h.stop()
	}
	if h.may != nil || h.trace.Text != nil {
		heard.Delta = h.delta
	}
	if h.may != nil || h.trace.Retry != nil {
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
	if h.trace.Text != nil {
		h.trace.Text(h.ask, piece)
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
	if h.trace.Stopped != nil {
		h.trace.Stopped(h.ask)
	}
}

func (h *hearing) retry(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over || h.stopped {
		return
	}
	if h.may != nil {
		h.may = h.stop()
		h.text.Reset()
	}
	if h.trace.Retry != nil {
		h.trace.Retry(h.ask, err)
	}
}
