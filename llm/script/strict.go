package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// What the strictest provider checks in a request.

// check returns what it would refuse.
func (c *chatRequest) check() error {
	switch {
	case c.Model == "":
		return errors.New("model is missing")
	case len(c.Messages) == 0:
		return errors.New("messages is missing or empty")
	case c.N != nil && *c.N != 1:
		return fmt.Errorf("n is %d; a script gives one choice", *c.N)
	case c.StreamOptions != nil && !c.Stream:
		return errors.New("stream_options without stream")
	}
	if err := c.checkTools(); err != nil {
		return err
	}
	return checkTalk(c.Messages)
}

// legalName are the names that a tool may have.
var legalName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func checkName(name string) error {
	if !legalName.MatchString(name) {
		return fmt.Errorf("%q is no name of a tool: those are 1 to 64 letters, digits, _ and -", name)
	}
	return nil
}

func (c *chatRequest) checkTools() error {
	seen := map[string]bool{}
	for i, tool := range c.Tools {
		name := tool.Function.Name
		err := checkName(name)
		switch {
		case tool.Type != "function":
			err = fmt.Errorf("the type is %q, want function", tool.Type)
		case err == nil && seen[name]:
			err = fmt.Errorf("a second tool %q", name)
		case err == nil && !isObject(tool.Function.Parameters):
			err = fmt.Errorf("the parameters of %q are no JSON Schema of an object", name)
		}
		if err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
		seen[name] = true
	}
	if c.Tools != nil && len(c.Tools) == 0 {
		return errors.New("tools is empty; leave it out")
	}
	return c.checkChoice(seen)
}

// isObject reports whether parameters, where there are any, are a schema of an
// object.
func isObject(schema json.RawMessage) bool {
	if len(schema) == 0 {
		return true
	}
	var shape struct {
		Type string `json:"type"`
	}
	return bytes.HasPrefix(schema, []byte("{")) && json.Unmarshal(schema, &shape) == nil && shape.Type == "object"
}

// checkChoice checks which tool is to be called.
func (c *chatRequest) checkChoice(tools map[string]bool) error {
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	switch string(c.ToolChoice) {
	case "", "null":
		return nil
	case `"none"`, `"auto"`, `"required"`:
	default:
		if err := json.Unmarshal(c.ToolChoice, &named); err != nil || !tools[named.Function.Name] {
			return fmt.Errorf("tool_choice is %s; want none, auto, required or one of the tools", c.ToolChoice)
		}
	}
	if len(tools) == 0 {
		return errors.New("tool_choice without tools")
	}
	return nil
}

// A dialogue follows the tool calls of a conversation.
type dialogue struct {
	seen map[string]bool // all ids
	open map[string]bool // those not answered yet
}

// checkTalk checks a conversation.
func checkTalk(messages []chatMessage) error {
	d := dialogue{seen: map[string]bool{}, open: map[string]bool{}}
	for i, m := range messages {
		if err := d.take(m); err != nil {
			return fmt.Errorf("messages[%d] (%s): %w", i, m.Role, err)
		}
	}
	if len(d.open) > 0 {
		return fmt.Errorf("the conversation ends, but %s", d.unanswered())
	}
	return nil
}

func (d *dialogue) unanswered() string {
	return "calls are not answered: " + strings.Join(slices.Sorted(maps.Keys(d.open)), ", ")
}

func (d *dialogue) take(m chatMessage) error {
	missing := len(m.Content) == 0 || string(m.Content) == "null"
	switch {
	case !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, m.Role):
		return fmt.Errorf("the role is %q; there are system, developer, user, assistant, tool", m.Role)
	case m.Role != "tool" && len(d.open) > 0:
		return errors.New(d.unanswered())
	case missing && (m.Role != "assistant" || len(m.Calls) == 0):
		return errors.New("the content is missing")
	case m.Role != "assistant" && len(m.Calls) > 0:
		return errors.New("only an assistant calls tools")
	case m.Role == "tool":
		return d.answer(m.CallID)
	case m.CallID != "":
		return errors.New("tool_call_id in a message that is none of a tool")
	}
	for i, call := range m.Calls {
		if err := d.call(call); err != nil {
			return fmt.Errorf("tool_calls[%d]: %w", i, err)
		}
	}
	return nil
}

// answer takes the answer to a call.
func (d *dialogue) answer(id string) error {
	switch {
	case id == "":
		return errors.New("tool_call_id is missing")
	case !d.open[id] && d.seen[id]:
		return fmt.Errorf("the call %q is answered already", id)
	case !d.open[id]:
		return fmt.Errorf("tool_call_id %q: there is no such call", id)
	}
	delete(d.open, id)
	return nil
}

// call takes a call.
func (d *dialogue) call(c wireCall) error {
	switch err := checkName(c.Function.Name); {
	case c.ID == "":
		return errors.New("the id is missing")
	case d.seen[c.ID]:
		return fmt.Errorf("a second call with the id %q", c.ID)
	case c.Type != "function":
		return fmt.Errorf("the type is %q, want function", c.Type)
	case err != nil:
		return err
	case !json.Valid([]byte(c.Function.Arguments)):
		return fmt.Errorf("the arguments of %q are no JSON: %q", c.Function.Name, c.Function.Arguments)
	}
	d.seen[c.ID], d.open[c.ID] = true, true
	return nil
}
