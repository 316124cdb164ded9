package react

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/tools"
)

// A Transcript is the pure half of a run: it knows no clock, context, goroutine
// or tool code. A driver asks it for the next prompt, hands it the reply, runs
// the act that the reply asks for and hands it the output:
//
//	for {
//		prompt, err := t.Prompt()
//		if err != nil {
//			return err
//		}
//		move, err := t.Reply(ask(prompt))
//		if err == nil && move.Kind == react.Act {
//			err = t.Observe(run(move.Tool, move.Input))
//		}
//		if err != nil || move.Kind == react.Done {
//			return err
//		}
//	}
//
// [Loop.Run] is such a driver; a workflow engine may be another. The prompt is
// only appended to, so that building all prompts of a run is linear in the
// length of the last. A Transcript serves one run and one goroutine.
type Transcript struct {
	protocol Protocol
	tools    []tools.Tool
	task     string
	limits   limits

	prompt strings.Builder
	parts  []llm.Part
	steps  []Step
	open   string // the task whose steps the prompt ends in
	inTask bool   // whether there is one

	asks    int  // of this task
	refused int  // replies in a row that Retries counts
	pending Step // an act that waits for its observation
	ended   bool // there is an answer
}

// limits are the fields of Loop of these names, with their defaults filled in.
type limits struct{ maxSteps, retries, maxPrompt, maxObservation int }

// Defaults of [Loop].
const (
	defaultMaxSteps       = 15
	defaultMaxObservation = 16 << 10
)

// firstRoom is how many bytes of steps the first buffer of a prompt has room
// for.
const firstRoom = 6 << 10

// Transcript returns the beginning of a run of task, as [Loop.Run] makes it. It
// reports mistakes in the Loop's fields, but needs neither LLM nor Call.
func (l Loop) Transcript(task string, prior ...Step) (*Transcript, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	t := &Transcript{
		protocol: orDefault[Protocol](l.Protocol, ActDone{}),
		tools:    l.Tools,
		task:     normalizeText(task),
		limits: limits{
			maxSteps:       orDefault(l.MaxSteps, defaultMaxSteps),
			retries:        l.Retries,
			maxPrompt:      l.MaxPrompt,
			maxObservation: orDefault(l.MaxObservation, defaultMaxObservation),
		},
	}
	instructions := normalizeText(t.protocol.Instructions(l.Tools, l.Instructions, l.Example))
	if startsTask(instructions) {
		return nil, errors.New(`react: a line of the instructions, the example or a tool's usage begins with "TASK:"; the task goes to Run`)
	}
	t.prompt.Grow(len(instructions) + firstRoom)
	t.prompt.WriteString(instructions)
	t.parts = make([]llm.Part, 0, 2*len(prior)+16)
	t.part(llm.System, "instructions")
	if err := t.resume(prior); err != nil {
		return nil, err
	}
	return t, nil
}

func orDefault[T comparable](v, zero T) T {
	var none T
	if v == none {
		return zero
	}
	return v
}

// normalizeText makes s valid UTF-8, so that it survives JSON.
func normalizeText(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func startsTask(instructions string) bool {
	return strings.HasPrefix(instructions, "TASK:") || strings.Contains(instructions, "\nTASK:")
}

// resume writes the prior steps. Those at the end that work on the same task,
// still without an answer, are the beginning of this run.
func (t *Transcript) resume(prior []Step) error {
	t.steps = append(make([]Step, 0, len(prior)+8), prior...)
	for i, s := range t.steps {
		if err := checkStep(s); err != nil {
			return fmt.Errorf("react: prior step %d: %w", i+1, err)
		}
		t.enter(s.Task)
		if i == len(t.steps)-1 && s.Task == t.task && s.Move.Kind != Done && s.Ask == t.limits.maxSteps-1 {
			t.steps[i].Note = addNote(s.Note, t.lastReply())
			s = t.steps[i]
		}
		t.write(s, i+1)
		t.asks, t.refused = s.Ask, t.refused+refusals(s)
		if s.Move.Kind == Done {
			t.inTask = false
		}
		if s.Move.Kind != "" {
			t.refused = 0
		}
	}
	t.enter(t.task)
	t.refused = min(t.refused, t.limits.retries)
	return nil
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
	for _, text := range []string{s.Task, s.Reply, s.Move.Thought, s.Move.Tool, s.Move.Input, s.Move.Answer, s.Observation, s.Note} {
		if !utf8.ValidString(text) {
			return errors.New("invalid UTF-8")
		}
	}
	return nil
}

// enter writes the task unless the prompt is working on it.
func (t *Transcript) enter(task string) {
	if t.inTask && t.open == task {
		return
	}
	t.protocol.Task(&t.prompt, task)
	t.part(llm.User, "task")
	t.open, t.inTask = task, true
	t.asks, t.refused = 0, 0
}

// write appends a step to the prompt.
func (t *Transcript) write(s Step, n int) {
	role, name := llm.Assistant, "act "
	switch s.Move.Kind {
	case Done:
		name = "answer "
	case "":
		// Not the assistant's: as its message a refused reply would teach its form.
		role, name = llm.User, "refused "
	}
	number := strconv.Itoa(n)
	// Grow doubles the buffer, where appending would add a quarter.
	t.prompt.Grow(len(s.Move.Thought) + len(s.Move.Input) + len(s.Move.Answer) + len(s.Observation) + 64)
	t.protocol.Move(&t.prompt, s, n)
	t.part(role, name+number)
	if s.Move.Kind != Done {
		t.protocol.Observation(&t.prompt, s, n)
		t.part(llm.User, "observation "+number)
	}
}

func (t *Transcript) part(role llm.Role, name string) {
	t.parts = append(t.parts, llm.Part{Role: role, Name: name, End: t.prompt.Len()})
}

// Prompt returns the next prompt: the one before it, and more. It returns a
// [*LimitError] if the run has reached a limit.
func (t *Transcript) Prompt() (string, error) {
	switch {
	case t.ended:
		return "", errors.New("react: the run has ended with an answer")
	case t.pending.Move.Kind == Act:
		return "", fmt.Errorf("react: the act of step %d has no observation yet", len(t.steps)+1)
	case t.asks >= t.limits.maxSteps:
		return "", t.stepLimit()
	case t.limits.maxPrompt > 0 && t.prompt.Len() > t.limits.maxPrompt:
		return "", &LimitError{Limit: t.limits.maxPrompt, Need: t.prompt.Len(), Err: ErrPromptLimit}
	}
	return t.prompt.String(), nil
}

func (t *Transcript) stepLimit() error {
	return &LimitError{Limit: t.limits.maxSteps, Need: t.asks + 1, Err: ErrStepLimit}
}

// Parts returns where the parts of the prompt end. The caller must not change
// them.
func (t *Transcript) Parts() []llm.Part { return slices.Clip(t.parts) }

// Steps returns the steps so far, prior ones included. The caller must not
// change them.
func (t *Transcript) Steps() []Step { return slices.Clip(t.steps) }

// Asks returns how many replies to this task have been taken.
func (t *Transcript) Asks() int { return t.asks }

// Reply takes what the model was asked for: its reply, or the error in its
// place. It returns the move. An Act is one to run, with its output to pass to
// [Transcript.Observe]; a Done has ended the run; no Kind means that there is
// nothing to run and that the model is to be asked again, having been told why.
//
// A truncated or empty reply is refused like one without a move: told to the
// model while Retries allows it, else a [*ProtocolError]. Any other error is
// returned as an [*AskError] and changes nothing.
func (t *Transcript) Reply(reply string, err error) (Move, error) {
	if t.ended || t.pending.Move.Kind == Act {
		return Move{}, errors.New("react: Reply without a Prompt before it")
	}
	if t.asks >= t.limits.maxSteps {
		return Move{}, t.stepLimit()
	}
	cut, truncated := errors.AsType[*llm.TruncatedError](err)
	switch {
	case truncated:
		why, cure := whyCut(cut.Reason)
		return Move{}, t.refuse(&ProtocolError{Reply: normalize(cut.Text), Err: err, Cure: cure}, "truncated", why)
	case err == nil && strings.TrimSpace(reply) == "", errors.Is(err, llm.ErrNoReply):
		return Move{}, t.refuse(&ProtocolError{Err: orDefault(err, llm.ErrNoReply), Cure: "write a move"}, "empty", "the reply was empty")
	case err != nil:
		return Move{}, &AskError{Step: t.asks + 1, Err: err}
	}
	move, err := t.protocol.Parse(reply, t.tools)
	if err == nil && move.Kind != Act && move.Kind != Done {
		err = ErrNoMove
	}
	if err != nil {
		own := protocolError(err)
		own.Reply = orDefault(normalizeText(own.Reply), normalize(reply))
		return Move{}, t.refuse(own, causeName(own.Err), own.Err.Error())
	}
	return t.take(move), nil
}

// protocolError returns a copy of the error of a Protocol, or makes one.
func protocolError(err error) *ProtocolError {
	own := ProtocolError{Err: err}
	if bad, ok := errors.AsType[*ProtocolError](err); ok {
		own = *bad
		own.Err = orDefault(own.Err, ErrNoMove)
	}
	return &own
}

// take makes a step of a move.
func (t *Transcript) take(move Move) Move {
	for _, text := range []*string{&move.Thought, &move.Tool, &move.Input, &move.Answer, &move.Reply} {
		*text = normalizeText(*text)
	}
	t.asks, t.refused = t.asks+1, 0
	step := Step{Task: t.task, Ask: t.asks, Reply: move.Reply, Move: move}
	step.Move.Reply, step.Move.Dropped = "", ""
	if move.Kind == Done {
		t.ended = true
		t.finish(step)
		return move
	}
	if !slices.ContainsFunc(t.tools, func(known tools.Tool) bool { return known.Name == move.Tool }) {
		step.Observation = t.observation("", t.unknown(move.Tool))
		t.finish(step)
		return Move{}
	}
	t.pending = step
	return move
}

// refuse makes a step of a reply without a move. It returns the error if too
// many have been refused in a row.
func (t *Transcript) refuse(e *ProtocolError, name, why string) error {
	t.asks++
	step := Step{Task: t.task, Ask: t.asks, Reply: e.Reply, Refused: name}
	if e.Cure != "" {
		why += "; " + e.Cure
	}
	step.Observation = t.observation("", errors.New("nothing was run: "+why))
	t.refused += refusals(step)
	t.finish(step)
	if t.refused <= t.limits.retries || refusals(step) == 0 {
		return nil
	}
	e.Step = t.asks
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

func causeName(err error) string {
	switch {
	case errors.Is(err, ErrNoTool):
		return "no tool"
	case errors.Is(err, ErrAmbiguous):
		return "ambiguous"
	case errors.Is(err, ErrUnclosed):
		return "unclosed"
	}
	return "no move"
}

// Observe takes what the tool of the last move returned. An error is shown to
// the model like any output; only one made by tools.Fatal is returned, as a
// [*ToolError].
func (t *Transcript) Observe(output string, err error) error {
	step := t.pending
	if step.Move.Kind != Act {
		return errors.New("react: Observe without an act before it")
	}
	t.pending = Step{}
	step.Observation = t.observation(output, err)
	t.finish(step)
	if tools.IsFatal(err) {
		return &ToolError{Step: step.Ask, Tool: step.Move.Tool, Err: err}
	}
	return nil
}

// observation makes the text that the model is shown.
func (t *Transcript) observation(output string, err error) string {
	if err != nil {
		text := "error: " + err.Error()
		if output != "" {
			text += "\n" + output
		}
		output = text
	}
	output = shorten(clean(output), t.limits.maxObservation)
	if isBlank(output) {
		return "(no output)"
	}
	return output
}

// finish adds the notes, the step and its text.
func (t *Transcript) finish(s Step) {
	if t.repeated(s) {
		s.Note = addNote(s.Note, "this act has given the same observation three times in a row; try something else, or answer with "+t.protocol.Finish())
	}
	if s.Ask == t.limits.maxSteps-1 && s.Move.Kind != Done {
		s.Note = addNote(s.Note, t.lastReply())
	}
	t.steps = append(t.steps, s)
	t.write(s, len(t.steps))
}
