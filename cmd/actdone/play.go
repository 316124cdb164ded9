package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// A play is a run that is shown: the loop and the tools are real, the model is
// one, or a script in its place.
type play struct {
	task    string
	prior   []react.Step // what it goes on from
	loop    react.Loop   // all but its Trace
	chatter llm.Chatter  // calls functions, where loop would ask for text; nil for text
	file    *stepFile    // where the steps go at the end; nil for nowhere
	record  *recording   // what makes a script of it; nil for nothing
	timeout time.Duration
	asJSON  bool
	pause   func(context.Context) // before each ask but the first; may be nil

	// judge returns what went wrong with a run that was not interrupted.
	judge func(context.Context, react.Result, error) []error

	// steps shows the steps as they happen. Nil means a show on stderr, which
	// begins with the task.
	steps display

	// meter is nil where nothing is to be said about the cost.
	meter *meter

	// changed is Changed of the workspace; nil if nothing is to be said of that.
	changed func() ([]workspace.Change, error)

	stdout, stderr io.Writer
}

// A display shows a run as it happens.
type display interface {
	move(ask int, m react.Move) // before the tool is called
	step(s react.Step)          // when it is complete, or refused
}

// run plays to the end, keeps the steps, and reports how it ended.
func (p *play) run(ctx context.Context) error {
	result, err := p.turn(ctx)
	return alsoFailed(alsoFailed(err, p.file.write(result.Steps)), p.record.end(result, err))
}

// turn plays to the end and reports how it ended.
func (p *play) turn(ctx context.Context) (react.Result, error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	running, cancel := p.limited(ctx)
	defer cancel()
	watch := p.watch()
	p.loop.Trace = p.trace(running, watch)
	result, err := p.work(llm.WithTrace(running, p.listen(watch)))
	return result, p.end(ctx, result, err)
}

// work runs the loop, or the one that calls functions.
func (p *play) work(ctx context.Context) (react.Result, error) {
	if p.chatter == nil {
		return p.loop.Run(ctx, p.task, p.prior...)
	}
	loop := react.Native{
		LLM:      p.chatter,
		Tools:    p.loop.Tools,
		MaxSteps: p.loop.MaxSteps,
		Retries:  p.loop.Retries,
		Trace:    p.loop.Trace,
	}
	return loop.Run(ctx, p.task, p.prior...)
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
	steps := p.steps
	if steps == nil {
		shown := &show{w: p.stderr, colour: coloured(p.stderr)}
		shown.task(p.task)
		steps = shown
	}
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
	p.missing(result)
	p.changes()
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
		return []error{fmt.Errorf("%s after %s, without an answer: %w", how, count(len(result.Steps)-len(p.prior), "step"), cancelled.Cause)}
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

// missing tells the user, who can allow them, which tools were wanted in vain.
func (p *play) missing(result react.Result) {
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		has := slices.ContainsFunc(p.loop.Tools, func(has tools.Tool) bool { return has.Name == name })
		wanted := slices.ContainsFunc(result.Steps[len(p.prior):], func(s react.Step) bool { return s.Move.Tool == name })
		if wanted && !has {
			say(p.stderr, "%s was wanted but is not allowed; --allow %s allows it", name, needs[name])
		}
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
