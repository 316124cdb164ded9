package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/actdone/actdone/llm"
)

// Recording: the answers come from a model, and the script takes them down.

// A take is one answer of the model that is recorded.
type take struct {
	message llm.Message
	heard   string // what had arrived when the ask was given up
	usage   llm.Usage
}

// listen returns a context that lets the take hear the answer.
func (k *take) listen(ctx context.Context) context.Context {
	return llm.WithTrace(ctx, &llm.Trace{
		Delta: func(text string) { k.heard += text },
		Retry: func(error) { k.heard = "" },
		Usage: func(u llm.Usage) { k.usage = u },
	})
}

// recordAsk asks Live and keeps the reply.
func (p *Player) recordAsk(ctx context.Context, a *answer, prompt string) (string, error) {
	var k take
	reply, err := p.Live.Ask(k.listen(ctx), prompt)
	k.message.Text = reply
	p.keep(ctx, a, &k, err)
	return reply, err
}

// recordChat asks Live and keeps the message. Its calls get the IDs that the
// script will give them.
func (p *Player) recordChat(ctx context.Context, a *answer, r llm.ChatRequest) (llm.Message, error) {
	live, ok := p.Live.(llm.Chatter)
	if !ok {
		err := errors.New("recording: the model takes no chat requests; Live must be a llm.Chatter too")
		p.report(err)
		return llm.Message{}, err
	}
	var k take
	m, err := live.Chat(k.listen(ctx), r)
	k.message = m
	p.keep(ctx, a, &k, err)
	if err == nil {
		m.Calls = a.calls
	}
	return m, err
}

// keep puts what Live answered into the step. A reply that was cut by its length
// or a filter is kept as that, one that the agent stopped listening to as far as
// it had come. Any other error is no part of a script and spoils the recording.
func (p *Player) keep(ctx context.Context, a *answer, k *take, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	finish, text := "", k.message.Text
	cut, isCut := errors.AsType[*llm.TruncatedError](err)
	refused, isRefused := errors.AsType[*llm.RefusedError](err)
	switch {
	case err == nil:
	case isCut && cut.Reason == "length":
		finish, text = "length", cut.Text
	case isRefused:
		finish, text = "content_filter", refused.Text
	case ctx.Err() != nil:
		text = k.heard
		a.talk.undone = text == ""
	case errors.Is(err, llm.ErrNoReply):
	default:
		p.faults = append(p.faults, fmt.Errorf("recording: ask %d of lane %s: %w", a.ask, a.talk.lane.Name, err))
		return
	}
	a.step.take(text, k.message.Calls)
	a.calls = a.talk.number(a.step.Calls)
	old := a.step.Options
	a.step.Options = Options{
		Chunk: old.Chunk, Split: old.Split, Delay: old.Delay, Gap: old.Gap,
		Finish: finish, In: k.usage.Prompt, Out: k.usage.Reply, Cached: k.usage.Cached,
		HashOf: a.hash,
	}
}

// take makes text and calls the answer of the step.
func (s *Step) take(text string, calls []llm.ToolCall) {
	old := s.Calls
	s.Calls = nil
	for i, call := range calls {
		c := ToolCall{ToolCall: llm.ToolCall{Name: call.Name, Arguments: call.Arguments}}
		if i < len(old) {
			c.Line = old[i].Line
		}
		s.Calls = append(s.Calls, c)
	}
	if text == "" && len(calls) > 0 {
		s.Reply = Section{}
		return
	}
	s.Reply.Text, s.Reply.New = text, s.Reply.Line == 0
}

// cutUnasked takes the replies that were not asked for out of the script.
func (p *Player) cutUnasked() {
	for _, t := range p.talks {
		if t.asks > 0 {
			t.lane.Steps = t.lane.Steps[:t.step]
		}
	}
}

// wanted reports whether a step that was not asked for is missed in a recording:
// a fault or checks, which are written by hand.
func (s *Step) wanted() bool { return s.Fault != nil || s.Expect.Line > 0 }

// goOn makes a step for the next ask: where the script has ended a new one, and
// one of its own where the script's answers several.
func (t *talk) goOn() {
	if t.step >= len(t.lane.Steps) {
		t.lane.Steps = append(t.lane.Steps, &Step{Reply: Section{New: true}})
	}
	if step := t.lane.Steps[t.step]; step.Fault == nil {
		step.Times = 0
	}
}
