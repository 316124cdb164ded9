package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A block is one change that edit_file makes: whole lines to find and the lines
// to put in their place, without line ends.
type block struct{ search, replace []string }

const (
	minMarker = 7   // characters of the shortest marker
	maxBlocks = 200 // of one call
)

var errNoBlock = errors.New("no edit block; under the path write a fence with <<<<<<< SEARCH, " +
	"the old lines, =======, the new lines and >>>>>>> REPLACE")

// parseBlocks reads edit blocks. Between them only blank lines may stand.
func parseBlocks(text string) ([]block, error) {
	var blocks []block
	lines := strings.Split(text, "\n")
	for len(lines) > 0 {
		if isBlank(lines[0]) {
			lines = lines[1:]
			continue
		}
		n := len(blocks) + 1
		length := startLength(lines[0])
		switch {
		case length == 0 && n == 1:
			return nil, errNoBlock
		case length == 0:
			return nil, fmt.Errorf("text after block %d: %s; if it belongs to the block, %s", n-1, shortQuote(lines[0]), longer(text))
		case n > maxBlocks:
			return nil, fmt.Errorf("more than %d blocks; make several calls", maxBlocks)
		}
		b, size, err := parseBlock(lines[1:], length)
		if errors.Is(err, errAmbiguousBlock) {
			err = fmt.Errorf("%w; %s", err, longer(text))
		}
		if err != nil {
			return nil, fmt.Errorf("block %d %w", n, err)
		}
		blocks, lines = append(blocks, b), lines[1+size:]
	}
	if len(blocks) == 0 {
		return nil, errNoBlock
	}
	return blocks, nil
}

// errAmbiguousBlock is the cause of errors that longer markers mend.
var errAmbiguousBlock = errors.New("has two")

// parseBlock reads a block behind its first line. Of that and the lines that
// follow it, only those with markers of the given length count.
func parseBlock(lines []string, length int) (b block, size int, err error) {
	divider := -1
	for i, line := range lines {
		switch line = strings.TrimRight(line, " \t\r"); {
		case line == marker('<', length)+" SEARCH":
			return b, 0, fmt.Errorf("%w SEARCH lines", errAmbiguousBlock)
		case line == marker('=', length) && divider >= 0:
			return b, 0, fmt.Errorf("%w divider lines", errAmbiguousBlock)
		case line == marker('=', length):
			divider = i
		case line == marker('>', length)+" REPLACE" && divider < 0:
			return b, 0, fmt.Errorf("has no divider line; write %s between the old lines and the new", marker('=', length))
		case line == marker('>', length)+" REPLACE":
			return newBlock(lines[:divider], lines[divider+1:i]), i + 1, nil
		}
	}
	return b, 0, fmt.Errorf("has no end; write %s REPLACE under the new lines", marker('>', length))
}

func marker(c byte, length int) string { return strings.Repeat(string(c), length) }

// startLength returns how long the markers are of the block that line begins,
// or 0 if it begins none.
func startLength(line string) int {
	line = strings.TrimRight(line, " \t\r")
	n := len(line) - len(strings.TrimLeft(line, "<"))
	if n < minMarker || line[n:] != " SEARCH" {
		return 0
	}
	return n
}

// longer says how long markers have to be that nothing in text is taken for one.
func longer(text string) string {
	longest := minMarker
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && strings.Contains("<=>", line[:1]) {
			longest = max(longest, len(line)-len(strings.TrimLeft(line, line[:1])))
		}
	}
	return fmt.Sprintf("use longer markers (%d characters)", longest+2)
}

// newBlock makes a block of lines that may have CRLF line ends.
func newBlock(search, replace []string) block {
	return block{withoutCR(search), withoutCR(replace)}
}

func withoutCR(lines []string) []string {
	lines = slices.Clone(lines)
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// linesOf splits a text into lines; a newline at its end begins no further one.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

var (
	errEmptySearch    = errors.New("empty search; use write_file for a new file")
	errChangesNothing = errors.New("changes nothing")
)

// check returns an error if the block has no text to find or does not change
// any. Blank lines alone are no text: where they match is chance.
func (b block) check() error {
	switch {
	case !slices.ContainsFunc(b.search, func(line string) bool { return !isBlank(line) }):
		return errEmptySearch
	case slices.Equal(b.search, b.replace):
		return errChangesNothing
	}
	return nil
}

// unnumbered returns the block without the line numbers that read_file shows,
// if all its old lines have them. New lines lose theirs if they all have one.
func (b block) unnumbered() (block, bool) {
	search, ok := cutNumbers(b.search)
	if !ok {
		return b, false
	}
	if replace, ok := cutNumbers(b.replace); ok {
		return block{search, replace}, true
	}
	return block{search, b.replace}, true
}

// cutNumbers takes "N|" from the start of every line.
func cutNumbers(lines []string) ([]string, bool) {
	cut := make([]string, len(lines))
	for i, line := range lines {
		number, rest, ok := strings.Cut(line, "|")
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			return nil, false
		}
		cut[i] = rest
	}
	return cut, true
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }
