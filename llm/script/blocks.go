package script

import "strings"

// blocks returns the script as sections, each with its canonical marker and
// lines, in the order of a new file.
func (s *Script) blocks() []block {
	list := s.start()
	for _, lane := range s.Lanes {
		list = append(list, mark(lane.blocks(s.hasLanes()), theTalk)...)
	}
	end := append(s.Answer.blocks(head{kind: "answer"}), s.Error.blocks("error")...)
	for _, f := range s.After {
		end = append(end, f.block("after"))
	}
	return append(list, mark(end, theEnd)...)
}

// start returns the sections that come first.
func (s *Script) start() []block {
	var list []block
	if body := s.Settings.body(); s.line > 0 || body != "" {
		list = append(list, block{marker: head{kind: "script"}.String(), body: body, line: s.line})
	}
	list = append(list, s.Task.blocks(head{kind: "task"})...)
	for _, f := range s.Files {
		list = append(list, f.block("file"))
	}
	return list
}

// mark says what sections are about.
func mark(blocks []block, about about) []block {
	for i := range blocks {
		blocks[i].about = about
	}
	return blocks
}

// blocks returns the section of a text, if there is to be one.
func (t Section) blocks(h head) []block {
	if !t.there() {
		return nil
	}
	return []block{t.block(h)}
}

// block returns the section of a text.
func (t Section) block(h head) block { return encode(h, bodyOf(t.Text), t.quoted, t.Line) }

// encode returns a section of text, quoted where it has to be.
func encode(h head, body string, quoted bool, line int) block {
	if quoted || needsQuoting(body) {
		h.add("encoding", "quoted")
		body = quote(body)
	}
	return block{marker: h.String(), body: body, line: line}
}

// block returns the section of a file.
func (f *File) block(kind string) block {
	h, body := head{kind: kind, words: []string{f.Path}}, f.Text
	if body != "" && !strings.HasSuffix(body, "\n") {
		h.add("newline", "no")
		body += "\n"
	}
	return encode(h, body, f.quoted, f.Line)
}

// blocks returns the section of checks, if there is one.
func (c Checks) blocks(kind string) []block {
	if c.Line == 0 && len(c.List) == 0 {
		return nil
	}
	var b strings.Builder
	for _, check := range c.List {
		b.WriteString(check.String() + "\n")
	}
	return []block{{marker: head{kind: kind}.String(), body: b.String(), line: c.Line}}
}

// blocks returns the sections of the conversation.
func (l *Lane) blocks(named bool) []block {
	var list []block
	if named {
		list = append(list, block{marker: head{kind: "lane", words: []string{l.Name}}.String(), line: l.Line})
	}
	list = append(list, l.When.blocks("when")...)
	open := false // whether a call would belong to the message before
	for _, step := range l.Steps {
		before := step.before()
		if open && len(before) == 0 && !step.Reply.there() && len(step.Calls) > 0 {
			before = []block{{marker: head{kind: "expect"}.String()}}
		}
		list = append(append(list, before...), step.answer()...)
		open = step.Fault == nil
	}
	return list
}

// before returns what stands before the answer.
func (s *Step) before() []block {
	added := head{kind: "added"}
	if s.SameLine {
		added.add("newline", "no")
	}
	list := append(s.Prompt.blocks(head{kind: "prompt"}), s.Added.blocks(added)...)
	return append(list, s.Expect.blocks("expect")...)
}

// answer returns the fault or the message.
func (s *Step) answer() []block {
	if s.Fault != nil {
		h := s.Fault.head()
		s.Options.put(&h)
		return []block{s.Fault.block(h)}
	}
	var list []block
	if s.Reply.there() || len(s.Calls) == 0 {
		h := head{kind: "reply"}
		s.Options.put(&h)
		list = append(list, s.Reply.block(h))
	}
	for _, call := range s.Calls {
		h := head{kind: "call", words: []string{call.Name}}
		h.add("id", call.ID)
		if len(list) == 0 {
			s.Options.put(&h)
		}
		list = append(list, encode(h, bodyOf(call.Arguments), call.quoted, call.Line))
	}
	return list
}
