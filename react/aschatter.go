package react

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/tools"
)

// AsChatter gives a model without function calls the interface of one that has
// them: the text protocol inside, calls outside. The list is that of the tools
// that requests will offer; it says what a tool's input may be, which a
// [llm.ToolSpec] does not.
//
//	react.Native{LLM: react.AsChatter(model, list), Tools: list}
//
// A request is asked as the prompt that a [Loop] would make of the same steps: a
// system message other than [NativeRules] stands before the protocol's rules,
// what a tool returned is an observation, and a message of the user begins a
// task, unless it is one that Native writes during a run. An act of the reply
// becomes one call, with its input as the field "input" unless that is an object
// already; an answer becomes the text, and the thought before it the reasoning.
// A reply in which no move can be read is a [*ProtocolError], which a Native
// answers as a Loop does.
//
// The Chatter is safe for concurrent use if the Asker is.
func AsChatter(asker llm.Asker, list []tools.Tool) llm.Chatter {
	return llm.ChatFunc(func(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
		m := &moves{tools: list, open: map[string]Step{}}
		return m.chat(ctx, asker, r)
	})
}

// A moves makes steps of messages, and a message of a move.
type moves struct {
	tools []tools.Tool
	rules string
	steps []Step
	task  string
	begun bool // the task, and there is no answer to it yet
	asks  int
	calls int
	open  map[string]Step // calls without a result
}

func (m *moves) chat(ctx context.Context, asker llm.Asker, r llm.ChatRequest) (llm.Message, error) {
	for i, message := range r.Messages {
		if err := m.take(message); err != nil {
			return llm.Message{}, fmt.Errorf("react: message %d of the conversation: %w", i+1, err)
		}
	}
	offered := m.offered(r)
	loop := Loop{Tools: offered, MaxSteps: math.MaxInt32, Instructions: m.rules}
	t, err := loop.Transcript(m.task, m.steps...)
	if err != nil {
		return llm.Message{}, err
	}
	prompt, err := t.Prompt()
	if err != nil {
		return llm.Message{}, err
	}
	reply, err := asker.Ask(llm.WithParts(ctx, t.Parts()), prompt)
	if err != nil {
		return llm.Message{}, err
	}
	move, err := Parse(reply, offered)
	if err != nil {
		return llm.Message{}, err
	}
	return m.message(move), nil
}

// offered returns the tools of the request.
func (m *moves) offered(r llm.ChatRequest) []tools.Tool {
	if r.ToolChoice == llm.ToolsNone {
		return nil
	}
	var list []tools.Tool
	for _, spec := range r.Tools {
		t := tools.Tool{Name: spec.Name, Usage: spec.Description, Lines: tools.Body, Schema: spec.Schema}
		if i := match(m.tools, spec.Name); i >= 0 {
			t.Lines, t.Schema = m.tools[i].Lines, m.tools[i].Schema
		}
		list = append(list, t)
	}
	return list
}

// take takes a message.
func (m *moves) take(message llm.Message) error {
	switch message.Role {
	case llm.System:
		if message.Text != NativeRules {
			m.rules = message.Text + "\n\n" + Rules
		}
	case llm.User:
		m.takeUser(message.Text)
	case llm.Assistant:
		m.takeAssistant(message)
	case llm.ToolResult:
		step, ok := m.open[message.CallID]
		if !ok {
			return fmt.Errorf("it answers a call %q that was not made", message.CallID)
		}
		delete(m.open, message.CallID)
		step.Observation = message.Text
		m.steps = append(m.steps, step)
	default:
		return fmt.Errorf("unknown role %q", message.Role)
	}
	return nil
}

// takeUser takes a task, or what a Native says during a run.
func (m *moves) takeUser(text string) {
	last := len(m.steps) - 1
	note, isNote := strings.CutPrefix(text, "NOTE: ")
	switch {
	case isNote && last >= 0 && m.asks > 0:
		m.steps[last].Note = strings.ReplaceAll(note, "\nNOTE: ", "\n")
	case m.begun && strings.HasPrefix(text, "error: nothing was run: "):
		m.asks++
		m.steps = append(m.steps, Step{Task: m.task, Ask: m.asks, Refused: "no move", Observation: text})
	default:
		m.task, m.begun, m.asks = text, true, 0
	}
}

func (m *moves) takeAssistant(message llm.Message) {
	m.asks++
	step := Step{Task: m.task, Ask: m.asks, Move: Move{Kind: Done, Thought: message.Reasoning, Answer: message.Text}}
	if len(message.Calls) == 0 {
		m.steps = append(m.steps, step)
		m.begun, m.asks = false, 0
		return
	}
	thought := message.Text
	for _, call := range message.Calls {
		m.calls++
		tool := m.tool(call.Name)
		step.Move = Move{Kind: Act, Thought: thought, Tool: call.Name, Lines: tool.Lines}
		if input, err := inputOf(tool, call.Arguments); err == nil {
			step.Move.Input = input
		} else {
			step.Move.Input = call.Arguments
		}
		m.open[call.ID], thought = step, ""
	}
}

// tool returns the tool of a call. What is not known may have any fields.
func (m *moves) tool(name string) tools.Tool {
	if i := match(m.tools, name); i >= 0 {
		return m.tools[i]
	}
	return tools.Tool{Name: name, Lines: tools.Body, Schema: anyFields}
}

// message says a move.
func (m *moves) message(move Move) llm.Message {
	if move.Kind == Done {
		return llm.Message{Role: llm.Assistant, Text: move.Answer, Reasoning: move.Thought}
	}
	return llm.Message{Role: llm.Assistant, Text: move.Thought, Calls: []llm.ToolCall{{
		ID:        madeID(m.calls + 1),
		Name:      move.Tool,
		Arguments: argumentsOf(m.tool(move.Tool).Schema != nil, move.Input),
	}}}
}
