package dialects

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// This file reads lines: labels, fences, tags, and the places where a reply ends.

const blanks = " \t\r\u00a0"

func trimBlanks(s string) string {
	if s == "" || s[0] > ' ' && s[0] < utf8.RuneSelf || s[0] == '\n' {
		return s // as mostly
	}
	return strings.TrimLeft(s, blanks)
}

func trimEnd(s string) string  { return strings.TrimRight(s, blanks+"\n") }
func isBlank(line string) bool { return trimBlanks(line) == "" }

// cutLine returns the line of s that begins at pos, and where the next one does.
func cutLine(s string, pos int) (line string, next int) {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return s[pos : pos+i], pos + i + 1
	}
	return s[pos:], len(s)
}

// nonBlank returns the first line from pos that is not blank, where it begins,
// and where the next one does.
func nonBlank(s string, pos int) (line string, at, next int) {
	for next = pos; next < len(s); {
		at = next
		if line, next = cutLine(s, at); !isBlank(line) {
			return line, at, next
		}
	}
	return "", next, next
}

// trimText drops the blank lines that s begins with, the blanks of a first line
// that is not, and all white space at the end.
func trimText(s string) string {
	_, at, _ := nonBlank(s, 0)
	return trimEnd(trimBlanks(s[at:]))
}

// normalize makes s valid UTF-8, without a byte order mark at its start and
// without the carriage returns that end lines.
func normalize(s string) string {
	s = strings.TrimPrefix(strings.ToValidUTF8(s, string(utf8.RuneError)), "\ufeff")
	if !strings.Contains(s, "\r\n") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return strings.Join(lines, "\n")
}

// cutTurnEnd returns s without the turn-end tokens it ends in.
func cutTurnEnd(s string) string {
	for {
		t := trimEnd(s)
		rest, cut := strings.CutSuffix(t, "</s>")
		if !cut {
			rest, cut = strings.CutSuffix(t, "<end_of_turn>")
		}
		if i := strings.LastIndex(t[max(0, len(t)-64):], "<|"); !cut && i >= 0 && strings.HasSuffix(t, "|>") {
			i += max(0, len(t)-64)
			rest, cut = t[:i], len(t)-i > len("<||>") && !strings.ContainsAny(t[i:], blanks+"\n")
		}
		if !cut {
			return s
		}
		s = trimEnd(rest)
	}
}

// labelAt reads the label that line begins with, one of words, and returns the
// text after it, with the blanks at its end.
func labelAt(line string, words ...string) (word, rest string, ok bool) {
	return readLabel(line, strings.HasPrefix, words)
}

func readLabel(line string, has func(s, prefix string) bool, words []string) (word, rest string, ok bool) {
	line, bold := strings.CutPrefix(trimBlanks(strings.TrimLeft(trimBlanks(line), "#")), "**")
	if line == "" {
		return "", "", false
	}
	for _, word := range words {
		if !has(line, word) {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimLeft(trimBlanks(line[len(word):]), "0123456789"), "**")
		rest = trimBlanks(rest)
		after, ok := strings.CutPrefix(rest, ":")
		if !ok {
			after, ok = strings.CutPrefix(rest, "：")
		}
		if ok && bold {
			if inner, cut := strings.CutPrefix(after, "**"); cut {
				after = inner
			} else {
				after = strings.TrimSuffix(strings.TrimRight(after, blanks), "**")
			}
		}
		if ok {
			return word, trimBlanks(after), true
		}
	}
	return "", "", false
}

// hasFold is strings.HasPrefix without regard to case.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// observationAt reports whether line is an observation label, in any case. At
// the end of a line it may lack its colon: models are often stopped before it.
func observationAt(line string) bool {
	if _, _, ok := readLabel(line, hasFold, []string{"observation", "obs"}); ok {
		return true
	}
	if line = trimBlanks(line); !hasFold(line, "obs") {
		return false
	}
	line = strings.TrimRight(line, blanks+"0123456789")
	return strings.EqualFold(line, "observation") || strings.EqualFold(line, "obs")
}

// A fence is a line that opens or closes a fenced block.
type fence struct {
	mark string // the run of backticks or tildes
	info string
}

func fenceAt(line string) (fence, bool) {
	line = strings.Trim(line, blanks)
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return fence{}, false
	}
	info := strings.TrimLeft(line, line[:1])
	f := fence{line[:len(line)-len(info)], strings.Trim(info, blanks)}
	return f, line[0] == '~' || !strings.Contains(info, "`")
}

// closes reports whether f ends a block that open began.
func (f fence) closes(open fence) bool { return f.info == "" && strings.HasPrefix(f.mark, open.mark) }

// fenced reads the block that open began on the line before pos: its inside and
// where the line after it begins. A line inside that opens another such block
// makes it ambiguous which of the two the next closing line ends.
func fenced(text string, open fence, pos int) (inside string, next int, err error) {
	start, nested := pos, false
	for pos < len(text) {
		line, next := cutLine(text, pos)
		if f, ok := fenceAt(line); ok && f.closes(open) {
			if nested {
				return "", 0, refuse(react.ErrAmbiguous, "the lines hold a fence of their own", "write them in a longer fence")
			}
			return text[start:max(start, pos-1)], next, nil
		} else if ok && strings.HasPrefix(f.mark, open.mark) {
			nested = true
		}
		pos = next
	}
	return "", 0, refuse(react.ErrUnclosed, "the fence is not closed", "close the fence on a line of its own, then write nothing more")
}

// A scan is a reply being read.
type scan struct {
	reply  string // the whole reply, normalized
	text   string // what is read of it: its turn-end tokens cut off
	start  int    // behind the reasoning
	packed *fence // the fence that the reply began with, still open
}

// newScan normalizes a reply and passes over its reasoning.
func newScan(reply string) (*scan, error) {
	s := &scan{reply: normalize(reply)}
	s.text = cutTurnEnd(s.reply)
	first, at, _ := nonBlank(s.text, 0)
	first = trimBlanks(first)
	opened := strings.HasPrefix(first, "<think>") || strings.HasPrefix(first, "<thinking>")
	for pos := at; ; {
		i := strings.Index(s.text[pos:], "</think")
		if i < 0 && opened {
			return s, refuse(react.ErrNoMove, "the reasoning is not closed", "close the reasoning, then write a move")
		} else if i < 0 {
			return s, nil
		}
		pos += i + len("</think")
		rest, ok := strings.CutPrefix(strings.TrimPrefix(s.text[pos:], "ing"), ">")
		if after := trimBlanks(rest); ok && (opened || after == "" || after[0] == '\n') {
			s.start = len(s.text) - len(rest)
			if opened {
				return s, nil
			}
		}
	}
}

// find returns where the first line begins that is wanted and no illustration.
func (s *scan) find(wanted func(line string) bool) (at int, ok bool) {
	var in *fence
	blank := true
	for pos := s.start; pos < len(s.text); {
		line, next := cutLine(s.text, pos)
		f, isFence := fenceAt(line)
		switch {
		case in != nil:
			if isFence && f.closes(*in) {
				in = nil
			}
		case s.packed != nil && isFence && f.closes(*s.packed):
			s.packed = nil
		case isFence && blank:
			s.packed = &f
		case isFence && s.packed == nil:
			in = &f
		case wanted(line):
			return pos, true
		}
		blank, pos = blank && isBlank(line), next
	}
	return 0, false
}

// thought returns the thought that ends at pos, without the label and the fence
// it begins with.
func (s *scan) thought(pos int) string {
	text := trimText(s.text[s.start:pos])
	if s.packed != nil {
		_, next := cutLine(text, 0)
		text = trimText(text[next:])
	}
	line, next := cutLine(text, 0)
	if _, rest, ok := labelAt(line, "Thought"); ok {
		text = trimText(rest + "\n" + text[next:])
	}
	return text
}

// end checks that nothing stands from pos on but blank lines, the fence that
// packed the reply, and what begins with a label, which is dropped.
func (s *scan) end(pos int, l layout) error {
	line, _, next := nonBlank(s.text, pos)
	if f, ok := fenceAt(line); ok && s.packed != nil && f.closes(*s.packed) {
		line, _, _ = nonBlank(s.text, next)
	}
	if line == "" || l.labelled(line) {
		return nil
	}
	return refuse(react.ErrAmbiguous, "text follows the input", "end the reply with the input; write nothing after it")
}

// move completes a move that ends at pos.
func (s *scan) move(m react.Move, pos int) react.Move {
	m.Reply = trimEnd(s.text[:pos])
	if m.Dropped = s.text[:s.start] + s.reply[len(m.Reply):]; isBlank(strings.ReplaceAll(m.Dropped, "\n", "")) {
		m.Dropped = ""
	}
	return m
}

// A cause is why a reply is refused, in a dialect's own words. It unwraps to the
// cause of package react.
type cause struct {
	is         error
	text, cure string
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.is }

func refuse(is error, text, cure string) error { return &cause{is, text, cure} }

// result is what Parse returns.
func (s *scan) result(m react.Move, err error) (react.Move, error) {
	if err == nil {
		return m, nil
	}
	c := err.(*cause) // all errors of this package are
	return react.Move{}, &react.ProtocolError{Reply: s.reply, Err: c, Cure: c.cure}
}

// toolFor returns the tool that a model meant by name, and whether there is one:
// the one of that name, or the only one that has it without regard to case,
// blanks, - and _, and the marks round it. An unknown tool counts as Body.
func toolFor(list []tools.Tool, name string) (t tools.Tool, known bool) {
	n := 0
	for _, candidate := range list {
		if candidate.Name == name {
			return candidate, true
		}
		if plain(candidate.Name) == plain(name) {
			t, n = candidate, n+1
		}
	}
	if n != 1 {
		return tools.Tool{Name: name, Lines: tools.Body}, false
	}
	return t, true
}

func plain(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case r == '-' || unicode.IsSpace(r):
			return '_'
		case r == '*' || r == '`' || r == '"' || r == '\'':
			return -1
		}
		return r
	}, name))
}

// A stopper reads the lines of a growing reply, each once, and asks Parse where
// one may complete a move. It does so only when the reply has grown by half since
// the last time, which keeps all calls together linear.
type stopper struct {
	parse   func(string) (react.Move, error)
	opens   func(line string) bool               // whether a move may begin on line
	ends    func(line string) bool               // whether it may be settled by line
	settles func(m react.Move, line string) bool // whether nothing after line can change m

	start, seen, checked int
	open, never          bool
}

func (s *stopper) stop(soFar string) bool {
	for !s.never {
		i := strings.IndexByte(soFar[s.seen:], '\n')
		if i < 0 {
			s.seen = len(soFar)
			return false
		}
		end := s.seen + i
		line := soFar[s.start:end]
		s.start, s.seen = end+1, end+1
		// Tags and tokens mean something else at the end than in the middle.
		s.never = strings.Contains(line, "</think") || strings.Contains(line, "<think") ||
			strings.Contains(line, "|>") || strings.Contains(line, "</s>") || strings.Contains(line, "<end_of_turn>")
		if s.open = s.open || s.opens(line); s.never || !s.open || !s.ends(line) || end < s.checked+s.checked/2 {
			continue
		}
		s.checked = end
		if m, err := s.parse(soFar[:end]); err == nil && s.settles(m, line) {
			return true
		}
	}
	return false
}
