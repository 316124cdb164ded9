package lex

import (
	"iter"
	"strings"
)

// A Heredoc is a here-document opened on a line: its end is the line that is
// just its tag.
type Heredoc struct {
	tag   string
	tabs  bool // <<-: the end line may begin with tabs
	start int  // where its << stands in the line
	stop  int  // where what follows the tag begins
}

const longestTag = 32

// Heredocs gives the here-documents that a shell line opens, in order.
func Heredocs(line string) iter.Seq[Heredoc] {
	return func(yield func(Heredoc) bool) {
		for pos := 0; ; {
			i := strings.Index(line[pos:], "<<")
			if i < 0 {
				return
			}
			h, ok := heredocAt(line, pos+i)
			if ok && !yield(h) {
				return
			}
			pos = max(h.stop, pos+i+len("<<"))
		}
	}
}

// OpensHeredoc reports whether a shell line opens a here-document.
func OpensHeredoc(line string) bool {
	for range Heredocs(line) {
		return true
	}
	return false
}

// heredocAt reads the here-document operator at line[i:]. It wants no shell
// parser: what only looks like one makes the act unclosed, which is safe. (Bash
// allows blanks before the tag, so they are allowed here: taking such a line
// for a whole command would run it without its document.)
func heredocAt(line string, i int) (Heredoc, bool) {
	h := Heredoc{start: i, stop: i + len("<<")}
	if i > 0 && (line[i-1] == '<' || isTagByte(line[i-1])) || strings.HasPrefix(line[h.stop:], "<") {
		h.stop += len(line[h.stop:]) - len(strings.TrimLeft(line[h.stop:], "<"))
		return h, false
	}
	rest := line[h.stop:]
	rest, h.tabs = strings.CutPrefix(rest, "-")
	rest = strings.TrimLeft(rest, " \t")
	quote := ""
	if rest != "" && strings.IndexByte(`'"\`, rest[0]) >= 0 {
		quote, rest = rest[:1], rest[1:]
	}
	n := 0
	for n < len(rest) && n <= longestTag && isTagByte(rest[n]) {
		n++
	}
	h.tag, rest = rest[:n], rest[n:]
	closed := true
	if quote == "'" || quote == `"` {
		rest, closed = strings.CutPrefix(rest, quote)
	}
	if n == 0 || n > longestTag || !closed || '0' <= h.tag[0] && h.tag[0] <= '9' {
		return h, false
	}
	if rest != "" && !strings.ContainsAny(rest[:1], " \t;|&>") && !strings.HasPrefix(rest, nbsp) {
		return h, false
	}
	h.stop = len(line) - len(rest)
	return h, true
}

// CutHeredoc cuts the here-document operator that s ends in.
func CutHeredoc(s string) (head string, doc Heredoc, ok bool) {
	for h := range Heredocs(s) {
		if h.stop == len(s) {
			return TrimBlanksEnd(s[:h.start]), h, true
		}
	}
	return s, Heredoc{}, false
}

func isTagByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Inside returns the document that begins at pos of text, and where the line
// after its end begins.
func (h Heredoc) Inside(text string, pos int) (inside string, next int, ok bool) {
	for start := pos; pos < len(text); {
		line, next := CutLine(text, pos)
		if h.tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == h.tag {
			return text[start:max(start, pos-1)], next, true
		}
		pos = next
	}
	return "", 0, false
}

// WithHeredocs returns a shell line with the here-documents that it opens, all
// as it stands, and where the line after them begins. They begin at next of text.
func WithHeredocs(line, text string, next int) (input string, end int, ok bool) {
	end, ok = next, true
	for h := range Heredocs(line) {
		if _, end, ok = h.Inside(text, end); !ok {
			return "", 0, false
		}
	}
	return strings.TrimSuffix(line+"\n"+text[next:end], "\n"), end, true
}
