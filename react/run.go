package react

import (
	"context"
	"errors"
)

// A run is all the state of one run of a Loop.
type run struct {
	*Transcript
	driver
	loop Loop
}

// start checks the Loop and begins a run.
func (l Loop) start(task string, prior []Step) (*run, error) {
	if l.LLM == nil {
		return nil, errors.New("react: Loop.LLM is nil; set a model, such as an llm.ScriptedLLM")
	}
	if err := checkCalls(l.Tools); err != nil {
		return nil, err
	}
	t, err := l.Transcript(task, prior...)
	if err != nil {
		return nil, err
	}
	return &run{t, newDriver(&t.progress, l.Trace, len(prior)), l}, nil
}

func (l Loop) limits() limits {
	return limits{l.MaxSteps, l.Retries, l.MaxPrompt, l.MaxObservation, l.Compact}
}

// check reports mistakes in limits and names.
func (l Loop) check() error {
	if err := l.limits().check("Loop"); err != nil {
		return err
	}
	return checkTools(l.Tools)
}

// end tells a cancelled run from a failed ask, and reports the end to the
// trace.
func (r *run) end(ctx context.Context, err error) error {
	step := r.Asks()
	if r.pending.Move.Kind == "" {
		step++ // the ask, not the act, was not finished
	}
	return r.close(ctx, err, step)
}
