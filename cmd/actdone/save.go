package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/react"
)

// A saving says where the steps of a run or session go, and which it begins
// with.
type saving struct {
	to, from string
	read     *stepFile // the file from, once it is read
}

// flags adds the flags that fill s.
func (s *saving) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.to, "save", "", "write the steps to a new `file`, or to that of --continue, whatever the end")
	cmd.Flags().StringVar(&s.from, "continue", "", "go on from the steps of a `file` that --save wrote, with --native or without")
}

// begin returns the steps of --continue.
func (s *saving) begin() ([]react.Step, error) {
	if s.from == "" {
		return nil, nil
	}
	file, data, err := readStepFile(s.from)
	if err != nil {
		return nil, fmt.Errorf("--continue: %w", err)
	}
	s.read = file
	return parseSteps(s.from, data)
}

// file returns the file of --save, which is not touched yet, or nil.
func (s *saving) file() (*stepFile, error) {
	if s.to == "" {
		return nil, nil
	}
	file, err := newStepFile(s.to, s.read)
	if err != nil {
		return nil, fmt.Errorf("--save: %w", err)
	}
	return file, nil
}

// unfinished returns the task of the last step if there is no answer to it.
func unfinished(steps []react.Step) string {
	if len(steps) == 0 || steps[len(steps)-1].Move.Kind == react.Done {
		return ""
	}
	return steps[len(steps)-1].Task
}

// A savedHead is the first line of a file of steps. Each further line is a
// [react.Step].
type savedHead struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
}

// head is the first line of what this version writes, and all that it reads.
var head = savedHead{Kind: "actdone steps", Version: 1}

// formatSteps returns what a file of these steps holds.
func formatSteps(steps []react.Step) ([]byte, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	err := lines.Encode(head)
	for _, s := range steps {
		err = errors.Join(err, lines.Encode(s))
	}
	return b.Bytes(), err
}

// parseSteps reads what formatSteps has written. Its errors begin with
// "NAME:LINE: ".
func parseSteps(name string, data []byte) ([]react.Step, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%s:1: the file is empty; --save writes one", name)
	}
	var steps []react.Step
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSuffix(line, []byte("\n"))
		s, err := parseStep(line)
		if n == 1 {
			err = checkHead(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if n > 1 {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

func checkHead(line []byte) error {
	var h savedHead
	switch err := json.Unmarshal(line, &h); {
	case err != nil || h.Kind != head.Kind:
		return errors.New("not a file of steps: --save writes one")
	case h.Version != head.Version:
		return fmt.Errorf("version %d of the format; this actdone reads version %d", h.Version, head.Version)
	}
	return nil
}

// parseStep reads a line. What is not understood is refused, for it would be lost
// when the steps are saved again.
func parseStep(line []byte) (react.Step, error) {
	var s react.Step
	if !utf8.Valid(line) {
		return s, damaged(errors.New("invalid UTF-8"))
	}
	one := json.NewDecoder(bytes.NewReader(line))
	one.DisallowUnknownFields()
	if err := one.Decode(&s); err != nil {
		return s, damaged(err)
	}
	if _, err := one.Token(); err != io.EOF {
		return s, damaged(errors.New("more than one value"))
	}
	_, err := react.Loop{}.Transcript("", s) // which looks whether a run can have made it
	if err != nil {
		return s, damaged(cmp.Or(errors.Unwrap(err), err))
	}
	return s, nil
}

func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line is damaged: it ends too early")
	}
	return errors.New("the line is damaged: " + strings.TrimPrefix(err.Error(), "json: "))
}
