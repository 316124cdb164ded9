package dialects

import (
	"strings"
	"unicode"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// This file reads what the dialects have in common: reasoning, labels, names, and
// the places where a reply ends.

// trimText drops the blank lines that s begins with, the blanks of a first line
// that is not, and all white space at the end.
func trimText(s string) string {
	_, at, _ := lex.NonBlank(s, 0)
	return lex.TrimEnd(lex.TrimBlanks(s[at:]))
}

// labelAt reads the label that line begins with, one of words, and returns the
// text after it, with the blanks at its end.
func labelAt(line string, words ...string) (word, rest string, ok bool) {
	return readLabel(line, strings.HasPrefix, words)
}

func readLabel(line string, has func(s, prefix string) bool, words []string) (word, rest string, ok bool) {
	line, bold := strings.CutPrefix(lex.TrimBlanks(strings.TrimLeft(lex.TrimBlanks(line), "#")), "**")
	if line == "" {
		return "", "", false
	}
	for _, word := range words {
		if !has(line, word) {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimLeft(lex.TrimBlanks(line[len(word):]), "0123456789"), "**")
		after, ok := lex.CutColon(rest)
		if ok && bold {
			if inner, cut := strings.CutPrefix(after, "**"); cut {
				after = inner
			} else {
				after = strings.TrimSuffix(lex.TrimBlanksEnd(after), "**")
			}
		}
		if ok {
			return word, lex.TrimBlanks(after), true
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
	if line = lex.TrimBlanks(line); !hasFold(line, "obs") {
		return false
	}
	line = strings.TrimRight(line, lex.Blanks+"0123456789")
	return strings.EqualFold(line, "observation") || strings.EqualFold(line, "obs")
}

// fenced reads the block that open began on the line before pos: its inside and
// where the line after it begins. A line inside that opens another such block
// makes it ambiguous which of the two the next closing line ends.
func fenced(text string, open lex.Fence, pos int) (inside string, next int, err error) {
	inside, next, nested, closed := open.Inside(text, pos)
	switch {
	case !closed:
		return "", 0, refuse(react.ErrUnclosed, "the fence is not closed", "close the fence on a line of its own, then write nothing more")
	case nested:
		return "", 0, refuse(react.ErrAmbiguous, "the lines hold a fence of their own", "write them in a longer fence")
	}
	return inside, next, nil
}

// A scan is a reply being read.
type scan struct {
	reply  string     // the whole reply, normalized
	text   string     // what is read of it: its turn-end tokens cut off
	start  int        // behind the reasoning
	packed *lex.Fence // the fence that the reply began with, still open
}

// newScan normalizes a reply and passes over its reasoning.
func newScan(reply string) (*scan, error) {
	s := &scan{reply: lex.Normalize(reply)}
	s.text, _ = lex.CutTurnEnd(s.reply)
	first, at, _ := lex.NonBlank(s.text, 0)
	_, opened := lex.OpenTagAt(first)
	for rest := s.text[at:]; ; {
		_, after, ok := lex.CutClosingTag(rest)
		switch {
		case !ok && opened:
			return s, refuse(react.ErrNoMove, "the reasoning is not closed", "close the reasoning, then write a move")
		case !ok:
			return s, nil
		case opened || lex.AtLineEnd(after):
			s.start = len(s.text) - len(after)
		}
		if rest = after; opened {
			return s, nil
		}
	}
}

// find returns where the first line begins that is wanted and no illustration.
func (s *scan) find(wanted func(line string) bool) (at int, ok bool) {
	var in *lex.Fence
	blank := true
	for pos := s.start; pos < len(s.text); {
		line, next := lex.CutLine(s.text, pos)
		f, isFence := lex.FenceAt(line)
		switch {
		case in != nil:
			if isFence && f.Closes(*in) {
				in = nil
			}
		case s.packed != nil && isFence && f.Closes(*s.packed):
			s.packed = nil
		case isFence && blank:
			s.packed = &f
		case isFence && s.packed == nil:
			in = &f
		case wanted(line):
			return pos, true
		}
		blank, pos = blank && lex.IsBlank(line), next
	}
	return 0, false
}

// thought returns the thought that ends at pos, without the label and the fence
// it begins with.
func (s *scan) thought(pos int) string {
	text := trimText(s.text[s.start:pos])
	if s.packed != nil {
		_, next := lex.CutLine(text, 0)
		text = trimText(text[next:])
	}
	line, next := lex.CutLine(text, 0)
	if _, rest, ok := labelAt(line, "Thought"); ok {
		text = trimText(rest + "\n" + text[next:])
	}
	return text
}

// end checks that nothing stands from pos on but blank lines, the fence that
// packed the reply, and what begins with a line that may, which is dropped.
func (s *scan) end(pos int, may func(line string) bool) error {
	line, _, next := lex.NonBlank(s.text, pos)
	if f, ok := lex.FenceAt(line); ok && s.packed != nil && f.Closes(*s.packed) {
		line, _, _ = lex.NonBlank(s.text, next)
	}
	if line == "" || may(line) {
		return nil
	}
	return refuse(react.ErrAmbiguous, "text follows the input", "end the reply with the input; write nothing after it")
}

// move completes a move that ends at pos.
func (s *scan) move(m react.Move, pos int) react.Move {
	m.Reply = lex.TrimEnd(s.text[:pos])
	if m.Dropped = s.text[:s.start] + s.reply[len(m.Reply):]; lex.TrimEnd(m.Dropped) == "" {
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
	if i := lex.Match(list, name, plain); i >= 0 {
		return list[i], true
	}
	return tools.Tool{Name: name, Lines: tools.Body}, false
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

	lines       lex.Stream
	checked     int
	open, never bool
}

func (s *stopper) stop(soFar string) bool {
	for !s.never {
		line, end, ok := s.lines.Next(soFar)
		if !ok {
			return false
		}
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
