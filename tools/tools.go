// Package tools says what a tool is: a name, a line of usage and a func from
// text to text. A tool returns ordinary Go errors; the loop turns them into
// observations that the model can react to. Only [Fatal] ends a run.
//
// [Typed] makes a tool whose arguments are the fields of a struct. The built-in
// tools are in the package tools/workspace.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
)

// A Tool is something a model can call by name. It is a plain value; copy it,
// wrap its Call, or build it from a literal:
//
//	tools.Tool{
//		Name:  "weather",
//		Usage: "CITY: today's weather",
//		Call:  func(ctx context.Context, input string) (string, error) { … },
//	}
type Tool struct {
	// Name is what the model writes to call the tool. It must be the only one
	// of its loop, and not be empty, hold blanks or control characters, or be
	// a label of the protocol or markup.
	Name string

	// Usage is one line for the model: the input it takes and what it does.
	Usage string

	// Lines says how much of a reply belongs to the input. The zero value
	// is One: a single line. A tool that takes more must say so, or the model
	// is told to write one line.
	Lines Lines

	// Schema is the JSON Schema of the object that Call takes in place of
	// words, for models that call functions. Nil means that the tool takes
	// one text and nothing else.
	Schema json.RawMessage

	// Call runs the tool. It should stop early when ctx ends.
	//
	// An error becomes the observation "error: " and its text, followed by
	// whatever output was returned with it, so the text should say what the
	// model can do next. A panic becomes an observation as well, but Go lets
	// nobody catch a panic in a goroutine that Call started, os.Exit, or (without
	// [Timeout]) runtime.Goexit. The stack of a panic goes to the ActDone hook
	// of the loop's trace.
	//
	// One Loop may run many tasks at once, so Call must be safe for
	// concurrent use unless the tool belongs to a single run.
	Call func(ctx context.Context, input string) (string, error)
}

// Lines says which lines of a reply form the input of a tool.
type Lines int

const (
	// One: the rest of the line that names the tool. The zero value.
	One Lines = iota

	// Block: one line with the here-documents opened on it, or one fenced
	// block; for tools that take one text, such as bash or an SQL query.
	Block

	// Body: the rest of the line and, under it, at most one fenced block or
	// here-document; for tools that store a text under a name, such as
	// write_file. The input is the line, which may be empty, then, if there is
	// a body, a newline and the body.
	Body
)

var linesNames = [...]string{One: "one", Block: "block", Body: "body"}

// String returns "one", "block" or "body".
func (l Lines) String() string {
	if l < 0 || int(l) >= len(linesNames) {
		return fmt.Sprintf("Lines(%d)", int(l))
	}
	return linesNames[l]
}

// MarshalText returns l.String, so that Lines is readable as JSON.
func (l Lines) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (l *Lines) UnmarshalText(text []byte) error {
	i := slices.Index(linesNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("lines %q: want one, block or body", text)
	}
	*l = Lines(i)
	return nil
}

// Do calls the tool and turns a panic into a [*PanicError], also one that the
// error it returns hides: a nil pointer of an error type panics when it is asked
// for its text.
func (t Tool) Do(ctx context.Context, input string) (output string, err error) {
	defer func() {
		if v := recover(); v != nil {
			output, err = "", &PanicError{Tool: t.Name, Value: v, Stack: debug.Stack()}
		}
	}()
	output, err = t.Call(ctx, input)
	if err != nil {
		_, _, _ = err.Error(), IsFatal(err), errors.Is(err, context.Canceled)
	}
	return output, err
}

// A PanicError is a panic of a tool, caught. Its text leaves out the stack,
// which changes from run to run and is of no use to a model.
type PanicError struct {
	Tool  string
	Value any
	Stack []byte
}

// Error tells the value if it has a text of its own, else its type: what fmt
// prints of other values may hold addresses.
func (e *PanicError) Error() string {
	format := "tool %s panicked: %v"
	switch e.Value.(type) {
	case error, fmt.Stringer:
	default:
		if k := reflect.ValueOf(e.Value).Kind(); k > reflect.Complex128 && k != reflect.String {
			format = "tool %s panicked: %T"
		}
	}
	return fmt.Sprintf(format, e.Tool, e.Value)
}

// A FatalError ends the run that called the tool. Make one with [Fatal]. An
// agent used as a tool that returns the error of its own run ends the run around
// it too.
type FatalError struct{ Err error }

func (e *FatalError) Error() string { return fmt.Sprint(e.Err) }
func (e *FatalError) Unwrap() error { return e.Err }

// Fatal marks err as one that no next step can mend: returned by a tool, also
// wrapped, it ends the run. Everything else a tool returns is an observation.
// Fatal(nil) is nil.
func Fatal(err error) error {
	if err == nil {
		return nil
	}
	return &FatalError{err}
}

// IsFatal reports whether err, or an error it wraps, was made by [Fatal].
func IsFatal(err error) bool {
	_, ok := errors.AsType[*FatalError](err)
	return ok
}
