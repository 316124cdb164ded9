package react

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/actdone/actdone/llm"
)

// Why a reply is not a move. Each is found in a [*ProtocolError] by errors.Is.
var (
	// ErrNoMove: no line begins with a marker.
	ErrNoMove = errors.New("reply has neither ACT: nor DONE: at the start of a line")

	// ErrNoTool: ACT: is not followed by the name of a tool.
	ErrNoTool = errors.New("ACT: names no tool")

	// ErrAmbiguous: where the input ends, or whether it was meant to run, is a
	// guess.
	ErrAmbiguous = errors.New("reply leaves open what the input of ACT: is")

	// ErrUnclosed: a fence or here-document has no end.
	ErrUnclosed = errors.New("reply ends inside a fence or here-document")
)

// A ProtocolError is a reply in which no move could be read. Nothing of it was
// run. Beside the causes of this package it may wrap a *llm.TruncatedError or
// llm.ErrNoReply.
type ProtocolError struct {
	Step  int    // the step of the run, from 1; 0 outside a run
	Reply string // the whole reply
	Err   error  // the cause
	Cure  string // what the model is told to do about it
}

func (e *ProtocolError) Error() string {
	text := e.Err.Error()
	if e.Step > 0 {
		text = fmt.Sprintf("step %d: %s", e.Step, text)
	}
	if _, cut := errors.AsType[*llm.TruncatedError](e.Err); cut || e.Reply == "" {
		return text // a cut reply is quoted by its own error
	}
	return fmt.Sprintf("%s: %q", text, clip(e.Reply))
}

func (e *ProtocolError) Unwrap() error { return e.Err }

// The limits of a run, found in a [*LimitError] by errors.Is.
var (
	ErrStepLimit   = errors.New("step limit reached")
	ErrPromptLimit = errors.New("prompt limit reached")
)

// A LimitError ends a run that has used up one of its limits.
type LimitError struct {
	Limit int   // Loop.MaxSteps in asks, or Loop.MaxPrompt in bytes
	Need  int   // the ask or the length of the prompt that would have been next
	Err   error // ErrStepLimit or ErrPromptLimit
}

func (e *LimitError) Error() string {
	if e.Err == ErrPromptLimit {
		return fmt.Sprintf("%v: the next prompt has %d bytes, MaxPrompt is %d", e.Err, e.Need, e.Limit)
	}
	asks := "asks"
	if e.Limit == 1 {
		asks = "ask"
	}
	return fmt.Sprintf("%v: no answer after %d %s; raise the limit to get further", e.Err, e.Limit, asks)
}

func (e *LimitError) Unwrap() error { return e.Err }

// An AskError ends a run because the model could not be asked. Running the same
// task again with the steps so far sends the same prompt.
type AskError struct {
	Step int // from 1
	Err  error
}

func (e *AskError) Error() string { return fmt.Sprintf("ask at step %d: %v", e.Step, e.Err) }
func (e *AskError) Unwrap() error { return e.Err }

// A ToolError ends a run because a tool said so with tools.Fatal. The step is
// kept, with the error as its observation.
type ToolError struct {
	Step int // from 1
	Tool string
	Err  error
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("tool %s at step %d: %v", e.Tool, e.Step, e.Err)
}

func (e *ToolError) Unwrap() error { return e.Err }

// A CancelError ends a run whose context has ended. It wraps ctx.Err(), the
// context's cause, and the error of the ask that it ended.
type CancelError struct {
	Step  int   // the step that was not finished, from 1
	Err   error // context.Canceled or context.DeadlineExceeded
	Cause error // context.Cause(ctx)
	Ask   error // what the ask under way returned; nil if there was none
}

func (e *CancelError) Error() string {
	if e.Cause != nil && e.Cause != e.Err {
		return fmt.Sprintf("step %d: %v: %v", e.Step, e.Err, e.Cause)
	}
	return fmt.Sprintf("step %d: %v", e.Step, e.Err)
}

func (e *CancelError) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Err, e.Cause, e.Ask}, func(err error) bool { return err == nil })
}

// clipped is how much of a reply an error message quotes, in bytes.
const clipped = 200

// clip shortens s for a message.
func clip(s string) string { return clipTo(s, clipped) }

func clipTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
