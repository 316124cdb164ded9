package workspace

import "bytes"

var (
	lf   = []byte("\n")
	crlf = []byte("\r\n")
)

// dressed returns text with what the old file has and text has not: a byte order
// mark, and CRLF line ends if all of the old ones are. The line ends are those of
// eol, lf or crlf, if that is not empty.
func dressed(text, old []byte, eol string) []byte {
	switch {
	case eol == "lf":
		text = bytes.ReplaceAll(text, crlf, lf)
	case eol == "crlf", eol == "" && onlyCRLF(old) && !bytes.Contains(text, crlf):
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, crlf, lf), lf, crlf)
	}
	if bytes.HasPrefix(old, byteOrderMark) && !bytes.HasPrefix(text, byteOrderMark) {
		text = append(bytes.Clone(byteOrderMark), text...)
	}
	return text
}

// onlyCRLF reports whether there are line ends in text and all of them are CRLF.
func onlyCRLF(text []byte) bool {
	n := bytes.Count(text, lf)
	return n > 0 && n == bytes.Count(text, crlf)
}

// lineCount counts the lines of text, including one without a newline.
func lineCount(text []byte) int {
	n := bytes.Count(text, lf)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// cutEnd splits a line into its text and its line end, which may be empty.
func cutEnd(line []byte) (text, end []byte) {
	text = bytes.TrimSuffix(line, lf)
	if len(text) < len(line) {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return text, line[len(text):]
}

// skipLines returns the position n lines after pos, or the end of text.
func skipLines(text []byte, pos, n int) int {
	for ; n > 0 && pos < len(text); n-- {
		i := bytes.IndexByte(text[pos:], '\n')
		if i < 0 {
			return len(text)
		}
		pos += i + 1
	}
	return pos
}
