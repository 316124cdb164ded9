package workspace

import (
	"bytes"
	"slices"
)

// appendTo appends to dst what becomes of old, the lines that the block
// matched. Lines at both ends of search and replace that are equal stay as they
// are, byte for byte; the others take the line ends of those they replace. dst
// holds the text above.
func (b block) appendTo(dst, old []byte) []byte {
	lines := slices.Collect(bytes.Lines(old))
	head, tail := b.common(lines)
	replaced := lines[head : len(lines)-tail]
	added := b.replace[head : len(b.replace)-tail]
	for _, line := range lines[:head] {
		dst = append(dst, line...)
	}
	for i, text := range added {
		usual := usualEnd(dst, lines)
		dst = append(dst, text...)
		dst = append(dst, newEnd(replaced, i, i == len(added)-1, usual)...)
	}
	for _, line := range lines[len(lines)-tail:] {
		dst = append(dst, line...)
	}
	return dst
}

// common counts the lines that search and replace have in common at their start
// and at their end. A line without line end is not counted at the start, as
// lines behind it give it one.
func (b block) common(lines [][]byte) (head, tail int) {
	shorter := min(len(b.search), len(b.replace))
	for head < shorter && b.search[head] == b.replace[head] && hasEnd(lines[head]) {
		head++
	}
	for tail < shorter-head && b.search[len(b.search)-1-tail] == b.replace[len(b.replace)-1-tail] {
		tail++
	}
	return head, tail
}

func hasEnd(line []byte) bool { return bytes.HasSuffix(line, lf) }

// newEnd returns the line end of line i of those that take the place of
// replaced.
func newEnd(replaced [][]byte, i int, last bool, usual []byte) []byte {
	if len(replaced) == 0 {
		return usual
	}
	like := replaced[min(i, len(replaced)-1)]
	if last {
		like = replaced[len(replaced)-1]
	}
	if _, end := cutEnd(like); len(end) > 0 || last {
		return end
	}
	return usual
}

// usualEnd returns the end of the line above, or else that of the first of
// lines, or LF.
func usualEnd(above []byte, lines [][]byte) []byte {
	for _, line := range [][]byte{above, lines[0]} {
		if hasEnd(line) {
			_, end := cutEnd(line)
			return end
		}
	}
	return lf
}
