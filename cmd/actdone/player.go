package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

// A player answers from a script, and says where in it a mistake lies.
type player struct {
	llm.ScriptedLLM
	script *script.Script
}

// scripted returns the play of a script. Its tools are not set.
func scripted(s *script.Script, task string) play {
	p := &player{script: s}
	p.Replies = s.Texts()
	return play{task: task, loop: react.Loop{LLM: p}, judge: p.judge}
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

// judge returns what went wrong with the run or differs from the script.
func (p *player) judge(_ context.Context, result react.Result, err error) []error {
	faults := []error{err, p.Check()}
	if want := p.script.Answer; err == nil && p.script.AnswerLine > 0 && result.Answer != want {
		faults = append(faults, fmt.Errorf("%s: the answer is %q, the script wants %q",
			p.script.At(p.script.AnswerLine), result.Answer, want))
	}
	return faults
}
