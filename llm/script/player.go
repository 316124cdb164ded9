package script

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/actdone/actdone/llm"
)

// A Player is the model that a script describes: an [llm.Asker] and
// [llm.Chatter] that answers each ask with the step it belongs to, after comparing the prompt with what the
// step expects.
//
//	model := &script.Player{Script: s}
//	… run the agent …
//	err := model.Check()
//
// What is not as scripted does not end the run: the ask is answered, the rest of
// its conversation is no longer compared (one cause, one message), and Check
// reports it. Only an ask that has no answer is an error at once. Messages show
// no secrets ([Environ]); the Prompt of an error or a [Call] is what was asked.
//
// A Player plays its script once. Set the fields before the first ask; all
// methods are safe for concurrent use.
type Player struct {
	Script *Script

	// Accept is the command that accepts a changed prompt, shown where one is
	// found: "go test -run 'TestCount$' -llm.update". Empty shows none.
	Accept string

	// Dirs are the folders that the normalizer tempdir replaces, beside those
	// below the system's folder for temporary files.
	Dirs []string

	// Normalize are normalizers beside those that the script lists.
	Normalize []Normalizer

	// Update leaves the goldens (prompt, added) uncompared, for they are to be
	// written anew: see [Player.Rewrite].
	Update bool

	// Regrow allows prompts that do not begin with the one before.
	Regrow bool

	// Live records: it answers in place of the script's replies, which
	// [Player.Rewrite] then replaces. Faults stay and are played; steps are added
	// where the conversation goes on. For chat requests it must be an
	// [llm.Chatter] too. An error that no script can hold goes to Check. Set
	// Update as well.
	Live llm.Asker

	mu     sync.Mutex
	talks  []*talk
	calls  []Call
	faults []error
	shared *llm.ConcurrentAskError
	astray bool // whether an ask belonged to no conversation
}

var (
	_ llm.Asker   = (*Player)(nil)
	_ llm.Chatter = (*Player)(nil)
)

// A Call is what became of one ask.
type Call struct {
	Lane   string
	Ask    int    // which of its conversation, from 1; 0 if it belongs to none
	At     string // "FILE:LINE" of what answered it; "" if nothing did
	Prompt string // whole
	Added  string // what it has beyond the conversation's one before; all of it if it does not begin with that
	Hash   string // of the prompt, normalized
	Stale  bool   // whether the answer was recorded for a prompt with another Hash
	Again  bool   // whether the answer had been given before and had not arrived
	Status string // "reply", "call", "fault status 429", "unexpected"
}

// Ask answers prompt. Text and tokens go to the [llm.Trace] in ctx.
//
// If ctx has ended it returns ctx.Err() and uses nothing. If ctx ends while the
// answer is on its way, it returns ctx.Err(), and the same prompt asked again
// gets the same answer.
//
// Errors: [*llm.UnexpectedAskError] if the conversation has no step left,
// [*NoLaneError] if the prompt belongs to no conversation, and those of the
// faults that the script holds, as the package's comment lists them.
func (p *Player) Ask(ctx context.Context, prompt string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	a, err := p.next(&request{prompt: prompt, parts: llm.ContextParts(ctx)})
	if err != nil {
		return "", err
	}
	if p.Live != nil && a.step.Fault == nil {
		return p.recordAsk(ctx, a, prompt)
	}
	if len(a.calls) > 0 {
		err := p.Script.errorf(a.step.Calls[0].Line, "this step calls a function, but the ask is one of plain text; the script is for chat: serve it, or write the act as a reply")
		p.report(err)
		return "", err
	}
	return a.perform(ctx)
}

// Chat answers a chat request as Ask answers a prompt: what is compared is the
// request's rendering, see [Render].
func (p *Player) Chat(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
	if err := ctx.Err(); err != nil {
		return llm.Message{}, err
	}
	own := &request{chat: true}
	own.prompt, own.parts = Render(r.Messages)
	for _, tool := range r.Tools {
		own.tools = append(own.tools, tool.Name)
	}
	a, err := p.next(own)
	if err != nil {
		return llm.Message{}, err
	}
	if p.Live != nil && a.step.Fault == nil {
		return p.recordChat(ctx, a, r)
	}
	text, err := a.perform(ctx)
	if err != nil {
		return llm.Message{}, err
	}
	return llm.Message{Role: llm.Assistant, Text: text, Calls: a.calls}, nil
}

// Check returns what was not as scripted: asks without an answer, prompts that
// differ ([*DriftError]), conversations that shared replies
// ([*llm.ConcurrentAskError]), replies left over ([*llm.UnusedRepliesError]) in
// conversations that went as scripted so far. More than one are joined
// (errors.Join). Call it when the code under test is done.
func (p *Player) Check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start()
	faults := p.faults
	if p.shared != nil {
		faults = append(faults[:len(faults):len(faults)], p.shared)
	}
	for _, t := range p.talks {
		if left := p.left(t); left != nil && !t.failed && p.shared == nil {
			faults = append(faults[:len(faults):len(faults)], left)
		}
	}
	if len(faults) == 1 {
		return faults[0]
	}
	return errors.Join(faults...)
}

// left returns the error about the steps that a conversation did not use.
func (p *Player) left(t *talk) error {
	e := &llm.UnusedRepliesError{}
	for i, step := range t.lane.Steps {
		times := max(step.Times, 1)
		e.Of += times
		if i < t.step || p.Live != nil && t.asks > 0 && !step.wanted() {
			continue
		}
		if i == t.step {
			times -= t.repeated
		}
		for range times {
			e.Replies = append(e.Replies, step.summary())
			e.At = append(e.At, p.Script.At(step.Line()))
		}
	}
	if len(e.Replies) == 0 {
		return nil
	}
	return e
}

// summary returns what a step answers, in short.
func (s *Step) summary() string {
	switch {
	case s.Fault != nil:
		return s.Fault.String()
	case len(s.Calls) > 0 && s.Reply.Text == "":
		return fmt.Sprintf("call %s %s", s.Calls[0].Name, s.Calls[0].Arguments)
	}
	return s.Reply.Text
}

// Calls returns what became of the asks so far, in the order in which they came.
func (p *Player) Calls() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Call(nil), p.calls...)
}

// report keeps an error for Check.
func (p *Player) report(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, err)
}

// start makes the conversations, once.
func (p *Player) start() {
	if p.talks != nil {
		return
	}
	list := inOrder(append(p.Script.Normalize[:len(p.Script.Normalize):len(p.Script.Normalize)], p.Normalize...), p.Dirs)
	for _, lane := range p.Script.Lanes {
		p.talks = append(p.talks, &talk{lane: lane, asked: masks{list: list}, wanted: masks{list: list}})
	}
}

// Rewrite puts what was asked into the goldens of the script, normalized: into
// the prompt and added sections that are there, and, if all is set, into new
// ones where a step has neither. Steps with times have none. With Live the
// replies that were not asked for are left out. It changes the Script;
// [Script.Bytes] writes it. Call it when the code under test is done.
func (p *Player) Rewrite(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Live != nil {
		p.cutUnasked()
	}
	for _, t := range p.talks {
		for i, golden := range t.goldens {
			step := t.lane.Steps[i]
			if step.Times > 1 {
				continue
			}
			switch {
			case step.Prompt.there():
				step.Prompt.Text = golden.prompt
			case step.Added.there() && golden.extends:
				step.Added.Text, step.SameLine = golden.lines, golden.sameLine
			case step.Added.there() || !all:
			case golden.extends:
				step.Added, step.SameLine = Section{Text: golden.lines, New: true}, golden.sameLine
			default:
				step.Prompt = Section{Text: golden.prompt, New: true}
			}
		}
	}
}
