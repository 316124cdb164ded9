package workspace

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
)

const (
	maxDiff      = 4 << 20 // bytes of changes that are shown for approval
	maxDiffLines = 100_000 // lines of both texts that are compared one by one
	diffContext  = 3       // lines shown around a change
)

// unified returns the changes from old to new as a unified diff, and whether it
// was cut because it is longer than maxDiff.
func unified(name string, old, new []byte) (text string, cut bool) {
	var d []byte
	if lineCount(old)+lineCount(new) <= maxDiffLines {
		d = diff.Diff(name, old, name, new)
		_, d, _ = bytes.Cut(d, lf) // a line that names the files as the next two do
	} else {
		d = oneChange(name, old, new)
	}
	if len(d) <= maxDiff {
		return string(d), false
	}
	kept := cutHead(d[:maxDiff])
	return fmt.Sprintf("%s\n[cut: %s of the changes are not shown]\n",
		bytes.TrimSuffix(kept, lf), count(len(d)-len(kept), "byte", "bytes")), true
}

// oneChange is a diff with a single change in it, from the first line that
// differs to the last.
func oneChange(name string, old, new []byte) []byte {
	if bytes.Equal(old, new) {
		return nil
	}
	start, oldEnd, newEnd := differing(old, new)
	before := lastLines(old[:start], diffContext)
	after := old[oldEnd:skipLines(old, oldEnd, diffContext)]
	first := bytes.Count(old[:start-len(before)], lf) + 1
	around := lineCount(before) + lineCount(after)
	d := fmt.Appendf(nil, "--- %s\n+++ %s\n@@ -%d,%d +%d,%d @@\n", name, name,
		first, around+lineCount(old[start:oldEnd]), first, around+lineCount(new[start:newEnd]))
	d = prefixLines(d, ' ', before)
	d = prefixLines(d, '-', old[start:oldEnd])
	d = prefixLines(d, '+', new[start:newEnd])
	return prefixLines(d, ' ', after)
}

// differing returns where a and b begin and cease to differ, at line starts.
func differing(a, b []byte) (start, aEnd, bEnd int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			start = i + 1
		}
	}
	same := 0
	for n := 1; n <= min(len(a), len(b))-start && a[len(a)-n] == b[len(b)-n]; n++ {
		if startsLine(a, len(a)-n) && startsLine(b, len(b)-n) {
			same = n
		}
	}
	return start, len(a) - same, len(b) - same
}

func startsLine(text []byte, i int) bool { return i == 0 || text[i-1] == '\n' }

// lastLines returns the last n lines of text.
func lastLines(text []byte, n int) []byte {
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		start = bytes.LastIndexByte(text[:start-1], '\n') + 1
	}
	return text[start:]
}

// prefixLines appends the lines of text with a mark before each.
func prefixLines(dst []byte, mark byte, text []byte) []byte {
	for len(text) > 0 {
		next := skipLines(text, 0, 1)
		dst = append(append(dst, mark), text[:next]...)
		text = text[next:]
	}
	if dst[len(dst)-1] != '\n' {
		dst = append(dst, "\n\\ No newline at end of file\n"...)
	}
	return dst
}
