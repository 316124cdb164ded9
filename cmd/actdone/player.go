package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

// A player plays a script on a folder and compares what comes of it with what
// the script says.
type player struct {
	*script.Player
	dir string
}

// scripted returns the play of a script on a folder. Its tools are not set.
func scripted(s *script.Script, task, dir string) play {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	p := player{&script.Player{Script: s, Dirs: []string{dir}}, dir}
	return play{task: task, loop: react.Loop{LLM: p}, judge: p.judge}
}

// judge returns what went wrong with the run or differs from the script.
func (p player) judge(_ context.Context, result react.Result, err error) []error {
	faults := append(notToldBy(err, p.Check()), p.changes()...)
	s := p.Script
	switch {
	case s.Error.Line > 0:
		return append(p.wrongError(err), faults...)
	case err != nil:
		return append([]error{err}, faults...)
	case s.Answer.Line > 0 && result.Answer != s.Answer.Text:
		faults = append(faults, fmt.Errorf("%s: the answer is %q, the script wants %q", s.At(s.Answer.Line), result.Answer, s.Answer.Text))
	}
	return faults
}

// notToldBy takes apart what a player reports, less what err tells already.
func notToldBy(err, reported error) []error {
	list := []error{reported}
	if joined, ok := reported.(interface{ Unwrap() []error }); ok {
		list = slices.Clone(joined.Unwrap())
	}
	return slices.DeleteFunc(list, func(e error) bool { return e == nil || errors.Is(err, e) })
}

// wrongError compares the error of the run with what the script says of it.
func (p player) wrongError(err error) []error {
	s := p.Script
	if err == nil {
		return []error{fmt.Errorf("%s: the run has an answer, the script wants an error", s.At(s.Error.Line))}
	}
	for _, check := range s.Error.List {
		if !check.Holds(err.Error()) {
			return []error{err, fmt.Errorf("%s: the script wants an error for which this holds: %s", s.At(check.Line), check)}
		}
	}
	return nil
}

// changes compares the folder with what the script says of it after the run.
func (p player) changes() []error {
	var faults []error
	for _, f := range p.Script.After {
		got, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(f.Path)))
		switch at := p.Script.At(f.Line); {
		case errors.Is(err, os.ErrNotExist):
			faults = append(faults, fmt.Errorf("%s: there is no %s after the run", at, f.Path))
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", at, err))
		case string(got) != f.Text:
			faults = append(faults, fmt.Errorf("%s: after the run %s is not as the script has it", at, f.Path))
		}
	}
	return faults
}
