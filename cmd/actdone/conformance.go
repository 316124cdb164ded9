package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A testCase is a line of a file of conformance cases: a reply, the tools, and
// what is to come of it. testdata/protocol/README.md describes the format.
type testCase struct {
	ID     string                 `json:"id"`
	Rule   string                 `json:"rule"`
	Reply  *string                `json:"reply"`
	Base64 []byte                 `json:"reply_base64"` // in place of Reply: what is not valid UTF-8
	Tools  map[string]tools.Lines `json:"tools"`
	Want   outcome                `json:"want"`
}

// An outcome is a move, or why there is none. A field that is absent is empty.
type outcome struct {
	Move    react.Kind `json:"move,omitempty"`
	Tool    string     `json:"tool,omitempty"`
	Input   string     `json:"input,omitempty"`
	Answer  string     `json:"answer,omitempty"`
	Thought string     `json:"thought,omitempty"`
	Error   string     `json:"error,omitempty"`
}

func (o outcome) String() string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(o) // unreachable error: strings have a form in JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// causes are the names of refusals in the cases.
var causes = map[string]error{
	"no move":   react.ErrNoMove,
	"no tool":   react.ErrNoTool,
	"ambiguous": react.ErrAmbiguous,
	"unclosed":  react.ErrUnclosed,
}

// conformance runs the cases of a folder: a line for each that fails, then how
// many passed.
func conformance(dir string, out io.Writer) error {
	cases, err := readCases(dir)
	if err != nil {
		return err
	}
	failed := 0
	for _, c := range cases {
		if got := c.run(); got != c.Want {
			failed++
			fmt.Fprintf(out, "%s: got %s, want %s\n", visible(c.ID), got, c.Want)
		}
	}
	if _, err := fmt.Fprintf(out, "%d passed, %d failed\n", len(cases)-failed, failed); err != nil {
		return fail(err)
	}
	if failed > 0 {
		return fail(fmt.Errorf("%d of %d cases failed", failed, len(cases)))
	}
	return nil
}

// run parses the reply.
func (c testCase) run() outcome {
	var list []tools.Tool
	for name, lines := range c.Tools {
		list = append(list, tools.Tool{Name: name, Lines: lines})
	}
	reply := string(c.Base64)
	if c.Reply != nil {
		reply = *c.Reply
	}
	m, err := react.Parse(reply, list)
	for name, cause := range causes {
		if errors.Is(err, cause) {
			return outcome{Error: name}
		}
	}
	return outcome{Move: m.Kind, Tool: m.Tool, Input: m.Input, Answer: m.Answer, Thought: m.Thought}
}

// readCases reads all files of a folder that end in .jsonl.
func readCases(dir string) ([]testCase, error) {
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.jsonl"))
	if err != nil {
		return nil, err // unreachable: the pattern is valid
	}
	var cases []testCase
	seen := map[string]bool{}
	for _, path := range paths {
		text, err := readInput(path, nil)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range bytes.Lines(text) {
			n++
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			c, err := readCase(line)
			if err == nil && seen[c.ID] {
				err = fmt.Errorf("the id %q is there twice", c.ID)
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
			seen[c.ID] = true
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: no cases; they stand in files that end in .jsonl", dir)
	}
	return cases, nil
}

// escapeGlob returns the pattern that matches a folder of any name.
func escapeGlob(dir string) string {
	if filepath.Separator == '\\' {
		return dir // Windows has no way to escape
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// readCase reads a case and says what is wrong with it.
func readCase(line []byte) (testCase, error) {
	var c testCase
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, err
	}
	_, known := causes[c.Want.Error]
	switch {
	case c.ID == "":
		return c, errors.New("no id")
	case (c.Reply == nil) == (c.Base64 == nil):
		return c, errors.New("want one of reply and reply_base64")
	case c.Want.Error != "" && (!known || c.Want != outcome{Error: c.Want.Error}):
		return c, fmt.Errorf("want.error %q: it stands alone and is one of no move, no tool, ambiguous, unclosed", c.Want.Error)
	case c.Want.Error == "" && c.Want.Move != react.Act && c.Want.Move != react.Done:
		return c, fmt.Errorf("want.move %q: it is act or done", c.Want.Move)
	}
	return c, nil
}
