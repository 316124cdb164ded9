package react

import (
	"strings"

	"github.com/actdone/actdone/tools"
)

// Kind says what a move does.
type Kind string

// The kinds of moves. The zero Kind is no move: the reply was refused.
const (
	Act  Kind = "act"  // run a tool
	Done Kind = "done" // end the run with an answer
)

// A Move is what a reply says to do.
type Move struct {
	Kind    Kind   `json:"kind"`
	Thought string `json:"thought,omitempty"` // the text before the move
	Tool    string `json:"tool,omitempty"`    // Act: the tool's name, as registered if it is
	Input   string `json:"input,omitempty"`   // Act: what the tool gets
	Answer  string `json:"answer,omitempty"`  // Done

	// Lines says how much of a reply the tool takes, and so how the act is
	// written in a prompt. An unknown tool counts as Body.
	Lines tools.Lines `json:"lines,omitempty"`

	// Reply is the reply up to the end of the move. Loops keep it in
	// Step.Reply.
	Reply string `json:"-"`

	// Dropped is what the reply held beside thought and move: reasoning, and
	// all that came after the move. It is for viewers only; nothing that a
	// loop does depends on it.
	Dropped string `json:"-"`
}

// A Protocol is a way to write moves as text. [ActDone] is the one of this
// package. A Protocol has no state and may be used by many goroutines at once.
//
// The prompt is made by appending: Instructions, then for each task Task, and
// for each of its steps Move and, unless the move is Done, Observation. Each of
// the last three begins with the separator it wants before itself, ends in no
// newline, and depends on its arguments only. Whatever task, thought, input or
// observation hold, a reader must be able to tell the parts of the prompt apart.
type Protocol interface {
	// Instructions returns the beginning of the prompt: the rules, the
	// tools in the order given, an example. Non-empty rules and example
	// replace the protocol's own; [NoExample] leaves the example out.
	Instructions(list []tools.Tool, rules, example string) string

	// Parse reads the one move of a reply. The error is a *ProtocolError
	// with the cause, one of the Err values of this package, and the cure.
	Parse(reply string, list []tools.Tool) (Move, error)

	// Stop returns a func for one reply that is being streamed. It takes the
	// reply so far, each time more of it, and reports whether the reply may be
	// stopped: Parse would find the same move in it as in any continuation.
	Stop(list []tools.Tool) func(soFar string) bool

	// Finish is how a move that ends the run begins, for messages to the
	// model: "DONE:".
	Finish() string

	// Task, Move and Observation append a part of the prompt. Move writes a
	// refused reply where the step holds no move. Observation writes the
	// step's note too. n is the number of the step, from 1.
	Task(prompt *strings.Builder, task string)
	Move(prompt *strings.Builder, step Step, n int)
	Observation(prompt *strings.Builder, step Step, n int)
}

// NoExample, as the example of a [Loop], leaves the example out.
const NoExample = "none"

// ActDone is the protocol of this package: ACT: and DONE:, as the package
// comment specifies it.
type ActDone struct{}

var _ Protocol = ActDone{}

// Parse calls the func [Parse].
func (ActDone) Parse(reply string, list []tools.Tool) (Move, error) { return Parse(reply, list) }

// Finish returns "DONE:".
func (ActDone) Finish() string { return "DONE:" }
