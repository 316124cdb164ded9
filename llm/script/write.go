package script

import "strings"

// Bytes returns the script as a file. If it was parsed, only the sections whose
// content is no longer what was parsed are written anew; all other bytes are
// those of the file. A section whose Line is 0 and that is New, or a step, lane
// or file without a line, is put where it belongs; one that is gone is left out.
// The order of what was parsed stays as it was.
func (s *Script) Bytes() []byte {
	if s.source == nil {
		return s.fresh()
	}
	before, err := Parse(s.Name, s.source)
	if err != nil {
		return s.fresh() // unreachable unless the caller has changed the data
	}
	w := &writer{have: byLine(before.blocks()), want: byLine(s.blocks())}
	blocks, _ := s.split(newlines(s.source))
	w.place(s.blocks(), blocks[len(blocks)-1].line)
	w.emit(blocks[0].body)
	w.flush(w.behind, 0)
	for _, from := range blocks[1:] {
		w.flush(w.before, from.line)
		w.block(from)
		w.flush(w.behind, from.line)
	}
	text := w.String()
	if w.asWas && !strings.HasSuffix(string(s.source), "\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	if crlf(s.source) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	bom := len(s.source) - len(strings.TrimLeft(string(s.source), "\ufeff"))
	return append(s.source[:bom:bom], text...)
}

// fresh returns a script that has no file yet.
func (s *Script) fresh() []byte {
	var b strings.Builder
	if s.Title != "" {
		b.WriteString(s.Title + "\n\n")
	}
	for _, block := range s.blocks() {
		b.WriteString(block.marker + block.body)
	}
	return []byte(b.String())
}

// A writer writes a file again.
type writer struct {
	strings.Builder
	have, want     map[int]block   // by line: what was parsed, what is wanted
	before, behind map[int][]block // new ones, by the line where they are written
	asWas          bool            // whether what was written last is as it was
}

func byLine(blocks []block) map[int]block {
	lines := map[int]block{}
	for _, block := range blocks {
		if block.line > 0 {
			lines[block.line] = block
		}
	}
	return lines
}

// place finds where new sections are written: those about the folder and the
// task in front, those of a conversation before the one they precede, those
// about the end behind the last line.
func (w *writer) place(blocks []block, end int) {
	w.before, w.behind = map[int][]block{}, map[int][]block{}
	front, talk := 0, w.lastTalk()
	var waiting []block
	for _, block := range blocks {
		switch {
		case block.about == theTalk && block.line == 0:
			waiting = append(waiting, block)
		case block.about == theTalk:
			w.before[block.line], waiting, talk = waiting, nil, block.line
		case block.line > 0 && block.about == theStart:
			front = block.line
		case block.line == 0 && block.about == theStart:
			w.behind[front] = append(w.behind[front], block)
		case block.line == 0:
			w.behind[end] = append(w.behind[end], block)
		}
	}
	w.behind[talk] = append(waiting, w.behind[talk]...)
}

// lastTalk returns the line of the last section of a conversation in the file.
func (w *writer) lastTalk() int {
	last := 0
	for line, block := range w.have {
		if block.about == theTalk {
			last = max(last, line)
		}
	}
	return last
}

// block writes a section of the file as it is wanted now.
func (w *writer) block(from block) {
	have, want := w.have[from.line], w.want[from.line]
	w.asWas = want.marker != "" && have.body == want.body
	if want.marker == "" {
		return // gone
	}
	if have.marker == want.marker {
		w.emit(from.marker)
	} else {
		w.emit(want.marker)
	}
	if w.asWas && unchanged(have, want) {
		w.emit(from.body)
	} else {
		w.emit(want.body)
	}
}

// unchanged reports whether the lines of a section can stay as they are: how
// they are written may hang on the marker.
func unchanged(have, want block) bool {
	return have.body == want.body && strings.Contains(have.marker, " encoding=") == strings.Contains(want.marker, " encoding=")
}

// flush writes the new sections for a line.
func (w *writer) flush(blocks map[int][]block, line int) {
	for _, block := range blocks[line] {
		w.emit(block.marker)
		w.emit(block.body)
		w.asWas = false
	}
}

// emit writes lines.
func (w *writer) emit(text string) {
	if text == "" {
		return
	}
	if s := w.String(); s != "" && s[len(s)-1] != '\n' {
		w.WriteByte('\n')
	}
	w.WriteString(text)
}
