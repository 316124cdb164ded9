package script

import (
	"bytes"
	"slices"
	"strings"
)

// A block is a section as it stands in a file: a marker and the lines under it.
type block struct {
	marker string // the whole line with its newline; empty for the comment
	head   string // what the marker holds
	body   string // ends in a newline unless it is empty
	line   int    // of the marker; 0 if it is new
	about  about  // of a section to be written
}

// An about says what a section is about.
type about int

const (
	theStart about = iota // the folder, the task, the settings
	theTalk               // a conversation
	theEnd                // what must come of it
)

// newlines turns CRLF into LF if every line ends so, and drops byte order
// marks.
func newlines(data []byte) string {
	data = bytes.TrimLeft(data, "\ufeff")
	if crlf(data) {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return string(data)
}

// crlf reports whether every line ends in CRLF.
func crlf(data []byte) bool {
	n := bytes.Count(data, []byte("\n"))
	return n > 0 && n == bytes.Count(data, []byte("\r\n"))
}

// split cuts text into the comment and the sections, as txtar does, and refuses
// misspelt markers.
func (s *Script) split(text string) ([]block, error) {
	blocks, bodyStart, at, line := []block{{}}, 0, 0, 0
	for l := range strings.Lines(text) {
		line++
		if head, ok := markerOf(l); ok {
			if strings.HasSuffix(l, "\r\n") {
				return nil, s.errorf(line, "the line ends in CRLF, but not all lines do; make all line ends alike")
			}
			blocks[len(blocks)-1].body = text[bodyStart:at]
			blocks = append(blocks, block{marker: l, head: head, line: line})
			bodyStart = at + len(l)
		} else if head, ok := misspelt(l); ok {
			return nil, s.errorf(line, `%q looks like the marker of a section but is none; write "-- %s --" from the start of the line to its end, or, if it is text, give its section %s`,
				strings.TrimSuffix(l, "\n"), head, wayOut)
		}
		at += len(l)
	}
	last := &blocks[len(blocks)-1]
	last.body = text[bodyStart:]
	if last.body != "" && !strings.HasSuffix(last.body, "\n") {
		last.body += "\n"
	}
	return blocks, nil
}

const wayOut = `encoding=quoted and begin each of its lines with ">"`

// markerOf returns what the marker of a section holds.
func markerOf(line string) (head string, ok bool) {
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
	if len(words) == 0 {
		return "", false
	}
	words[0] = strings.ToLower(words[0])
	if _, ok := kinds[words[0]]; !ok {
		return "", false
	}
	rest := words[1:]
	rest = rest[min(wordsOf(words), len(rest)):]
	return strings.Join(words, " "), !slices.ContainsFunc(rest, isNoOption)
}

// isNoOption reports whether word cannot be an option.
func isNoOption(word string) bool { return !strings.Contains(word, "=") }

// needsQuoting reports whether a line of body would be taken for a marker.
func needsQuoting(body string) bool {
	for l := range strings.Lines(body) {
		if _, ok := markerOf(l); ok {
			return true
		}
		if _, ok := misspelt(l); ok {
			return true
		}
	}
	return false
}

// quote writes ">" before each line.
func quote(body string) string {
	var b strings.Builder
	for l := range strings.Lines(body) {
		b.WriteString(">" + l)
	}
	return b.String()
}

// unquote takes ">" from each line. It returns the number of the first line
// that lacks it, from 1, or 0.
func unquote(body string) (text string, missing int) {
	var b strings.Builder
	n := 0
	for l := range strings.Lines(body) {
		n++
		rest, ok := strings.CutPrefix(l, ">")
		if !ok {
			return "", n
		}
		b.WriteString(rest)
	}
	return b.String(), 0
}

// bodyOf returns the lines that hold text.
func bodyOf(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}
