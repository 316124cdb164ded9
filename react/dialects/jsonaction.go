package dialects

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// The JSON block of langchain's structured chat agents, which stands in the place
// of the tool's name and of Action Input:
// https://reference.langchain.com/v0.3/python/langchain/agents/langchain.agents.structured_chat.base.StructuredChatAgent.html

const jsonCure = `write one JSON object with "action", a tool's name, and "action_input", a text or an object, and nothing else`

// jsonFence returns the fence of the JSON block under Action: or behind it, and
// where the line after the fence begins. first is the rest of the action's line.
func (r classicReader) jsonFence(first string, next int) (f lex.Fence, pos int, ok bool) {
	if lex.IsBlank(first) {
		first, _, next = lex.NonBlank(r.text, next)
	}
	f, ok = lex.FenceAt(first)
	ok = ok && (f.Info == "" || strings.EqualFold(f.Info, "json")) && !(r.packed != nil && f.Closes(*r.packed))
	return f, next, ok
}

// jsonMove reads the move in the JSON block that f opened on the line before pos.
func (r classicReader) jsonMove(f lex.Fence, pos int) (m react.Move, end int, err error) {
	block, end, err := fenced(r.text, f, pos)
	if err != nil {
		return m, 0, err
	}
	action, input, err := readAction(block)
	if err == nil {
		err = r.end(end, observationAt)
	}
	switch tool, known := toolFor(r.tools, action); {
	case err != nil:
		return m, 0, err
	case !known && strings.EqualFold(action, "Final Answer"):
		return react.Move{Kind: react.Done, Answer: trimText(input)}, end, nil
	case tool.Lines == tools.One && strings.Contains(input, "\n"):
		return m, 0, refuse(react.ErrAmbiguous, tool.Name+" takes one line", "write an action_input of one line")
	default:
		m = react.Move{Kind: react.Act, Tool: tool.Name, Lines: tool.Lines, Input: input}
	}
	if !r.writable(m) {
		return m, 0, refuse(react.ErrAmbiguous, "the block says what Action: and Action Input: cannot", "begin action_input with a plain line")
	}
	return m, end, nil
}

// writable reports whether an act, written in a prompt, reads back as it is.
func (r classicReader) writable(m react.Move) bool {
	var text strings.Builder
	r.dialect.Move(&text, react.Step{Move: m}, 1)
	again, err := r.dialect.Parse(text.String(), r.tools)
	return err == nil && again.Tool == m.Tool && again.Input == m.Input
}

// readAction reads the JSON object of an action. It must be whole, and hold the
// two keys once each and no other: what one more key would mean is a guess.
func readAction(block string) (action, input string, err error) {
	d := json.NewDecoder(strings.NewReader(block))
	if open, _ := d.Token(); open != json.Delim('{') || !json.Valid([]byte(block)) {
		return "", "", refuse(react.ErrAmbiguous, "the block under Action: is not a JSON object", jsonCure)
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, _ := d.Token() // no error: the block is valid
		name, _ := key.(string)
		if fields[name] != nil || name != "action" && name != "action_input" {
			return "", "", refuse(react.ErrAmbiguous, "the block under Action: has one key too many", jsonCure)
		}
		var value json.RawMessage
		_ = d.Decode(&value)
		fields[name] = value
	}
	if json.Unmarshal(fields["action"], &action) != nil || lex.IsBlank(action) {
		return "", "", refuse(react.ErrNoTool, "the block under Action: names no action", jsonCure)
	}
	input, err = actionInput(fields["action_input"])
	return lex.Trim(action), input, err
}

// actionInput returns a string as its text and an object as compact JSON.
func actionInput(value json.RawMessage) (input string, err error) {
	switch {
	case bytes.HasPrefix(value, []byte("{")):
		var b bytes.Buffer
		err = json.Compact(&b, value)
		input = b.String()
	case bytes.HasPrefix(value, []byte(`"`)):
		err = json.Unmarshal(value, &input)
	default:
		return "", refuse(react.ErrAmbiguous, "action_input is missing, or neither a text nor an object", jsonCure)
	}
	return lex.Normalize(input), err // no error: the block is valid
}
