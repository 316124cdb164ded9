package script

import (
	"bytes"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads a script. Name is the file's, for error texts, all of which begin
// with "NAME:LINE: ". A script has at least one step; what else must be together
// depends on who plays it.
func Parse(name string, data []byte) (*Script, error) {
	p := &parser{Script: &Script{Name: name, source: bytes.Clone(data)}}
	blocks, err := p.split(newlines(data))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(blocks[0].body) {
		if p.Title = strings.TrimSpace(line); p.Title != "" {
			break
		}
	}
	for _, block := range blocks[1:] {
		if err := p.add(block); err != nil {
			return nil, err
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return p.Script, nil
}

// A parser is a script as far as it has been read.
type parser struct {
	*Script
	lane    *Lane // the conversation under way
	next    *Step // the checks of the next step
	checked int   // the line of the first of them; 0 if there is none
	message *Step // the message that a call would belong to
}

// add takes a section.
func (p *parser) add(from block) error {
	h, err := p.head(from)
	if err != nil {
		return err
	}
	for _, word := range h.words {
		if strings.ContainsFunc(word, odd) || !utf8.ValidString(word) {
			return p.errorf(from.line, "%q; want characters that can be seen, no quotes", word)
		}
	}
	switch h.kind {
	case "lane", "when", "prompt", "added", "expect":
		p.message = nil
		return p.addBefore(h, from)
	case "reply", "call", "fault":
		return p.addAnswer(h, from)
	}
	return p.addRun(h, from)
}

// odd reports whether r has no place in a word of a marker.
func odd(r rune) bool { return r == '"' || r == '`' || !unicode.IsPrint(r) }

// addRun takes a section about the whole run.
func (p *parser) addRun(h head, from block) error {
	switch h.kind {
	case "script":
		return p.settings(from)
	case "task":
		return p.addTask(h, from)
	case "answer":
		return p.once(&p.Answer, h, from)
	case "error":
		if p.Error.Line > 0 {
			return p.errorf(from.line, "a second error; the first is in line %d", p.Error.Line)
		}
		var err error
		p.Error, err = p.checks("error", from)
		return err
	case "file":
		return p.addFile(&p.Files, h, from)
	}
	return p.addFile(&p.After, h, from)
}

func (p *parser) addTask(h head, from block) error {
	if err := p.once(&p.Task, h, from); err != nil {
		return err
	}
	if strings.TrimSpace(p.Task.Text) == "" {
		return p.errorf(from.line, "the task is empty; write under its marker what the agent is to do")
	}
	return nil
}

// once sets a text that there may be one of.
func (p *parser) once(to *Section, h head, from block) error {
	if to.Line > 0 {
		return p.errorf(from.line, "a second %s; the first is in line %d", h.kind, to.Line)
	}
	var err error
	*to, err = p.text(h, from)
	return err
}

// text returns what a section holds.
func (p *parser) text(h head, from block) (Section, error) {
	body, quoted, err := p.decode(h, from)
	return Section{Text: strings.TrimSuffix(body, "\n"), Line: from.line, quoted: quoted}, err
}

// decode returns the lines of a section, without what quotes them.
func (p *parser) decode(h head, from block) (body string, quoted bool, err error) {
	if !h.has("encoding") {
		return from.body, false, nil
	}
	if err := oneOf("encoding", h.get("encoding"), "quoted"); err != nil {
		return "", false, p.errorf(from.line, "%w", err)
	}
	body, missing := unquote(from.body)
	if missing > 0 {
		return "", false, p.errorf(from.line+missing, `a line without ">" in a section with encoding=quoted; begin each of its lines with ">"`)
	}
	return body, true, nil
}

// addFile takes a file of the folder.
func (p *parser) addFile(to *[]File, h head, from block) error {
	path := h.words[0]
	if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, `\:`) {
		return p.errorf(from.line, "path %q; want a relative one with slashes, inside the folder", path)
	}
	for _, f := range *to {
		if f.Path == path {
			return p.errorf(from.line, "%s %s is in line %d too", h.kind, path, f.Line)
		}
		if strings.HasPrefix(path, f.Path+"/") || strings.HasPrefix(f.Path, path+"/") {
			return p.errorf(from.line, "%s %s cannot be beside %s in line %d: one of them would be a file and a folder", h.kind, path, f.Path, f.Line)
		}
	}
	body, quoted, err := p.decode(h, from)
	if err != nil {
		return err
	}
	if none, err := p.noNewline(h, from); err != nil {
		return err
	} else if none {
		body = strings.TrimSuffix(body, "\n")
	}
	*to = append(*to, File{path, Section{Text: body, Line: from.line, quoted: quoted}})
	return nil
}

// end checks the script as a whole.
func (p *parser) end() error {
	if err := p.endLane(); err != nil {
		return err
	}
	if p.lane == nil {
		return p.errorf(1, `no replies; write each under a line "-- reply --"`)
	}
	if p.Answer.Line > 0 && p.Error.Line > 0 {
		return p.errorf(max(p.Answer.Line, p.Error.Line), "an answer and an error; a run ends in one of them")
	}
	if p.Concurrent && p.hasLanes() {
		for _, lane := range p.Lanes {
			if lane.When.Line == 0 {
				return p.errorf(lane.Line, "lane %s has no when, by which alone lanes are found with allow concurrent; write one", lane.Name)
			}
		}
	}
	for _, lane := range p.Lanes {
		for i, step := range lane.Steps {
			if err := p.checkStep(i, step); err != nil {
				return err
			}
		}
	}
	return nil
}
