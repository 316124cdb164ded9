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

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A play is a script played on a folder: the loop and the tools are real, the
// model is the script.
type play struct {
	script   *script.Script
	task     string
	tools    []tools.Tool
	maxSteps int
	retries  int
	asJSON   bool
	pause    func(context.Context) // before each ask but the first; may be nil

	stdout, stderr io.Writer
}

// run plays the script to its end and reports how it ended.
func (p *play) run(ctx context.Context) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	model := &player{script: p.script}
	model.Replies = p.script.Texts()
	loop := react.Loop{
		LLM:      model,
		Tools:    p.tools,
		MaxSteps: p.maxSteps,
		Retries:  p.retries,
		Trace:    p.trace(ctx),
	}
	result, err := loop.Run(ctx, p.task)
	return p.end(result, err, model)
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

// trace returns what shows the steps as they happen.
func (p *play) trace(ctx context.Context) *react.Trace {
	t := &react.Trace{AskStart: func(ask int, _ string) {
		if ask > 1 && p.pause != nil {
			p.pause(ctx)
		}
	}}
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

// end prints the answer and returns what went wrong.
func (p *play) end(result react.Result, err error, model *player) error {
	failed := fail(append(p.faults(result, err, model), p.answer(result, err))...)
	if p.asJSON {
		end := jsonEnd{Result: result, Wandered: result.Wandered()}
		if failed != nil {
			end.Error = failed.Error()
		}
		if err := writeJSON(p.stdout, "result", end); err != nil {
			return fail(err)
		}
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

// faults returns what went wrong with the run or differs from the script.
func (p *play) faults(result react.Result, err error, model *player) []error {
	if cancelled, ok := errors.AsType[*react.CancelError](err); ok {
		return []error{fmt.Errorf("interrupted after %s, without an answer: %w", count(len(result.Steps), "step"), cancelled.Cause)}
	}
	faults := []error{err, model.Check()}
	if want := p.script.Answer; err == nil && p.script.AnswerLine > 0 && result.Answer != want {
		faults = append(faults, fmt.Errorf("%s: the answer is %q, the script wants %q",
			p.script.At(p.script.AnswerLine), result.Answer, want))
	}
	return faults
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
	has := slices.ContainsFunc(p.tools, func(t tools.Tool) bool { return t.Name == "bash" })
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
	Error    string       `json:"error,omitempty"`
}

// writeJSON writes {"name": value} on a line.
func writeJSON(w io.Writer, name string, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(map[string]any{name: value})
}

// A player answers from a script, and says where in it a mistake lies.
type player struct {
	llm.ScriptedLLM
	script *script.Script
}

var _ llm.Asker = (*player)(nil)

// Ask returns the next reply.
func (p *player) Ask(ctx context.Context, prompt string) (string, error) {
	reply, err := p.ScriptedLLM.Ask(ctx, prompt)
	if e, ok := errors.AsType[*llm.UnexpectedAskError](err); ok {
		e.At = p.script.At(p.script.Replies[len(p.script.Replies)-1].Line)
	}
	return reply, err
}

// Check reports replies left over.
func (p *player) Check() error {
	err := p.ScriptedLLM.Check()
	if e, ok := errors.AsType[*llm.UnusedRepliesError](err); ok {
		left := p.script.Replies[len(p.script.Replies)-len(e.Replies):]
		for _, r := range left {
			e.At = append(e.At, p.script.At(r.Line))
		}
	}
	return err
}
