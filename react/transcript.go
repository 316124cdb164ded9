package react

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react/internal/lex"
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
// only appended to, unless [Loop].Compact makes it anew, so that building all
// prompts of a run is linear in the length of the last. A Transcript serves one run and one goroutine.
type Transcript struct {
	progress
	protocol Protocol

	prompt strings.Builder
	parts  []llm.Part
	open   string // the task whose steps the prompt ends in
	inTask bool   // whether there is one

	pending Step // an act that waits for its observation
}

// firstRoom is how many bytes of steps the first buffer of a prompt has room
// for.
const firstRoom = 6 << 10

// Transcript returns the beginning of a run of task, as [Loop.Run] makes it. It
// reports mistakes in the Loop's fields, but needs neither LLM nor Call.
func (l Loop) Transcript(task string, prior ...Step) (*Transcript, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	t := &Transcript{protocol: orDefault[Protocol](l.Protocol, ActDone{})}
	finish := t.protocol.Finish()
	t.progress = progress{
		tools:  l.Tools,
		task:   normalizeText(task),
		limits: l.limits().orDefaults(),
		ending: ending{answer: "answer with " + finish, stop: "to end the run, write " + finish + " and the answer"},
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
		t.count(s)
		t.compact(i + 1)
	}
	t.enter(t.task)
	t.refused = min(t.refused, t.limits.retries)
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
		name, t.inTask = "answer ", false
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

// Parts returns where the parts of the prompt end. The caller must not change
// them.
func (t *Transcript) Parts() []llm.Part { return slices.Clip(t.parts) }

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
		return Move{}, t.refuse(&ProtocolError{Reply: lex.Normalize(cut.Text), Err: err, Cure: cure}, "truncated", why)
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
		own.Reply = orDefault(normalizeText(own.Reply), lex.Normalize(reply))
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
		t.finish(step)
		return move
	}
	if t.tool(move.Tool) < 0 {
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
	step := t.refusal(e, name, why)
	t.finish(step)
	return t.patience(e, step)
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

// finish adds the notes, the step and its text.
func (t *Transcript) finish(s Step) {
	t.add(&s, true)
	t.write(s, len(t.steps))
	t.compact(len(t.steps))
}
