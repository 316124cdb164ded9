package react

import "strings"

// A heredoc is a here-document opened on a line: its end is the line that is
// just its tag.
type heredoc struct {
	tag   string
	tabs  bool // <<-: the end line may begin with tabs
	start int  // where its << stands in the line
	end   int  // where what follows the tag begins
}

const longestTag = 32

// heredocs returns the here-documents that a shell line opens, in order.
func heredocs(line string) []heredoc {
	var list []heredoc
	for pos := 0; ; {
		i := strings.Index(line[pos:], "<<")
		if i < 0 {
			return list
		}
		h, ok := heredocAt(line, pos+i)
		if ok {
			list = append(list, h)
		}
		pos = max(h.end, pos+i+len("<<"))
	}
}

// heredocAt reads the here-document operator at line[i:]. It wants no shell
// parser: what only looks like one makes the act unclosed, which is safe. (Bash
// allows blanks before the tag, so they are allowed here: taking such a line
// for a whole command would run it without its document.)
func heredocAt(line string, i int) (heredoc, bool) {
	h := heredoc{start: i, end: i + len("<<")}
	if i > 0 && (line[i-1] == '<' || isTagByte(line[i-1])) || strings.HasPrefix(line[h.end:], "<") {
		h.end += len(line[h.end:]) - len(strings.TrimLeft(line[h.end:], "<"))
		return h, false
	}
	rest := line[h.end:]
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
	h.end = len(line) - len(rest)
	return h, true
}

func isTagByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// endOf returns where the document that begins at pos of text ends: the start
// of its end line, and of the line after that.
func (h heredoc) endOf(text string, pos int) (end, next int, ok bool) {
	for pos < len(text) {
		line, next := cutLine(text, pos)
		if h.tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == h.tag {
			return pos, next, true
		}
		pos = next
	}
	return 0, 0, false
}
