package react

import (
	"errors"
	"fmt"
	"strings"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// A conversation is the pure half of a [Native] run, as a [Transcript] is that of
// a Loop's. Its messages are only appended to, unless [Loop].Compact makes them
// anew, and are a pure function of the task and the steps.
type conversation struct {
	progress
	specs []llm.ToolSpec

	messages []llm.Message
	text     strings.Builder // the messages, rendered
	ids      map[string]bool // of the calls in them
	open     string          // the task whose steps they end in
	inTask   bool            // whether there is one

	calls   []pendingCall // of the last reply, still to be answered
	first   int           // index of the last reply's first step
	dropped bool          // some of its calls were never run
}

// A pendingCall is a step that waits for its observation. Its problem, if any,
// says why it cannot be run.
type pendingCall struct {
	step    Step
	problem error
}

// conversation begins a run.
func (n Native) conversation(task string, limits limits, prior []Step) (*conversation, error) {
	c := &conversation{
		progress: progress{
			tools: n.Tools, task: normalizeText(task), limits: limits,
			ending: ending{answer: "answer and call no tool", stop: "to end the run, reply with the answer and call no tool"},
		},
		ids: map[string]bool{},
	}
	for _, t := range n.Tools {
		c.specs = append(c.specs, specOf(t))
	}
	c.say(llm.Message{Role: llm.System, Text: normalizeText(orDefault(n.Instructions, NativeRules))})
	return c, c.resume(prior)
}

// say appends a message.
func (c *conversation) say(m llm.Message) {
	c.messages = append(c.messages, m)
	c.text.WriteString(llm.Render([]llm.Message{m}))
}

// resume says what the prior steps said. Those at the end that work on the same
// task, still without an answer, are the beginning of this run.
func (c *conversation) resume(prior []Step) error {
	for i, s := range prior {
		if err := checkStep(s); err != nil {
			return fmt.Errorf("react: prior step %d: %w", i+1, err)
		}
	}
	c.steps = append(make([]Step, 0, len(prior)+8), prior...)
	for rest := c.steps; len(rest) > 0; {
		n := oneReply(rest)
		last := &rest[n-1]
		if n == len(rest) && last.Task == c.task && last.Move.Kind != Done && last.Ask == c.limits.maxSteps-1 {
			last.Note = addNote(last.Note, c.lastReply())
		}
		c.enter(rest[0].Task)
		c.replay(rest[:n])
		c.count(*last)
		rest = rest[n:]
		c.compact(len(c.steps) - len(rest))
	}
	c.enter(c.task)
	c.refused = min(c.refused, c.limits.retries)
	return nil
}

// oneReply returns how many of the steps came of the first one's reply.
func oneReply(steps []Step) int {
	n := 1
	for n < len(steps) && steps[0].Move.Kind == Act && steps[n].Move.Kind == Act &&
		steps[n].Task == steps[0].Task && steps[n].Ask == steps[0].Ask {
		n++
	}
	return n
}

// enter says the task unless the conversation is about it.
func (c *conversation) enter(task string) {
	if c.inTask && c.open == task {
		return
	}
	c.say(llm.Message{Role: llm.User, Text: task})
	c.open, c.inTask = task, true
	c.asks, c.refused = 0, 0
}

// replay says what the steps of one reply said.
func (c *conversation) replay(steps []Step) {
	calls := make([]llm.ToolCall, len(steps))
	for i, s := range steps {
		if calls[i] = s.Call; s.Move.Kind == Act {
			calls[i] = c.callOf(s)
		}
	}
	c.sayReply(steps[0], calls)
	for i, s := range steps {
		c.sayOutcome(s, calls[i].ID)
	}
	c.sayNotes(steps)
}

// sayReply says the reply that led to a step. A refused one is not said: as the
// assistant's message it would teach its form.
func (c *conversation) sayReply(s Step, calls []llm.ToolCall) {
	m := llm.Message{Role: llm.Assistant, Text: s.Move.Thought, Reasoning: s.Reasoning}
	switch s.Move.Kind {
	case "":
		return
	case Act:
		m.Calls = calls
	case Done:
		if m.Text != "" && s.Move.Answer != "" {
			m.Text += "\n\n"
		}
		m.Text += s.Move.Answer
		if strings.TrimSpace(m.Text) == "" { // a Loop's: servers refuse a message of nothing
			m.Text = "(no answer)"
		}
		c.inTask = false
	}
	c.say(m)
}

// sayOutcome says what came of a step.
func (c *conversation) sayOutcome(s Step, id string) {
	switch s.Move.Kind {
	case Act:
		c.say(llm.Message{Role: llm.ToolResult, CallID: id, Text: s.Observation})
	case "":
		c.say(llm.Message{Role: llm.User, Text: s.Observation})
	}
}

// sayNotes says the notes of the steps of one reply, behind all their outcomes.
func (c *conversation) sayNotes(steps []Step) {
	var notes []string
	for _, s := range steps {
		if s.Note != "" {
			notes = append(notes, "NOTE: "+strings.ReplaceAll(s.Note, "\n", "\nNOTE: "))
		}
	}
	if len(notes) > 0 {
		c.say(llm.Message{Role: llm.User, Text: strings.Join(notes, "\n")})
	}
}

// request returns what to send next: the messages sent before, and more. It
// returns a [*LimitError] if the run has reached a limit.
func (c *conversation) request() (llm.ChatRequest, error) {
	switch {
	case c.asks >= c.limits.maxSteps:
		return llm.ChatRequest{}, c.stepLimit()
	case c.limits.maxPrompt > 0 && c.text.Len() > c.limits.maxPrompt:
		return llm.ChatRequest{}, &LimitError{Limit: c.limits.maxPrompt, Need: c.text.Len(), Err: ErrPromptLimit}
	}
	return llm.ChatRequest{Messages: c.messages[:len(c.messages):len(c.messages)], Tools: c.specs}, nil
}

// reply takes the model's reply, or the error in its place. Its calls are in
// c.calls afterwards; without any, it is the answer. A call of a reply that was
// cut is not run, however whole it looks.
func (c *conversation) reply(m llm.Message, err error) error {
	m = withoutThoughts(m)
	cut, truncated := errors.AsType[*llm.TruncatedError](err)
	_, isText := errors.AsType[*ProtocolError](err) // of AsChatter
	switch {
	case isText:
		own := protocolError(err)
		own.Reply = normalizeText(own.Reply)
		return c.refuse(own, causeName(own.Err), own.Err.Error())
	case truncated:
		why, cure := whyCut(cut.Reason)
		return c.refuse(&ProtocolError{Reply: normalizeText(cut.Text), Err: err, Cure: cure}, "truncated", why)
	case err == nil && len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "", errors.Is(err, llm.ErrNoReply):
		return c.refuse(&ProtocolError{Err: orDefault(err, llm.ErrNoReply), Cure: "call a tool, or reply with the answer"}, "empty", "the reply was empty")
	case err != nil:
		return &AskError{Step: c.asks + 1, Err: err}
	}
	step := Step{Task: c.task, Ask: c.asks + 1, Reply: normalizeText(m.Text), Reasoning: normalizeText(m.Reasoning)}
	if len(m.Calls) > 0 {
		c.takeCalls(step, m.Calls)
		return nil
	}
	step.Move = Move{Kind: Done, Answer: step.Reply}
	c.add(&step, true)
	c.sayReply(step, nil)
	return nil
}

// withoutThoughts takes a reasoning block that begins the text of a reply, as
// models write it where the server leaves it in, to the reasoning. One that does
// not close is all of the text.
func withoutThoughts(m llm.Message) llm.Message {
	thoughts, opened := lex.OpenTagAt(strings.TrimSpace(m.Text))
	if !opened {
		return m
	}
	thoughts, m.Text, _ = lex.CutClosingTag(thoughts)
	if thoughts = strings.TrimSpace(thoughts); thoughts != "" && m.Reasoning != "" {
		thoughts = "\n\n" + thoughts
	}
	m.Text, m.Reasoning = strings.TrimSpace(m.Text), m.Reasoning+thoughts
	return m
}

// refuse makes a step of a reply that cannot be used. It returns the error if
// too many have been refused in a row.
func (c *conversation) refuse(e *ProtocolError, name, why string) error {
	step := c.refusal(e, name, why)
	c.add(&step, true)
	c.sayOutcome(step, "")
	c.sayNotes([]Step{step})
	c.compact(len(c.steps))
	return c.patience(e, step)
}

// takeCalls makes pending steps of the calls of a reply. The first one has what
// the reply said beside them.
func (c *conversation) takeCalls(step Step, calls []llm.ToolCall) {
	c.asks, c.refused, c.first = step.Ask, 0, len(c.steps)
	thought := step.Reply
	said := make([]llm.ToolCall, len(calls))
	for i, call := range calls {
		p := c.read(call)
		p.step.Task, p.step.Ask = step.Task, step.Ask
		p.step.Reply, p.step.Reasoning, p.step.Move.Thought = step.Reply, step.Reasoning, thought
		step.Reply, step.Reasoning, thought = "", "", ""
		c.calls = append(c.calls, p)
		said[i] = p.step.Call
	}
	c.sayReply(c.calls[0].step, said)
}

// observe answers the next call: with what act returns for its move, or with why
// it cannot be run.
func (c *conversation) observe(act func(Move) (string, error)) error {
	p := c.calls[0]
	output, err := "", p.problem
	if err == nil {
		output, err = act(p.step.Move)
	}
	c.finish(output, err)
	if p.problem == nil && tools.IsFatal(err) {
		return &ToolError{Step: p.step.Ask, Tool: p.step.Move.Tool, Err: err}
	}
	return nil
}

// finish makes a step of the next call.
func (c *conversation) finish(output string, err error) {
	step := c.calls[0].step
	c.calls = c.calls[1:]
	step.Observation = c.observation(output, err)
	c.add(&step, len(c.calls) == 0)
	c.sayOutcome(step, step.Call.ID)
	if len(c.calls) == 0 {
		c.sayNotes(c.steps[c.first:])
		c.compact(len(c.steps))
	}
}

// drop answers the calls whose turn never came, so that the conversation can go
// on: servers refuse one in which a call has no answer.
func (c *conversation) drop() {
	for len(c.calls) > 0 {
		c.dropped = true
		c.finish("", errors.New("not run: the run ended before its turn; call it again if it is still needed"))
	}
}

// madeID returns the nth id made up in a conversation: nine letters and digits,
// which is all that Mistral's servers take.
func madeID(n int) string { return fmt.Sprintf("call%05d", n) }

// newID returns id, or one made up if there is none or a call of the conversation
// has it.
func (c *conversation) newID(id string) string {
	for n := len(c.ids) + 1; id == "" || c.ids[id]; n++ {
		id = madeID(n)
	}
	c.ids[id] = true
	return id
}
