package script

import (
	"fmt"
	"time"

	"github.com/actdone/actdone/llm"
)

// A Script is a script file, read, or one made in code to be written with
// [Script.Bytes]. The Lines in it are those of markers and checks; 0 means that
// the section is not there, or not in a file yet.
type Script struct {
	Name  string // of the file, as given to Parse
	Title string // the comment's first line that is not blank
	Settings

	Task   Section
	Files  []File // the folder before the run
	Answer Section
	Error  Checks // of the error the run must end with
	After  []File // the folder after the run, as far as it matters

	Lanes []*Lane // the conversations; at least one

	source []byte
}

// A Section is what a section of text holds.
type Section struct {
	Text string
	Line int  // of the marker; 0 if there is no such section
	New  bool // for Script.Bytes: the section is to be added

	quoted bool
}

// there reports whether the section is in the file or is to be.
func (t Section) there() bool { return t.Line > 0 || t.New }

// A File is a file of the folder the agent works in.
type File struct {
	Path string // valid by fs.ValidPath
	Section
}

// Checks are the lines of a section of checks.
type Checks struct {
	List []Check
	Line int // of the marker; 0 if there is no such section
}

// A Lane is one conversation.
type Lane struct {
	Name  string // "main" if the script has no lanes
	Line  int    // of the marker; 0 if the script has no lanes
	When  Checks
	Steps []*Step // at least one
}

// A Step is one ask: what its prompt must be, and what answers it: a message
// (Reply, Calls or both) or a Fault.
type Step struct {
	Prompt   Section // the whole prompt
	Added    Section // or the lines that it adds to the one before
	SameLine bool    // whether Added goes on in the last line of that
	Expect   Checks

	Reply Section
	Calls []ToolCall
	Fault *Fault
	Options
}

// Line returns where the answer of the step begins: the line of its reply,
// first call or fault.
func (s *Step) Line() int {
	switch {
	case s.Fault != nil:
		return s.Fault.Line
	case s.Reply.there() || len(s.Calls) == 0:
		return s.Reply.Line
	}
	return s.Calls[0].Line
}

// Options say how a step answers. The zero value means: once, at once, in one
// piece, with no word about tokens.
type Options struct {
	Times             int // how many asks it answers; 0 means 1
	Delay, Gap        time.Duration
	Chunk             string // "rune", "word", "line", a number of characters, or ""
	Split             string // "bytes" or ""
	Finish            string // the finish reason; "" is the one that fits
	In, Out, Cached   int    // tokens
	On, Model, HashOf string // of a recording: date, model, Hash of the prompt
}

// A ToolCall is a tool that the model calls. Without an ID it is counted.
type ToolCall struct {
	llm.ToolCall
	Line int // of the marker

	quoted bool
}

// A Fault is what goes wrong in place of an answer. See the package's comment
// for the kinds.
type Fault struct {
	Kind       string
	Status     int           // of status
	RetryAfter time.Duration // of status
	After      int           // pieces that arrive first; -1 means all
	Type       string        // media type, of raw
	Message    string        // of errframe
	Err        error         // of error: what an ask in process returns; nil means one with the text. In no file
	Section
}

// At returns the place of a line of the script, as "FILE:LINE".
func (s *Script) At(line int) string { return fmt.Sprintf("%s:%d", s.Name, line) }

// errorf returns an error that begins with "FILE:LINE: ".
func (s *Script) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s: %w", s.At(line), fmt.Errorf(format, args...))
}

// hasLanes reports whether the script names its lanes.
func (s *Script) hasLanes() bool {
	return len(s.Lanes) != 1 || s.Lanes[0].Line > 0 || s.Lanes[0].Name != mainLane
}

// mainLane is the name of the only lane of a script without lanes.
const mainLane = "main"
