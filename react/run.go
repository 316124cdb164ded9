package react

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/actdone/actdone/tools"
)

// A run is all the state of one run of a Loop.
type run struct {
	*Transcript
	loop  Loop
	trace Trace // Loop.Trace, or one without funcs

	shown      int // steps yielded
	growth     growth
	lostPrompt int
	askErr     error // of the ask that the end of the context has ended
}

// start checks the Loop and begins a run.
func (l Loop) start(task string, prior []Step) (*run, error) {
	if l.LLM == nil {
		return nil, errors.New("react: Loop.LLM is nil; set a model, such as an llm.ScriptedLLM")
	}
	for _, t := range l.Tools {
		if t.Call == nil {
			return nil, fmt.Errorf("react: tool %q has no Call", t.Name)
		}
	}
	t, err := l.Transcript(task, prior...)
	if err != nil {
		return nil, err
	}
	r := &run{Transcript: t, loop: l, shown: len(prior)}
	if l.Trace != nil {
		r.trace = *l.Trace
	}
	return r, nil
}

// check reports mistakes in limits and names.
func (l Loop) check() error {
	for _, limit := range []struct {
		name  string
		value int
	}{{"MaxSteps", l.MaxSteps}, {"Retries", l.Retries}, {"MaxPrompt", l.MaxPrompt}, {"MaxObservation", l.MaxObservation}} {
		if limit.value < 0 {
			return fmt.Errorf("react: Loop.%s is %d; zero is the default, negative means nothing", limit.name, limit.value)
		}
	}
	named := make(map[string]bool, len(l.Tools))
	for _, t := range l.Tools {
		if err := checkName(t.Name); err != nil {
			return err
		}
		if t.Lines < tools.One || t.Lines > tools.Body {
			return fmt.Errorf("react: tool %q takes %v; want tools.One, tools.Block or tools.Body", t.Name, t.Lines)
		}
		if named[t.Name] {
			return fmt.Errorf("react: two tools are named %q", t.Name)
		}
		named[t.Name] = true
	}
	return nil
}

// checkName reports a name that a model could not call.
func checkName(name string) error {
	_, fenced := fenceAt(name)
	switch {
	case name == "":
		return errors.New("react: a tool has no name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return fmt.Errorf("react: tool name %q holds blanks or signs that do not show; write it as one word, such as read_file", name)
	case slices.Contains(labels[:], strings.TrimSuffix(name, ":")):
		return fmt.Errorf("react: tool name %q is a label of the protocol", name)
	case fenced || turnEndLen(name) > 0 || strings.Trim(name, "*`:") != name:
		return fmt.Errorf("react: tool name %q cannot be told from markup", name)
	}
	return nil
}

// act calls the tool of a move.
func (r *run) act(ctx context.Context, move Move) (string, error) {
	i := slices.IndexFunc(r.tools, func(t tools.Tool) bool { return t.Name == move.Tool })
	tool := r.tools[i]
	if r.trace.ActStart != nil {
		r.trace.ActStart(r.Asks(), move)
	}
	if r.trace.ActDone == nil {
		return tool.Do(ctx, move.Input)
	}
	started := time.Now()
	output, err := tool.Do(ctx, move.Input)
	panicked, _ := err.(*tools.PanicError)
	r.trace.ActDone(r.Asks(), move, time.Since(started), panicked)
	return output, err
}

// show yields the steps that have not been, and reports whether to go on.
func (r *run) show(yield func(Step) bool) bool {
	for _, s := range r.Steps()[r.shown:] {
		r.shown++
		if r.trace.Step != nil {
			r.trace.Step(s)
		}
		if !yield(s) {
			return false
		}
	}
	return true
}

// end tells a cancelled run from a failed ask, and reports the end to the
// trace.
func (r *run) end(ctx context.Context, err error) error {
	if err != nil && err == ctx.Err() {
		step := r.Asks()
		if r.pending.Move.Kind == "" {
			step++ // the ask, not the act, was not finished
		}
		err = &CancelError{Step: step, Err: err, Cause: context.Cause(ctx), Ask: r.askErr}
	}
	if r.trace.End != nil {
		r.trace.End(r.result(), err)
	}
	return err
}

func (r *run) result() Result {
	result := Result{Task: r.task, Steps: r.Steps(), Asks: r.Asks(), Limit: r.limits.maxSteps, LostPrompt: r.lostPrompt}
	if r.ended {
		result.Answer = result.Steps[len(result.Steps)-1].Move.Answer
	}
	return result
}
