package react

import (
	"context"
	"strings"
	"time"

	"github.com/actdone/actdone/llm"
)

// listen returns a context whose Askers report to the run.
func (r *run) listen(ctx context.Context) context.Context {
	heard := &llm.Trace{Usage: func(u llm.Usage) { r.tokens = u.Prompt }}
	if r.loop.EarlyStop || r.trace.Text != nil {
		heard.Delta = r.delta
	}
	if r.loop.EarlyStop || r.trace.Retry != nil {
		heard.Retry = r.retry
	}
	return llm.WithTrace(ctx, heard)
}

// ask asks for the next step. A reply that EarlyStop has ended is the text so
// far; an ask that failed because ctx has ended gives ctx.Err().
func (r *run) ask(ctx context.Context, prompt string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	n := r.Asks() + 1
	asking := ctx
	if r.loop.EarlyStop {
		var cancel context.CancelFunc
		asking, cancel = context.WithCancel(ctx)
		defer cancel()
		r.early = earlyStop{may: r.protocol.Stop(r.tools), stop: cancel}
	}
	r.tokens = 0
	started := r.askStart(n, prompt)
	reply, err := r.loop.LLM.Ask(llm.WithParts(asking, r.Parts()), prompt)
	if r.early.stopped {
		reply, err = r.early.text.String(), nil
	}
	if r.trace.AskDone != nil {
		r.trace.AskDone(n, reply, err, time.Since(started))
	}
	r.watch(n, len(prompt))
	if err != nil && ctx.Err() != nil {
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

// earlyStop is what EarlyStop knows of the current ask.
type earlyStop struct {
	may     func(soFar string) bool
	stop    context.CancelFunc
	text    strings.Builder
	stopped bool
}

func (r *run) delta(piece string) {
	if r.early.stopped {
		return
	}
	if r.trace.Text != nil {
		r.trace.Text(r.Asks()+1, piece)
	}
	if !r.loop.EarlyStop {
		return
	}
	r.early.text.WriteString(piece)
	if r.early.may(r.early.text.String()) {
		r.early.stopped = true
		r.early.stop()
		if r.trace.Stopped != nil {
			r.trace.Stopped(r.Asks() + 1)
		}
	}
}

func (r *run) retry(err error) {
	if r.early.stopped {
		return
	}
	if r.loop.EarlyStop {
		r.early.may = r.protocol.Stop(r.tools)
		r.early.text.Reset()
	}
	if r.trace.Retry != nil {
		r.trace.Retry(r.Asks()+1, err)
	}
}

// watch looks for a prompt that the server has cut.
func (r *run) watch(ask, bytes int) {
	lost, ok := r.growth.lost(ask, bytes, r.tokens)
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
