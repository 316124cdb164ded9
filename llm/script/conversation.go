package script

import (
	"encoding/json"
	"strings"
)

// Reading the sections of conversations.

// addBefore takes a section that comes before an answer.
func (p *parser) addBefore(h head, from block) (err error) {
	switch h.kind {
	case "lane":
		return p.addLane(h.words[0], from)
	case "when":
		return p.addWhen(from)
	}
	p.needLane()
	step := p.step(from.line)
	switch {
	case h.kind == "expect":
		if step.Expect.Line > 0 {
			return p.errorf(from.line, "a second expect before the same reply; the first is in line %d: write the checks into one", step.Expect.Line)
		}
		step.Expect, err = p.checks("expect", from)
		return err
	case step.Prompt.Line > 0 || step.Added.Line > 0:
		return p.errorf(from.line, "prompt or added before the same reply is in line %d already; one of them is enough", step.Prompt.Line+step.Added.Line)
	case h.kind == "prompt":
		return p.once(&step.Prompt, h, from)
	}
	step.SameLine, err = p.noNewline(h, from)
	if err != nil {
		return err
	}
	return p.once(&step.Added, h, from)
}

// noNewline reports whether a section says newline=no.
func (p *parser) noNewline(h head, from block) (bool, error) {
	if !h.has("newline") {
		return false, nil
	}
	if err := oneOf("newline", h.get("newline"), "no"); err != nil {
		return false, p.errorf(from.line, "%w", err)
	}
	return true, nil
}

// addLane begins a conversation.
func (p *parser) addLane(name string, from block) error {
	line := from.line
	if strings.TrimSpace(from.body) != "" {
		return p.errorf(line+1, "text under lane %s; a lane is its marker alone: write the text under the marker of a section", name)
	}
	if err := p.endLane(); err != nil {
		return err
	}
	if len(p.Lanes) == 1 && p.Lanes[0].Line == 0 {
		return p.errorf(p.Lanes[0].Steps[0].Line(), "a step before the first lane (line %d); put it into one", line)
	}
	for _, other := range p.Lanes {
		if other.Name == name {
			return p.errorf(line, "a second lane %s; the first is in line %d", name, other.Line)
		}
	}
	p.lane = &Lane{Name: name, Line: line}
	p.Lanes = append(p.Lanes, p.lane)
	return nil
}

func (p *parser) addWhen(from block) (err error) {
	switch {
	case p.lane == nil || p.lane.Line == 0:
		return p.errorf(from.line, `when is not under a lane; write "-- lane NAME --" before it`)
	case p.lane.When.Line > 0:
		return p.errorf(from.line, "a second when of lane %s; the first is in line %d", p.lane.Name, p.lane.When.Line)
	case len(p.lane.Steps) > 0 || p.checked > 0:
		return p.errorf(from.line, "when is about the first prompt of lane %s; write it right under the lane's marker", p.lane.Name)
	}
	p.lane.When, err = p.checks("when", from)
	if err == nil && len(p.lane.When.List) == 0 {
		return p.errorf(from.line, "when without a check; write one, or leave it out: a lane without when takes any conversation")
	}
	return err
}

// needLane begins the only conversation of a script without lanes.
func (p *parser) needLane() {
	if p.lane == nil {
		p.lane = &Lane{Name: mainLane}
		p.Lanes = append(p.Lanes, p.lane)
	}
}

// step returns the step that checks belong to.
func (p *parser) step(line int) *Step {
	if p.next == nil {
		p.next, p.checked = &Step{}, line
	}
	return p.next
}

// addAnswer takes a reply, a call or a fault.
func (p *parser) addAnswer(h head, from block) error {
	p.needLane()
	if h.kind == "call" && p.message != nil {
		return p.addCall(p.message, h, from)
	}
	step := p.step(from.line)
	p.next, p.checked, p.message = nil, 0, nil
	p.lane.Steps = append(p.lane.Steps, step)
	var err error
	switch h.kind {
	case "fault":
		err = p.addFault(step, h, from)
	case "call":
		err = p.addCall(step, h, from)
		p.message = step
	default:
		step.Reply, err = p.text(h, from)
		p.message = step
	}
	if err != nil {
		return err
	}
	if err := step.Options.take(h); err != nil {
		return p.errorf(from.line, "%w", err)
	}
	return nil
}

// addCall adds a call to a message.
func (p *parser) addCall(step *Step, h head, from block) error {
	first := step == p.message
	for _, o := range h.options {
		if first && o.key != "id" && o.key != "encoding" {
			return p.errorf(from.line, "option %s stands at the first section of a message, in line %d; move it there, or put an empty expect between them to make this a message of its own", o.key, step.Line())
		}
	}
	text, err := p.text(h, from)
	if err != nil {
		return err
	}
	call := ToolCall{Line: from.line, quoted: text.quoted}
	call.ID, call.Name, call.Arguments = h.get("id"), h.words[0], text.Text
	if h.has("id") && call.ID == "" {
		return p.errorf(from.line, "id= is empty; name the call or leave it out: then the calls are counted")
	}
	if !json.Valid([]byte(call.Arguments)) {
		var any any
		return p.errorf(from.line, "the arguments of the call are no JSON: %w; for none write {}", json.Unmarshal([]byte(call.Arguments), &any))
	}
	if call.ID != "" && p.lane.hasID(call.ID) {
		return p.errorf(from.line, "a second call with id=%s in lane %s; give each its own, or none", call.ID, p.lane.Name)
	}
	step.Calls = append(step.Calls, call)
	return nil
}

// hasID reports whether a call of the lane is given an id.
func (l *Lane) hasID(id string) bool {
	for _, step := range l.Steps {
		for _, call := range step.Calls {
			if call.ID == id {
				return true
			}
		}
	}
	return false
}

// endLane checks what of the lane under way can be checked at its end.
func (p *parser) endLane() error {
	switch {
	case p.checked > 0:
		return p.errorf(p.checked, "checks with no reply after them; write the reply, call or fault that they are for")
	case p.lane == nil:
		return nil
	case len(p.lane.Steps) == 0:
		return p.errorf(p.lane.Line, "lane %s has no replies; write what it answers, or leave it out", p.lane.Name)
	}
	return nil
}

// checkStep reports what in a step does not fit together.
func (p *parser) checkStep(i int, step *Step) error {
	shrinks := step.Expect.has("shrinks")
	switch {
	case i == 0 && step.Added.Line > 0:
		return p.errorf(step.Added.Line, "added before the first reply of a conversation: there is nothing it could be added to; make it prompt")
	case i == 0 && shrinks:
		return p.errorf(step.Expect.Line, "shrinks before the first reply of a conversation: there is nothing it could be shorter than")
	case shrinks && step.Added.Line > 0:
		return p.errorf(step.Added.Line, "added of a prompt that shrinks (line %d): it is not added to the one before; make it prompt", step.Expect.Line)
	case step.Times > 1 && step.Prompt.Line+step.Added.Line > 0:
		return p.errorf(step.Line(), "times=%d with a prompt or added (line %d): the asks differ; write a step for each", step.Times, step.Prompt.Line+step.Added.Line)
	case step.Finish == "tool_calls" && len(step.Calls) == 0:
		return p.errorf(step.Line(), "finish=tool_calls without a call; add one with -- call TOOL --")
	case p.API == "text" && len(step.Calls) > 0:
		return p.errorf(step.Calls[0].Line, "a call in a script with api text; make it api chat")
	}
	for _, call := range step.Calls {
		if step.Times > 1 && call.ID != "" {
			return p.errorf(call.Line, "id=%s of a message with times=%d: ids are used once; leave it out, then they are counted", call.ID, step.Times)
		}
	}
	return nil
}
