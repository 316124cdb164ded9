package react

import (
	"fmt"
	"strings"

	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// Parse reads the move of a reply by the rules in the package comment. The
// tools say how names are matched and what belongs to an input; a name that
// none of them has is returned as it is written.
//
// The error is a [*ProtocolError]. Parse takes any string, in time linear in
// its length.
func Parse(reply string, list []tools.Tool) (Move, error) {
	text := lex.Normalize(reply)
	whole, _ := lex.CutTurnEnd(text)
	p := parser{text: whole, tools: list}
	m, err := p.reply()
	if err != nil {
		return Move{}, &ProtocolError{Reply: text, Err: err, Cure: p.cure(err)}
	}
	m.Reply = lex.TrimEnd(text[:p.end])
	if m.Dropped = p.dropped.String() + text[len(m.Reply):]; lex.TrimEnd(m.Dropped) == "" {
		m.Dropped = ""
	}
	return m, nil
}

// A parser reads one reply. Positions are offsets in text.
type parser struct {
	text  string
	tools []tools.Tool

	from    int             // where the thought goes on
	thought strings.Builder // what of it stands before from
	dropped strings.Builder // reasoning
	pack    span            // the first closed fence in the thought that holds a marker
	prose   string          // the thought before it
	open    bool            // whether a fence of the thought was never closed
	fences  closings

	act  tools.Tool // the tool named, for the cure
	hint string     // the cure, where the place of the mistake knows it
	end  int        // where the move ends
}

// reply finds the move's marker and reads the move.
func (p *parser) reply() (Move, error) {
	at, thought, ok := p.find()
	if !ok {
		return p.packaged()
	}
	move, err := p.moveAt(at)
	move.Thought = thought
	return move, err
}

// thoughtTo returns the thought that ends at pos.
func (p *parser) thoughtTo(pos int) string {
	return trimBlankLines(lex.TrimEnd(p.thought.String() + p.text[p.from:pos]))
}

// find returns where the line of the first marker begins that stands in neither
// a closed fence nor reasoning, and the thought before it. A DONE without a colon
// is the marker only if no other is found.
func (p *parser) find() (at int, thought string, ok bool) {
	opened, bare := false, -1
	for pos := 0; pos < len(p.text); {
		if m, ok := markerAt(p.text[pos:]); ok && !m.bare {
			return pos, p.thoughtTo(pos), true
		} else if ok && bare < 0 {
			bare, thought = pos, p.thoughtTo(pos)
		}
		line, next := lex.CutLine(p.text, pos)
		if _, label := labelAt(line); label && p.pack.next > 0 {
			break // the fence was the reply, what follows is invented
		}
		if f, ok := lex.FenceAt(line); ok {
			s, closed := p.fences.block(p.text, f, next)
			if closed {
				if p.pack.next == 0 && hasMarker(p.text[s.start:s.end]) {
					p.pack, p.prose = s, p.thoughtTo(pos)
				}
				next = s.next
			}
			p.open = p.open || !closed
		} else if inside, ok := lex.OpenTagAt(p.text[pos:]); ok {
			opened = true
			if next, ok = p.reasoning(len(p.text) - len(inside)); !ok {
				p.pack = span{}
				return 0, "", false
			}
			p.drop(pos, next)
		} else if !opened && lex.EndsInClosingTag(line) {
			p.thought.Reset()
			p.pack, p.open, bare = span{}, false, -1
			p.drop(p.from, next)
		}
		pos = next
	}
	return bare, thought, bare >= 0
}

// reasoning returns the end of the reasoning that begins at pos: behind the
// first closing tag that ends its line, or is followed by a marker.
func (p *parser) reasoning(pos int) (end int, ok bool) {
	for {
		_, after, ok := lex.CutClosingTag(p.text[pos:])
		if !ok {
			return 0, false
		}
		pos = len(p.text) - len(after)
		if lex.AtLineEnd(after) {
			return pos + len(after) - len(strings.TrimPrefix(lex.TrimBlanks(after), "\n")), true
		}
		if _, ok := markerAt(after); ok {
			return pos, true
		}
	}
}

// drop leaves p.text[start:end] out of the thought.
func (p *parser) drop(start, end int) {
	p.thought.WriteString(p.text[min(p.from, start):start])
	p.dropped.WriteString(p.text[start:end])
	p.from = end
}

// packaged reads a reply whose only markers stand in a fence: the fence is
// packaging, unless prose before it makes it look like an illustration.
func (p *parser) packaged() (Move, error) {
	s := p.pack
	if s.next == 0 {
		return Move{}, ErrNoMove
	}
	inner := parser{text: p.text[s.start:s.end], tools: p.tools}
	at, thought, ok := inner.find()
	if !ok {
		return Move{}, ErrNoMove
	}
	move, err := inner.moveAt(at)
	p.act, p.hint, p.end = inner.act, inner.hint, s.start+inner.end
	if err != nil {
		return Move{}, err
	}
	p.dropped.WriteString(inner.dropped.String())
	move.Thought = trimBlankLines(lex.TrimEnd(p.prose + "\n" + thought))
	if move.Kind == Done || move.Lines == tools.One {
		return move, nil
	}
	if p.prose != "" {
		return Move{}, p.ambiguous("if it is to run, write the move itself outside the fence")
	}
	return move, p.nothingAfter(s.next)
}

// moveAt reads the move whose marker's line begins at pos. What stands in a
// fence that was never closed may be half of an illustration or half of a reply.
func (p *parser) moveAt(pos int) (Move, error) {
	m, _ := markerAt(p.text[pos:])
	if m.kind == Done {
		return p.done(m), nil
	}
	move, err := p.actMove(m)
	if err == nil && p.open && p.act.Lines != tools.One {
		err = ErrUnclosed
	}
	return move, err
}

func (p *parser) done(m marker) Move {
	answer, next := p.markerLine(len(p.text)-len(m.rest), m.open)
	if next < len(p.text) {
		answer += "\n" + p.text[next:]
	}
	for {
		answer = lex.TrimEnd(answer)
		last := strings.LastIndexByte(answer, '\n') + 1
		if after, ok := labelAt(answer[last:]); !ok || !lex.IsBlank(after) {
			break
		}
		answer = answer[:last]
	}
	p.end = len(p.text)
	return Move{Kind: Done, Answer: trimBlankLines(answer)}
}

// trimBlankLines drops the blank lines that s begins with; where there are none,
// the blanks.
func trimBlankLines(s string) string {
	if !lex.AtLineEnd(s) {
		return lex.TrimBlanks(s)
	}
	for pos := 0; pos < len(s); _, pos = lex.CutLine(s, pos) {
		if !lex.AtLineEnd(s[pos:]) {
			return s[pos:]
		}
	}
	return ""
}

// markerLine reads the rest of a marker's line, from pos: without turn-end
// tokens, which end the reply, and without the markup that closes open. It
// returns where the next line begins.
func (p *parser) markerLine(pos int, open string) (rest string, next int) {
	rest, next = lex.CutLine(p.text, pos)
	for {
		cut, ended := lex.CutTurnEnd(rest)
		if ended {
			rest, next = cut, pos+len(cut)
			p.text = p.text[:next]
		}
		closed, ok := strings.CutSuffix(lex.TrimBlanksEnd(rest), open)
		if open == "" || !ok {
			return rest, next
		}
		rest, open = strings.TrimRight(closed, "\r"), "" // for now it ends the line
	}
}

// actMove reads the tool's name and its input.
func (p *parser) actMove(m marker) (Move, error) {
	pos := len(p.text) - len(m.rest)
	if lex.AtLineEnd(m.rest) {
		if pos = nameLine(p.text, pos); pos < 0 {
			return Move{}, ErrNoTool
		}
	}
	rest, next := p.markerLine(pos, m.open)
	name, arg := cutName(rest)
	if _, fenced := lex.FenceAt(name); fenced || name == "" || lex.TurnEndLen(name) > 0 {
		return Move{}, ErrNoTool
	}
	if m.open != "" && strings.Contains(rest, m.open) {
		return Move{}, p.ambiguous("write ACT: without " + m.open + " round it")
	}
	p.act = tools.Tool{Name: name, Lines: tools.Body}
	if i := match(p.tools, name); i >= 0 {
		p.act = p.tools[i]
	}
	input, err := p.input(arg, next)
	return Move{Kind: Act, Tool: p.act.Name, Lines: p.act.Lines, Input: input}, err
}

// nameLine returns where the line after pos begins if the tool's name may stand
// on it, else -1.
func nameLine(text string, pos int) int {
	_, next := lex.CutLine(text, pos)
	line, _ := lex.CutLine(text, next)
	_, fenced := lex.FenceAt(line)
	_, label := labelAt(line)
	_, marked := markerAt(line)
	if fenced || label || marked || lex.IsBlank(line) {
		return -1
	}
	return next
}

// cutName cuts the first word of s.
func cutName(s string) (name, arg string) {
	s = lex.TrimBlanks(s)
	i := strings.IndexAny(s, lex.Blanks)
	if i < 0 {
		return lex.TrimBlanksEnd(s), ""
	}
	return lex.TrimBlanksEnd(s[:i]), lex.TrimBlanks(s[i:])
}

// input reads the input of the tool: arg is the rest of the line that names it,
// next where the line under that begins.
func (p *parser) input(arg string, next int) (string, error) {
	switch p.act.Lines {
	case tools.Block:
		return p.block(arg, next)
	case tools.Body:
		return p.body(arg, next)
	}
	p.end = next
	if under, _, _ := lex.NonBlank(p.text, next); lex.IsBlank(arg) {
		if _, fenced := lex.FenceAt(under); fenced {
			return "", p.ambiguous("ACT: " + p.act.Name + " takes one line; write the input behind the name, without a fence")
		}
	}
	return unwrap(lex.TrimBlanksEnd(arg)), nil
}

// ambiguous is ErrAmbiguous with its cure.
func (p *parser) ambiguous(cure string) error {
	p.hint = cure
	return ErrAmbiguous
}

// block reads one line with its here-documents, or one fenced block.
func (p *parser) block(arg string, next int) (string, error) {
	if lex.IsBlank(arg) {
		under, at, after := lex.NonBlank(p.text, next)
		if f, ok := lex.FenceAt(under); ok {
			return p.fenced(f, after)
		}
		if _, label := labelAt(under); label || under == "" {
			return "", p.nothingAfter(next)
		}
		if structural(under) || strings.HasPrefix(lex.TrimBlanks(under), "<|") {
			return "", p.leftOver(under)
		}
		arg, next = p.markerLine(at, "")
	}
	if !lex.OpensHeredoc(arg) {
		line := unwrapLine(arg)
		if lex.OpensHeredoc(line) {
			return "", ErrUnclosed
		}
		return line, p.nothingAfter(next)
	}
	input, end, ok := lex.WithHeredocs(arg, p.text, next)
	if !ok {
		return "", ErrUnclosed
	}
	return input, p.nothingAfter(end)
}

// unwrapLine unwraps s, or returns it with the blanks round it as they are.
func unwrapLine(s string) string {
	trimmed := lex.Trim(s)
	if inner := unwrap(trimmed); inner != trimmed {
		return inner
	}
	return s
}

// body reads the rest of the line, and the fenced block or here-document under
// it.
func (p *parser) body(arg string, next int) (string, error) {
	arg = lex.TrimBlanksEnd(arg)
	if head, doc, ok := lex.CutHeredoc(arg); ok {
		if _, _, again := lex.CutHeredoc(head); again || lex.TurnEndLen(head) > 0 {
			return "", p.ambiguous("open one here-document at the end of the line")
		}
		inside, after, ok := doc.Inside(p.text, next)
		if !ok {
			return "", ErrUnclosed
		}
		return unwrapHead(head) + "\n" + inside, p.nothingAfter(after)
	}
	under, _, after := lex.NonBlank(p.text, next)
	if f, ok := lex.FenceAt(under); ok {
		text, err := p.fenced(f, after)
		return unwrapHead(arg) + "\n" + text, err
	}
	return unwrapHead(arg), p.nothingAfter(next)
}

// unwrapHead unwraps the first line of a Body, unless what is left would open a
// here-document.
func unwrapHead(s string) string {
	inner := unwrap(s)
	if _, _, opens := lex.CutHeredoc(inner); opens {
		return s
	}
	return inner
}

// fenced returns the inside of the block that f opened on the line before pos.
// A line inside that would open another such block makes it ambiguous: which of
// the two the next closing line ends is a guess.
func (p *parser) fenced(f lex.Fence, pos int) (string, error) {
	if strings.ContainsAny(f.Info, lex.Blanks) {
		return "", p.ambiguous("begin the input on the line under the fence; behind the marks one word may stand")
	}
	inside, next, nested, closed := f.Inside(p.text, pos)
	switch {
	case !closed:
		return "", ErrUnclosed
	case nested:
		return "", p.ambiguous("the lines hold a fence of their own; write them in a longer one")
	}
	return inside, p.nothingAfter(next)
}

// nothingAfter reports ErrAmbiguous unless only blank lines follow pos, then at
// most an observation label with what the model invented under it.
func (p *parser) nothingAfter(pos int) error {
	p.end = max(p.end, pos)
	line, _, _ := lex.NonBlank(p.text, pos)
	if _, label := labelAt(line); line == "" || label {
		return nil
	}
	return p.leftOver(line)
}

// leftOver is the error of a line that the move has no room for.
func (p *parser) leftOver(line string) error {
	room := "takes its first line, then a ``` fence"
	if p.act.Lines == tools.Block {
		room = "takes one line, or several in a ``` fence under it"
	}
	return p.ambiguous(fmt.Sprintf("ACT: %s %s; nothing may follow, but %q does", p.act.Name, room, clipTo(line, 60)))
}

// cure says what the model can do about err.
func (p *parser) cure(err error) string {
	switch err {
	case ErrNoTool:
		return "name the tool right after ACT:"
	case ErrUnclosed:
		return "close the fence or here-document on a line of its own, then write nothing more"
	case ErrAmbiguous:
		return p.hint
	}
	if nearMarker(p.text) {
		return "write the marker at the very start of its line, in upper case: ACT: or DONE:"
	}
	return "write ACT: and a tool, or DONE: and the answer"
}
