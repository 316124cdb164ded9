// Package script reads script files: the replies of a model written down, with
// the task they belong to and the answer they lead to. Played by an
// llm.ScriptedLLM they drive an agent without a model.
//
// # The format
//
// A script is a text archive (txtar, see golang.org/x/tools/txtar): a comment,
// whose first line is the title, then sections, each under a marker line.
//
//	Counts the Go files.
//
//	-- task --
//	How many Go files are here?
//	-- file a.go --
//	package a
//	-- reply --
//	I will look.
//	ACT: list .
//	-- reply --
//	DONE: 1
//	-- answer --
//	1
//
// The sections:
//
//   - reply: what the model answers to the next ask. At least one.
//   - task: what the agent is to do. At most one.
//   - file PATH: a file of the folder the agent works in. PATH is relative and
//     written with slashes, without blanks. Each path at most once.
//   - answer: the answer the run must end with. At most one.
//
// What a section holds is its lines less exactly one final newline; a file
// keeps that newline. If every line of a script ends in CRLF, it is read as LF:
// git has converted it.
//
// Mistakes that txtar would pass over are errors here, each with its file and
// line: an unknown section or option, a section given twice, and a line that
// looks like a marker but is none, such as "--reply--" or a marker with blanks
// round it.
package script

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A Script is a script file, read.
type Script struct {
	Name  string // of the file, as given to Parse
	Title string // the first line of the comment; may be empty

	Task    string // empty if there is no task section
	Files   []File
	Replies []Reply // at least one

	Answer     string
	AnswerLine int // where the answer section begins; 0 if there is none
}

// A File is a file of the folder the agent works in.
type File struct {
	Path string // valid by fs.ValidPath
	Text string
	Line int // of its marker
}

// A Reply is one reply of the model.
type Reply struct {
	Text string
	Line int // of its marker
}

// At returns the place of a line of the script, as "FILE:LINE".
func (s *Script) At(line int) string { return fmt.Sprintf("%s:%d", s.Name, line) }

// Texts returns the text of each reply, for llm.ScriptedLLM.
func (s *Script) Texts() []string {
	texts := make([]string, len(s.Replies))
	for i, r := range s.Replies {
		texts[i] = r.Text
	}
	return texts
}

// Parse reads a script. Name is the file's, for error texts, all of which begin
// with "NAME:LINE: ".
func Parse(name string, data []byte) (*Script, error) {
	s := &Script{Name: name}
	sections, err := s.split(string(newlines(data)))
	if err != nil {
		return nil, err
	}
	title, _, _ := strings.Cut(sections[0].body, "\n")
	s.Title = strings.TrimSpace(title)
	for _, section := range sections[1:] {
		if err := s.add(section); err != nil {
			return nil, err
		}
	}
	if len(s.Replies) == 0 {
		return nil, s.errorf(1, `no replies; write each under a line "-- reply --"`)
	}
	return s, nil
}

// newlines turns CRLF into LF if every line ends so, and drops a byte order
// mark.
func newlines(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if n := bytes.Count(data, []byte("\n")); n > 0 && n == bytes.Count(data, []byte("\r\n")) {
		return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return data
}

func (s *Script) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s: %w", s.At(line), fmt.Errorf(format, args...))
}

// A section is a marker and the lines under it.
type section struct {
	head string // what the marker holds; empty for the comment
	body string // ends in a newline unless it is empty
	line int    // of the marker
}

// split cuts text into the comment and the sections, as txtar does, and refuses
// misspelt markers.
func (s *Script) split(text string) ([]section, error) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	sections, bodyStart, at, line := []section{{}}, 0, 0, 0
	for l := range strings.Lines(text) {
		line++
		if head, ok := marker(l); ok {
			sections[len(sections)-1].body = text[bodyStart:at]
			sections = append(sections, section{head: head, line: line})
			bodyStart = at + len(l)
		} else if head, ok := misspelt(l); ok {
			return nil, s.errorf(line, `%q looks like the marker of a section but is none; write "-- %s --" from the start of the line to its end`,
				strings.TrimSuffix(l, "\n"), head)
		}
		at += len(l)
	}
	sections[len(sections)-1].body = text[bodyStart:]
	return sections, nil
}

// marker returns what the marker of a section holds.
func marker(line string) (head string, ok bool) {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	head, ok = strings.CutPrefix(line, "-- ")
	if ok {
		head, ok = strings.CutSuffix(head, " --")
	}
	head = strings.TrimSpace(head)
	return head, ok && head != ""
}

// misspelt reports whether line is close to the marker of a section. The text of
// a marker spelt right never gets here.
func misspelt(line string) (head string, ok bool) {
	inner := strings.Trim(line, " \t\r\n")
	head = strings.Trim(strings.Trim(inner, "-"), " \t")
	if !strings.HasPrefix(inner, "--") && !strings.HasSuffix(inner, "--") {
		return "", false
	}
	words := strings.Fields(head)
	if len(words) == 0 || !slices.Contains(kinds, strings.ToLower(words[0])) {
		return "", false
	}
	words[0] = strings.ToLower(words[0])
	if len(words) == 1 || words[0] == "file" && len(words) == 2 || strings.Contains(words[1], "=") {
		return strings.Join(words, " "), true
	}
	return "", false
}

// kinds are the sections of this version, known what it says about the others.
var kinds = []string{"task", "file", "reply", "answer"}

const known = "this version knows task, file PATH, reply and answer"

// add takes a section.
func (s *Script) add(from section) error {
	words := strings.Fields(from.head)
	kind, rest, line := words[0], words[1:], from.line
	if !slices.Contains(kinds, kind) {
		return s.errorf(line, "unknown section %q; %s", kind, known)
	}
	if kind == "file" {
		return s.addFile(rest, from.body, line)
	}
	if len(rest) > 0 {
		return s.errorf(line, `section %q takes nothing, got %q; %s, without options`, kind, strings.Join(rest, " "), known)
	}
	text := strings.TrimSuffix(from.body, "\n")
	switch kind {
	case "reply":
		s.Replies = append(s.Replies, Reply{text, line})
	case "task":
		return s.addTask(text, line)
	case "answer":
		if s.AnswerLine > 0 {
			return s.errorf(line, "a second answer; the first is in line %d", s.AnswerLine)
		}
		s.Answer, s.AnswerLine = text, line
	}
	return nil
}

func (s *Script) addTask(text string, line int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return s.errorf(line, "the task is empty")
	case s.Task != "":
		return s.errorf(line, "a second task; a script has one")
	}
	s.Task = text
	return nil
}

func (s *Script) addFile(words []string, body string, line int) error {
	if len(words) != 1 {
		return s.errorf(line, `section "file" takes one path without blanks, got %q`, strings.Join(words, " "))
	}
	path := words[0]
	if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, `\:`) {
		return s.errorf(line, "path %q; want a relative one with slashes, inside the folder", path)
	}
	for _, f := range s.Files {
		if f.Path == path {
			return s.errorf(line, "file %s is in line %d too", path, f.Line)
		}
	}
	s.Files = append(s.Files, File{path, body, line})
	return nil
}
