package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Judge returns what was not as scripted in a run that ended with answer, or with
// err, in the folder dir: what [Player.Check] reports, less what err tells
// already, then what the script says of the answer, the error and the folder
// afterwards. An error that the script does not want comes first. Call it when
// the run is done.
func (p *Player) Judge(dir, answer string, err error) []error {
	s := p.Script
	faults := append(p.Untold(err), s.changes(dir)...)
	switch {
	case s.Error.Line > 0:
		return append(s.wrongError(err), faults...)
	case err != nil:
		return append([]error{err}, faults...)
	case s.Answer.Line > 0 && answer != s.Answer.Text:
		faults = append(faults, fmt.Errorf("%s: the answer is %q, the script wants %q", s.At(s.Answer.Line), answer, s.Answer.Text))
	}
	return faults
}

// Untold returns what [Player.Check] reports, one by one, less what err tells
// already. Err may be nil.
func (p *Player) Untold(err error) []error {
	reported := p.Check()
	list := []error{reported}
	if joined, ok := reported.(interface{ Unwrap() []error }); ok {
		list = slices.Clone(joined.Unwrap())
	}
	return slices.DeleteFunc(list, func(e error) bool { return e == nil || errors.Is(err, e) })
}

// wrongError compares the error of a run with what the script says of it.
func (s *Script) wrongError(err error) []error {
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

// changes compares a folder with what the script says of it after the run.
func (s *Script) changes(dir string) []error {
	var faults []error
	for _, f := range s.After {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		switch at := s.At(f.Line); {
		case errors.Is(err, os.ErrNotExist):
			faults = append(faults, fmt.Errorf("%s: there is no %s after the run", at, f.Path))
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", at, err))
		case string(got) != f.Text:
			faults = append(faults, fmt.Errorf("%s: after the run %s is not as the script has it%s", at, f.Path, f.diff(string(got))))
		}
	}
	return faults
}

// diff shows where a file differs from what the script says of it.
func (f *File) diff(got string) string {
	want := f.Text
	if strings.HasSuffix(want, "\n") && strings.HasSuffix(got, "\n") {
		want, got = want[:len(want)-1], got[:len(got)-1]
	}
	return showDiff("script", want, "folder", got)
}
