package react

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/tools"
)

// oneString is the schema of a tool that takes one text.
var oneString = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// anyFields is the schema of a tool of which nothing is known.
var anyFields = json.RawMessage(`{}`)

// specOf tells a model of a tool.
func specOf(t tools.Tool) llm.ToolSpec {
	spec := llm.ToolSpec{Name: t.Name, Description: t.Usage, Schema: t.Schema}
	if spec.Schema == nil {
		spec.Schema = oneString
	}
	return spec
}

// read makes a step of a call, and says what is wrong with it. The step holds the
// call in a form that any server takes back.
func (c *conversation) read(call llm.ToolCall) pendingCall {
	name := normalizeText(call.Name)
	p := pendingCall{step: Step{Move: Move{Kind: Act, Tool: name, Lines: tools.Body}}}
	arguments := normalizeText(call.Arguments)
	i := match(c.tools, name)
	if i < 0 {
		p.step.Move.Input, _ = inputOf(tools.Tool{Schema: anyFields}, asObject(arguments))
		p.problem = c.unknown(name)
	} else {
		tool := c.tools[i]
		p.step.Move.Tool, p.step.Move.Lines = tool.Name, tool.Lines
		p.step.Move.Input, p.problem = inputOf(tool, arguments)
	}
	p.step.Call = llm.ToolCall{ID: c.newID(normalizeText(call.ID)), Name: plainToolName(p.step.Move.Tool), Arguments: asObject(arguments)}
	return p
}

// asObject returns arguments as the object that servers want them to be.
func asObject(arguments string) string {
	var text string
	_, ok := object(arguments)
	switch {
	case ok:
		return arguments
	case isNothing(arguments):
		return "{}"
	case json.Unmarshal([]byte(arguments), &text) == nil:
		return wrapped(text)
	}
	return wrapped(arguments)
}

func isNothing(arguments string) bool {
	arguments = strings.TrimSpace(arguments)
	return arguments == "" || arguments == "null"
}

// callOf returns the call of a prior step in a form that any server takes: the
// model's own, or one made of the move of a step that a Loop has taken.
func (c *conversation) callOf(s Step) llm.ToolCall {
	call := s.Call
	if call.Name == "" {
		call = llm.ToolCall{Name: s.Move.Tool, Arguments: c.argumentsOf(s.Move)}
	}
	return llm.ToolCall{ID: c.newID(call.ID), Name: plainToolName(call.Name), Arguments: asObject(call.Arguments)}
}

func (c *conversation) argumentsOf(move Move) string {
	i := c.tool(move.Tool)
	return argumentsOf(i < 0 || c.tools[i].Schema != nil, move.Input)
}

// argumentsOf returns arguments that inputOf makes input of.
func argumentsOf(fields bool, input string) string {
	if _, ok := object(input); ok && fields {
		return input
	}
	return wrapped(input)
}

// wrapped returns an object that holds text as its input.
func wrapped(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct { // a string can always be encoded
		Input string `json:"input"`
	}{text})
	return strings.TrimSuffix(b.String(), "\n")
}

// inputOf returns the input that a tool gets of arguments. A tool with a Schema
// gets the object, on one line; one without gets its one string. Either may also
// be given as a JSON string, or as the field input.
func inputOf(t tools.Tool, arguments string) (string, error) {
	if isNothing(arguments) {
		arguments = "{}"
	}
	var text string
	if json.Unmarshal([]byte(arguments), &text) == nil {
		return text, nil
	}
	fields, ok := object(arguments)
	if !ok {
		return "", badArguments(t, arguments)
	}
	if text, ok := soleInput(fields); ok && !hasInput(t.Schema) {
		return text, nil
	}
	switch {
	case t.Schema != nil:
		return oneLine(strings.TrimSpace(arguments)), nil
	case len(fields) == 0:
		return "", nil
	}
	return "", badArguments(t, arguments)
}

// object reads a JSON object.
func object(text string) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &fields)
	return fields, err == nil && fields != nil
}

// soleInput returns the field input of an object that has no other.
func soleInput(fields map[string]json.RawMessage) (text string, ok bool) {
	raw, ok := fields["input"]
	if !ok || len(fields) != 1 {
		return "", false
	}
	return text, len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
}

// hasInput reports whether a schema has a field of the name input.
func hasInput(schema json.RawMessage) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if schema == nil || json.Unmarshal(schema, &s) != nil {
		return false
	}
	_, ok := s.Properties["input"]
	return ok
}

// oneLine takes the line breaks out of a JSON text.
func oneLine(text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(text)) // it has been read before
	return b.String()
}

func badArguments(t tools.Tool, arguments string) error {
	want := `{"input": "..."}`
	if t.Schema != nil {
		want = "a JSON object with the fields of its schema"
	}
	why := "they are not what it takes"
	var any json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &any); err != nil {
		why = "they are not JSON: " + err.Error()
	}
	return fmt.Errorf("bad arguments for %s: %s; want %s", t.Name, why, want)
}

// longestCallName is the longest name that the strictest server takes.
const longestCallName = 64

// plainToolName returns name as every server takes it in a history: letters,
// digits, _ and -.
func plainToolName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name[:min(len(name), longestCallName)])
	return orDefault(plain, "unknown")
}
