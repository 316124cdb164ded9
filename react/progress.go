package react

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// A progress is what both loops keep of a run: its steps, and what they count
// for its limits.
type progress struct {
	tools  []tools.Tool
	task   string
	limits limits
	ending ending

	steps   []Step
	asks    int  // of this task
	refused int  // replies in a row that Retries counts
	ended   bool // there is an answer

	stubs     int  // how many of the first steps may be shown with a stub
	restarted bool // the prompt does not begin with the one asked before
}

// limits are the fields of [Loop] of these names.
type limits struct{ maxSteps, retries, maxPrompt, maxObservation, compact int }

// Defaults of [Loop].
const (
	defaultMaxSteps       = 15
	defaultMaxObservation = 16 << 10
)

func (l limits) orDefaults() limits {
	l.maxSteps = orDefault(l.maxSteps, defaultMaxSteps)
	l.maxObservation = orDefault(l.maxObservation, defaultMaxObservation)
	return l
}

// An ending is how a loop tells a model to end a run.
type ending struct{ answer, stop string }

func orDefault[T comparable](v, zero T) T {
	var none T
	if v == none {
		return zero
	}
	return v
}

// normalizeText makes s valid UTF-8, so that it survives JSON.
func normalizeText(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func (p *progress) stepLimit() error {
	return &LimitError{Limit: p.limits.maxSteps, Need: p.asks + 1, Err: ErrStepLimit}
}

// Steps returns the steps so far, prior ones included. The caller must not
// change them.
func (p *progress) Steps() []Step { return slices.Clip(p.steps) }

// Asks returns how many replies to this task have been taken.
func (p *progress) Asks() int { return p.asks }

// tool returns the index of the tool of that name, or -1.
func (p *progress) tool(name string) int {
	return slices.IndexFunc(p.tools, func(t tools.Tool) bool { return t.Name == name })
}

// add adds the notes to a step, and the step to the run. Whether it is the last
// of its ask decides about the note that only one is left.
func (p *progress) add(s *Step, last bool) {
	if p.repeated(*s) {
		s.Note = addNote(s.Note, "this act has given the same observation three times in a row; try something else, or "+p.ending.answer)
	}
	if last && s.Ask == p.limits.maxSteps-1 && s.Move.Kind != Done {
		s.Note = addNote(s.Note, p.lastReply())
	}
	p.steps = append(p.steps, *s)
	p.count(*s)
	p.ended = s.Move.Kind == Done
}

// count counts the ask of a step, and whether it was refused.
func (p *progress) count(s Step) {
	p.asks, p.refused = s.Ask, p.refused+refusals(s)
	if s.Move.Kind != "" {
		p.refused = 0
	}
}

// refusal returns the step of a reply that cannot be used.
func (p *progress) refusal(e *ProtocolError, name, why string) Step {
	if e.Cure != "" {
		why += "; " + e.Cure
	}
	return Step{Task: p.task, Ask: p.asks + 1, Reply: e.Reply, Refused: name,
		Observation: p.observation("", errors.New("nothing was run: "+why))}
}

// patience returns the error of a refused reply if too many have been refused in
// a row.
func (p *progress) patience(e *ProtocolError, s Step) error {
	if p.refused <= p.limits.retries || refusals(s) == 0 {
		return nil
	}
	e.Step = s.Ask
	return e
}

// refusals is how many of the replies in a row that Retries counts a step is:
// a reply that tried to act is none, for the next step can mend it.
func refusals(s Step) int {
	switch s.Refused {
	case "", "no tool", "ambiguous", "unclosed":
		return 0
	}
	return 1
}

// observation makes the text that the model is shown.
func (p *progress) observation(output string, err error) string {
	if err != nil {
		text := "error: " + err.Error()
		if output != "" {
			text += "\n" + output
		}
		output = text
	}
	output = shorten(clean(output), p.limits.maxObservation)
	if lex.IsBlank(output) {
		return "(no output)"
	}
	return output
}

// checkStep reports a step that no run has made.
func checkStep(s Step) error {
	switch {
	case s.Move.Kind != "" && s.Move.Kind != Act && s.Move.Kind != Done:
		return fmt.Errorf("a move of kind %q; want %q, %q or none", s.Move.Kind, Act, Done)
	case s.Ask < 1 || s.Ask > math.MaxInt32:
		return fmt.Errorf("ask %d; they are numbered from 1", s.Ask)
	case s.Move.Lines < tools.One || s.Move.Lines > tools.Body:
		return fmt.Errorf("the move's tool takes %v", s.Move.Lines)
	}
	for _, text := range []string{s.Task, s.Reply, s.Move.Thought, s.Move.Tool, s.Move.Input, s.Move.Answer, s.Observation, s.Note,
		s.Call.ID, s.Call.Name, s.Call.Arguments, s.Reasoning} {
		if !utf8.ValidString(text) {
			return errors.New("invalid UTF-8")
		}
	}
	return nil
}
