package react

import (
	"context"
	"errors"
	"iter"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/tools"
)

// A Loop is the configuration of an agent: a model, tools and limits. It holds
// no state of a run, so one Loop may run many tasks at once, if its LLM and
// tools may.
type Loop struct {
	// LLM is the model. It must be set.
	LLM llm.Asker

	// Tools are shown to the model in this order. Without any it can only
	// answer.
	Tools []tools.Tool

	// MaxSteps is how often the model is asked for one task, whatever it
	// replies. Zero means 15.
	MaxSteps int

	// Retries is how many replies in a row may be refused for having no move,
	// being cut or empty. Zero means that the first one ends the run, which
	// suits tests; small models want one or two.
	Retries int

	// MaxPrompt is the length, in bytes, of the longest prompt that is asked.
	// Zero means no limit.
	MaxPrompt int

	// MaxObservation is how many bytes of a tool's output are shown to the
	// model, head and tail. Zero means 16 KiB.
	MaxObservation int

	// Compact is the length of a prompt, in bytes, past which the oldest
	// observations are dropped from it, each but for a line that says so, until
	// it has half of that length. The task, what the model wrote, and the last
	// three observations stay, so it should be several times as long as those. Each
	// time this happens a new line of prompts begins, of which no cache knows
	// more than the instructions. Steps keep their observations. Zero means never.
	Compact int

	// EarlyStop cancels an ask as soon as its streamed text holds a whole
	// move, for models that go on and invent the result. It is not for models
	// that write their reasoning into the reply. The tokens of an ask that was
	// stopped are not known.
	EarlyStop bool

	// Protocol is how moves are written. Nil means ActDone.
	Protocol Protocol

	// Instructions replace the protocol's rules, such as [Rules]; the list of
	// tools and the example still follow them. Example replaces the
	// protocol's worked example, or with [NoExample] removes it.
	Instructions string
	Example      string

	// Trace watches the run; nil means that nobody does.
	Trace *Trace
}

// Run works on task until the model answers it; an empty task is asked as it is.
// It returns what is known in any case, the steps above all; the error is nil if
// there is an answer, else one of [*LimitError], [*ProtocolError], [*AskError],
// [*ToolError] and [*CancelError], or says what is wrong with the Loop before
// anything was asked.
//
// Prior steps of the same task, not yet answered, are continued: nothing of them
// runs again, their asks count, Result.Steps begins with them. All other prior
// steps are history: they stand in the prompt before the task.
func (l Loop) Run(ctx context.Context, task string, prior ...Step) (Result, error) {
	r, err := l.start(task, prior)
	if err != nil {
		return Result{Task: task, Steps: prior}, err
	}
	err = r.end(ctx, r.steps(ctx, func(Step) bool { return true }))
	return r.result(), err
}

// Steps is [Loop.Run] step by step: it yields each new step with a nil error,
// then, unless the last step is the answer, once the error. Breaking out of the
// range stops the run.
func (l Loop) Steps(ctx context.Context, task string, prior ...Step) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		more := true
		r, err := l.start(task, prior)
		if err == nil {
			err = r.end(ctx, r.steps(ctx, func(s Step) bool { more = yield(s, nil); return more }))
		}
		if err != nil && more {
			yield(Step{}, err)
		}
	}
}

// errStopped is the end of a run whose caller broke out of Steps.
var errStopped = errors.New("stopped by the caller")

// steps is the loop: prompt, ask, parse, act, observe. Reply and Observe are the
// transcript's: they count refused replies against Retries, answer for tools
// that do not exist, and keep the steps.
func (r *run) steps(ctx context.Context, yield func(Step) bool) error {
	for ctx.Err() == nil {
		prompt, err := r.Prompt()
		if err != nil {
			return err
		}
		reply, err := r.ask(ctx, prompt)
		if ctx.Err() != nil && err != nil {
			break
		}
		move, err := r.Reply(reply, err)
		if err == nil && move.Kind == Act && ctx.Err() == nil {
			err = r.Observe(r.act(ctx, move))
		}
		if more := r.show(yield); err != nil || move.Kind == Done {
			return err
		} else if !more {
			return errStopped
		}
	}
	return ctx.Err()
}
