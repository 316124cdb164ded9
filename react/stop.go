package react

import (
	"errors"

	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// Stop reports that a reply may be stopped when a marker outside fences has
// named a tool that takes one line and that line has ended, or when an
// observation label stands after the end of any other act. It never stops a
// reply that holds reasoning.
func (ActDone) Stop(list []tools.Tool) func(soFar string) bool {
	s := stopper{tools: list}
	return s.stop
}

// A stopper reads the lines of a growing reply, each once.
type stopper struct {
	tools   []tools.Tool
	lines   lex.Stream
	state   stopState
	fence   lex.Fence // stopFenced: what it opened with
	checked int       // length of the reply at the last Parse
}

type stopState int

const (
	stopThought stopState = iota // before the move
	stopFenced                   // in a fence of the thought
	stopActed                    // in or after the input of an act
	stopNever
)

func (s *stopper) stop(soFar string) bool {
	for s.state != stopNever {
		line, end, ok := s.lines.Next(soFar)
		if !ok {
			return false
		}
		if s.line(line, soFar[:end]) {
			return true
		}
	}
	return false
}

// line reads a whole line; soFar is the reply up to its end.
func (s *stopper) line(line, soFar string) bool {
	switch s.state {
	case stopThought:
		return s.thought(line, soFar)
	case stopFenced:
		if f, ok := lex.FenceAt(line); ok && f.Closes(s.fence) {
			s.state = stopThought
		}
	case stopActed:
		if _, ok := labelAt(line); ok {
			return s.invented(soFar)
		}
	}
	return false
}

func (s *stopper) thought(line, soFar string) bool {
	if m, ok := markerAt(line); ok && !m.bare {
		if m.kind == Done {
			s.state = stopNever
			return false
		}
		s.state = stopActed
		name, input := cutName(m.rest)
		if i := match(s.tools, name); i < 0 || s.tools[i].Lines != tools.One || input == "" {
			return false
		}
		_, err := Parse(soFar, s.tools)
		return err == nil
	}
	f, fenced := lex.FenceAt(line)
	_, tag := lex.OpenTagAt(line)
	_, label := labelAt(line)
	switch {
	case fenced:
		s.state, s.fence = stopFenced, f
	case tag || label || lex.EndsInClosingTag(line):
		s.state = stopNever
	}
	return false
}

// invented reports whether an act is complete before the observation label at
// the end of the reply so far. It parses only when the reply has doubled since
// the last time, which keeps all calls together linear; what it misses is only
// not stopped.
func (s *stopper) invented(soFar string) bool {
	if len(soFar) < 2*s.checked {
		return false
	}
	s.checked = len(soFar)
	m, err := Parse(soFar, s.tools)
	if errors.Is(err, ErrAmbiguous) || errors.Is(err, ErrNoTool) {
		s.state = stopNever
	}
	return err == nil && m.Kind == Act
}
