package workspace

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

const (
	matchChars  = 400 // characters that grep shows of a line
	beforeMatch = 100 // bytes shown before a match that lies further on in a line
)

// A hit is a line that matches.
type hit struct {
	at         int // where the line begins in the text
	start, end int // the match in the line, if that is long
}

// excerpts are the lines that grep shows, in the form that grep gives them.
type excerpts struct {
	limits  Limits
	secrets *secrets // not to be shown
	context int

	lines []string
	size  int  // bytes in lines
	shown int  // hits in lines
	total int  // hits in all
	full  bool // there was no room for a line
}

// room returns how many hits more may be shown.
func (m *excerpts) room() int {
	if m.full {
		return 0
	}
	return m.limits.GrepMatches - m.shown
}

// add adds the hits of one file with their context.
func (m *excerpts) add(name string, text []byte, hits []hit) {
	g := group{excerpts: m, name: quotePath(name), text: text, number: 1}
	for i, h := range hits {
		end := len(text)
		if i+1 < len(hits) {
			end = hits[i+1].at
		}
		from := max(g.printed, back(text, h.at, m.context))
		if m.context > 0 && len(m.lines) > 0 && (i == 0 || from > g.printed) {
			m.line("--")
		}
		g.skip(from)
		for g.printed < h.at {
			g.line('-', hit{})
		}
		g.line(':', h)
		for n := 0; n < m.context && g.printed < end; n++ {
			g.line('-', hit{})
		}
	}
}

// line adds a line if there is room for it, and for all before it.
func (m *excerpts) line(s string) bool {
	m.full = m.full || m.size+len(s) >= m.limits.ReadBytes
	if !m.full {
		m.lines, m.size = append(m.lines, s), m.size+len(s)+1
	}
	return !m.full
}

// A group prints lines of one file.
type group struct {
	*excerpts
	name    string
	text    []byte
	printed int // bytes of text up to the next line
	number  int // of that line
}

// skip goes on to the line that begins at from.
func (g *group) skip(from int) {
	g.number += bytes.Count(g.text[g.printed:from], []byte{'\n'})
	g.printed = from
}

// line prints the next line with a mark that says whether it matches.
func (g *group) line(mark byte, h hit) {
	line := lineAt(g.text, g.printed)
	if g.excerpts.line(fmt.Sprintf("%s%c%d%c%s", g.name, mark, g.number, mark, g.excerpt(line, h))) && mark == ':' {
		g.shown++
	}
	g.number++
	g.printed = min(len(g.text), g.printed+len(line)+1)
}

// excerpt returns the beginning of a line, or the part around the match if that
// would not show it. A line with a secret is shown from its beginning.
func (m *excerpts) excerpt(text []byte, h hit) string {
	before := ""
	if h.end > matchChars && !m.secrets.in(text) {
		from := max(0, h.start-beforeMatch)
		for from > 0 && !utf8.RuneStart(text[from]) {
			from--
		}
		if from > 0 {
			before = "[+" + count(runeStarts(text[:from]), "character", "characters") + "]"
		}
		text = text[from:]
	}
	l := line{kept: text, runes: runeStarts(text)}
	shown, rest, _ := l.without(m.secrets).show(matchChars)
	if rest > 0 {
		shown = fmt.Appendf(shown, "[+%s]", count(rest, "character", "characters"))
	}
	return before + string(shown)
}

// lineAt returns the line that begins at, without its end.
func lineAt(text []byte, at int) []byte {
	line := text[at:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		return line[:end]
	}
	return line
}

// back returns where the line begins that lies n lines before the line at, or
// the first one.
func back(text []byte, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(text[:at-1], '\n') + 1
	}
	return at
}
