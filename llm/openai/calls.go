package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sashabaranov/go-openai"

	"github.com/actdone/actdone/llm"
)

// calls are the tool calls of a reply, put together from their pieces. The zero
// value has none.
type calls []*openCall

// An openCall is a call whose arguments may still go on.
type openCall struct {
	index     *int // nil if the server does not number its calls
	id, name  string
	arguments strings.Builder
	object    object
}

// mostCalls is how many calls of a reply are read.
const mostCalls = 128

// add takes a piece of a call. Beside tells that it does not stand first in its
// list.
func (c *calls) add(p openai.ToolCall, beside bool) {
	call := c.find(p)
	if call == nil || call.before(p, beside) {
		if len(*c) > mostCalls {
			return // done says so
		}
		call = &openCall{index: p.Index}
		*c = append(*c, call)
	}
	call.add(p)
}

// find returns the call that p most likely is a piece of: the latest one with its
// index or, where there are no indexes, the one with its id or the last.
func (c calls) find(p openai.ToolCall) *openCall {
	var found *openCall
	for _, call := range c {
		switch {
		case p.Index == nil && (found == nil || found.id != p.ID || p.ID == ""),
			p.Index != nil && call.index != nil && *call.index == *p.Index:
			found = call
		}
	}
	return found
}

// before reports whether p, which could be a piece of the call, begins another.
// Servers have been seen to give every call the index 0, to repeat id and name in
// each piece, and to give each piece an id of its own.
func (o *openCall) before(p openai.ToolCall, beside bool) bool {
	name, arguments := p.Function.Name, strings.TrimSpace(p.Function.Arguments)
	switch {
	case p.Index == nil && beside && name != "":
		return true
	case p.ID != "" && o.id != "":
		return p.ID != o.id && (name != "" || arguments != "" && o.object.closed)
	case name == "" || o.name == "":
		return false
	}
	return o.object.closed && arguments != "" || name != o.name && (arguments != "" || o.arguments.Len() > 0)
}

// add appends a piece. A name that comes again is the same name, and another one
// before any arguments is its next part.
func (o *openCall) add(p openai.ToolCall) {
	if o.id == "" {
		o.id = p.ID
	}
	if name := p.Function.Name; name != o.name && (o.name == "" || o.arguments.Len() == 0) {
		o.name += name
	}
	o.arguments.WriteString(p.Function.Arguments)
	o.object.write(p.Function.Arguments)
}

// done returns the calls. Those without an id, or with one that another has, get
// one made of their place behind the calls made before.
func (c calls) done(before int) ([]llm.ToolCall, error) {
	if len(c) > mostCalls {
		return nil, &llm.DecodeError{Code: 200, Err: fmt.Errorf("more than %d tool calls", mostCalls)}
	}
	var all []llm.ToolCall
	for _, o := range c {
		arguments := o.arguments.String()
		if strings.TrimSpace(o.name) == "" {
			begin := o.id + " " + arguments
			return nil, &llm.DecodeError{Code: 200, Body: begin[:min(len(begin), mostBegin)], Err: errors.New("a tool call without a name")}
		}
		if text := strings.TrimSpace(arguments); text == "" || text == "null" {
			arguments = "{}"
		}
		all = append(all, llm.ToolCall{ID: o.id, Name: o.name, Arguments: arguments})
	}
	giveIDs(all, before)
	return all, nil
}

// giveIDs makes ids for the calls that want one, nine letters and digits long:
// Mistral takes no others back.
func giveIDs(all []llm.ToolCall, before int) {
	taken := map[string]bool{}
	for _, call := range all {
		taken[call.ID] = true
	}
	used := map[string]bool{"": true}
	for i := range all {
		id := all[i].ID
		for n := before + i + 1; used[id]; n++ {
			if made := fmt.Sprintf("call%05d", n); !taken[made] {
				id = made
			}
		}
		used[id], all[i].ID = true, id
	}
}

// An object follows a JSON text to the end of the object in it.
type object struct {
	depth    int
	inString bool
	escaped  bool
	closed   bool
}

func (o *object) write(text string) {
	for _, b := range []byte(text) {
		switch {
		case o.escaped:
			o.escaped = false
		case o.inString:
			o.escaped, o.inString = b == '\\', b != '"'
		case b == '"':
			o.inString = true
		case b == '{':
			o.depth++
		case b == '}':
			o.depth--
			o.closed = o.closed || o.depth == 0
		}
	}
}
