package llmtest

import (
	"fmt"

	"github.com/actdone/actdone/llm/script"
)

// Fail returns the step of a [Script] at which n asks return err, as it is.
func Fail(n int, err error) *script.Step {
	return &script.Step{
		Fault:   &script.Fault{Kind: "error", After: -1, Err: err, Section: script.Section{Text: err.Error()}},
		Options: script.Options{Times: n},
	}
}

// Status returns the step of a [Script] at which the server answers with an HTTP
// status: an *llm.StatusError.
func Status(code int) *script.Step {
	return &script.Step{Fault: &script.Fault{Kind: "status", Status: code, After: -1}}
}

// stepOf makes a step of what Script was given in a line.
func stepOf(from any, line int) (*script.Step, error) {
	var step script.Step
	switch from := from.(type) {
	case string:
		step.Reply.Text = from
	case *script.Step:
		if from == nil {
			return nil, fmt.Errorf("it is nil")
		}
		step = *from
	default:
		return nil, fmt.Errorf("it is a %T; want the reply as a string, or a *script.Step", from)
	}
	switch {
	case step.Line() > 0:
	case step.Fault != nil:
		fault := *step.Fault
		fault.Line, step.Fault = line, &fault
	case len(step.Calls) > 0 && step.Reply.Text == "":
		step.Calls = append([]script.ToolCall(nil), step.Calls...)
		step.Calls[0].Line = line
	default:
		step.Reply.Line = line
	}
	return &step, nil
}
