package react

import (
	"context"
	"time"

	"github.com/actdone/actdone/tools"
)

// A driver is what both loops do alike: run tools, hand out steps, end.
type driver struct {
	p     *progress
	trace Trace // of the loop, or one without funcs

	shown      int // steps yielded
	prompts    int // bytes of all prompts
	repeated   int // how many of them began a prompt as they had begun the one before
	last       int // bytes of the last prompt
	growth     growth
	lostPrompt int
	askErr     error // of the ask that the end of the context has ended
}

func newDriver(p *progress, trace *Trace, shown int) driver {
	d := driver{p: p, shown: shown}
	if trace != nil {
		d.trace = *trace
	}
	return d
}

// act calls the tool of a move.
func (d *driver) act(ctx context.Context, move Move) (string, error) {
	tool := d.p.tools[d.p.tool(move.Tool)]
	if d.trace.ActStart != nil {
		d.trace.ActStart(d.p.asks, move)
	}
	if d.trace.ActDone == nil {
		return tool.Do(ctx, move.Input)
	}
	started := time.Now()
	output, err := tool.Do(ctx, move.Input)
	panicked, _ := err.(*tools.PanicError)
	d.trace.ActDone(d.p.asks, move, time.Since(started), panicked)
	return output, err
}

// show yields the steps that have not been, and reports whether to go on.
func (d *driver) show(yield func(Step) bool) bool {
	for _, s := range d.p.Steps()[d.shown:] {
		d.shown++
		if d.trace.Step != nil {
			d.trace.Step(s)
		}
		if !yield(s) {
			return false
		}
	}
	return true
}

// close tells a cancelled run, which was at the given step, from a failed ask,
// and reports the end to the trace.
func (d *driver) close(ctx context.Context, err error, step int) error {
	if err != nil && err == ctx.Err() {
		err = &CancelError{Step: step, Err: err, Cause: context.Cause(ctx), Ask: d.askErr}
	}
	if d.trace.End != nil {
		d.trace.End(d.result(), err)
	}
	return err
}

func (d *driver) result() Result {
	p := d.p
	result := Result{Task: p.task, Steps: p.Steps(), Asks: p.asks, Limit: p.limits.maxSteps, LostPrompt: d.lostPrompt,
		PromptBytes: d.prompts, RepeatedBytes: d.repeated}
	if p.ended {
		result.Answer = result.Steps[len(result.Steps)-1].Move.Answer
	}
	return result
}
