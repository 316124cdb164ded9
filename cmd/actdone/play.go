package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A play is a run that is shown: the loop and the tools are real, the model is
// one, or a script in its place.
type play struct {
	task    string
	loop    react.Loop // all but its Trace
	timeout time.Duration
	asJSON  bool
	pause   func(context.Context) // before each ask but the first; may be nil

	// judge returns what went wrong with a run that was not interrupted.
	judge func(context.Context, react.Result, error) []error

	// meter is nil where nothing is to be said about the cost.
	meter *meter

	stdout, stderr io.Writer
}

// run plays to the end and reports how it ended.
func (p *play) run(ctx context.Context) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	running, cancel := p.limited(ctx)
	defer cancel()
	watch := p.watch()
	p.loop.Trace = p.trace(running, watch)
	result, err := p.loop.Run(llm.WithTrace(running, p.listen(watch)), p.task)
	return p.end(ctx, result, err)
}

// limited returns a context that ends when the run has taken too long.
func (p *play) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("the %v of --timeout are over", p.timeout))
}

// interruptible returns a context that ends with the first interrupt. From then
// on an interrupt ends the program at once, as if it listened to none.
func interruptible(ctx context.Context) (context.Context, func()) {
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(signalled, func() {
		stop()
		cancel(context.Cause(signalled))
	})
	return own, stop
}

// watch returns the line that shows an ask under way, or nil if there is none.
func (p *play) watch() *watch {
	if p.meter == nil || p.asJSON || !obeysEscapes(p.stderr) {
		return nil
	}
	return &watch{w: p.stderr, width: widthOf(p.stderr), colour: coloured(p.stderr)}
}

// trace returns what shows the steps as they happen.
func (p *play) trace(ctx context.Context, watch *watch) *react.Trace {
	t := &react.Trace{
		AskStart: func(ask int, _ string) {
			if ask > 1 && p.pause != nil {
				p.pause(ctx)
			}
			watch.begin(ask)
		},
		AskDone: func(int, string, error, time.Duration) { watch.end() },
		Retry: func(_ int, err error) {
			watch.again(func() { say(p.stderr, "%s; trying again", oneLine(err.Error())) })
		},
	}
	if watch != nil {
		t.Text = func(_ int, piece string) { watch.text(piece) }
	}
	if p.asJSON {
		t.Step = func(s react.Step) { writeJSON(p.stdout, "step", s) }
		return t
	}
	steps := &show{w: p.stderr, colour: coloured(p.stderr)}
	steps.task(p.task)
	t.ActStart = steps.move
	t.Step = steps.step
	return t
}

// listen returns what hears of tokens and reasoning.
func (p *play) listen(watch *watch) *llm.Trace {
	t := &llm.Trace{}
	if p.meter != nil {
		p.meter.begun = time.Now()
		t.Usage = p.meter.add
	}
	if watch != nil {
		t.Reasoning = watch.reasoning
	}
	return t
}

// end prints the answer and returns what went wrong.
func (p *play) end(ctx context.Context, result react.Result, err error) error {
	failed := fail(append(p.faults(ctx, result, err), p.answer(result, err))...)
	if p.asJSON {
		end := jsonEnd{Result: result, Wandered: result.Wandered(), Usage: p.meter.json()}
		if failed != nil {
			end.Error = failed.Error()
		}
		if err := writeJSON(p.stdout, "result", end); err != nil {
			return fail(err)
		}
	} else if text := p.meter.summary(result.Asks); text != "" {
		say(p.stderr, "%s", text)
	}
	remarks(p.stderr, result, err)
	p.missesBash(result)
	return failed
}

// answer prints the answer bare, unless there is none or it goes into JSON.
func (p *play) answer(result react.Result, err error) error {
	if err != nil || p.asJSON {
		return nil
	}
	text := result.Answer
	if isTerminal(p.stdout) {
		text = visible(text)
	}
	_, err = fmt.Fprintln(p.stdout, text)
	return err
}

// faults returns what went wrong with the run.
func (p *play) faults(ctx context.Context, result react.Result, err error) []error {
	if cancelled, ok := errors.AsType[*react.CancelError](err); ok {
		how := "interrupted"
		if errors.Is(cancelled, context.DeadlineExceeded) {
			how = "stopped"
		}
		return []error{fmt.Errorf("%s after %s, without an answer: %w", how, count(len(result.Steps), "step"), cancelled.Cause)}
	}
	return p.judge(ctx, result, err)
}

// remarks tells what is odd about a run even if it has an answer.
func remarks(stderr io.Writer, result react.Result, err error) {
	if result.LostPrompt > 0 {
		say(stderr, "the server dropped part of the prompt at ask %d without saying so: its context is too small for this run", result.LostPrompt)
	}
	if err == nil && result.Wandered() {
		say(stderr, "the run took %d of %s, more than a third: a sign of tools or instructions that do not fit the task",
			result.Asks, count(result.Limit, "ask"))
	}
}

// missesBash tells the user, who can allow it, that bash was wanted in vain.
func (p *play) missesBash(result react.Result) {
	has := slices.ContainsFunc(p.loop.Tools, func(t tools.Tool) bool { return t.Name == "bash" })
	wanted := slices.ContainsFunc(result.Steps, func(s react.Step) bool { return s.Move.Tool == "bash" })
	if wanted && !has {
		say(p.stderr, "bash was wanted but is not allowed; --allow exec allows it")
	}
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// A jsonEnd is the last line of run --json: the result, without its steps, which
// have been written.
type jsonEnd struct {
	react.Result
	Steps    []react.Step `json:"steps,omitempty"` // nil; hides Result.Steps
	Wandered bool         `json:"wandered"`
	Usage    *jsonUsage   `json:"usage,omitempty"`
	Error    string       `json:"error,omitempty"`
}

// writeJSON writes {"name": value} on a line.
func writeJSON(w io.Writer, name string, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(map[string]any{name: value})
}
