package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxPlaces   = 10_000 // places that a call changes
	namedPlaces = 10     // places that an error names
)

// An edit is a file on its way through the blocks of a call.
type edit struct {
	asked   string
	limit   int // bytes that the file may have
	hidden  *secrets
	all     bool   // change every place that a block matches
	text    []byte // the file so far, without its byte order mark
	regions []region
	places  int // that were changed

	withBash func(text, hint string) string // of the workspace
}

// A region is a range of lines of the text that a block put there. It may be
// empty.
type region struct {
	first, lines int
	added        int // lines it has more than there were before
}

// apply applies the blocks, each to what the one before it made. Bytes outside
// the lines that a block changes stay as they are.
func (e *edit) apply(ctx context.Context, blocks []block) error {
	for i, b := range blocks {
		err := ctx.Err()
		if err == nil {
			err = b.check()
		}
		if err == nil {
			err = e.applyBlock(b)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errEmptySearch):
			return err
		case err != nil:
			return fmt.Errorf("block %d %w", i+1, err)
		}
	}
	return nil
}

// applyBlock replaces the lines that the block matches as it stands or, if there
// are none, without the line numbers in it.
func (e *edit) applyBlock(b block) error {
	flat := flattened(e.text)
	most := namedPlaces + 1
	if e.all {
		most = maxPlaces - e.places + 1
	}
	starts := matches(flat, b.search, e.all, most)
	if plain, ok := b.unnumbered(); ok && len(starts) == 0 {
		b = plain
		starts = matches(flat, b.search, e.all, most)
		if slices.Equal(b.search, b.replace) {
			return errChangesNothing
		}
	}
	switch {
	case len(starts) == 0:
		return e.notFound(flat, b.search)
	case e.all && len(starts) == most:
		return errors.New(e.withBash(fmt.Sprintf("and those before it match more than %s places", comma(maxPlaces)), "use bash with sed"))
	case !e.all && len(starts) > 1:
		return e.ambiguous(flat, starts)
	}
	return e.replace(flat, starts, b)
}

// flattened returns text with LF line ends, the last one included. It does not
// change text.
func flattened(text []byte) []byte {
	if bytes.Contains(text, crlf) {
		text = bytes.ReplaceAll(text, crlf, lf)
	}
	if len(text) > 0 && !hasEnd(text) {
		text = append(text[:len(text):len(text)], '\n')
	}
	return text
}

// replace puts the new lines of the block in the place of the old ones at each
// of starts, which are positions in flat: the text with LF line ends.
func (e *edit) replace(flat []byte, starts []int, b block) error {
	out := make([]byte, 0, len(e.text))
	pos, flatPos, line := 0, 0, 1
	for _, start := range starts {
		above := bytes.Count(flat[flatPos:start], lf)
		next := skipLines(e.text, pos, above)
		end := skipLines(e.text, next, len(b.search))
		out = append(out, e.text[pos:next]...)
		out = b.appendTo(out, e.text[next:end])
		if len(out) > e.limit {
			return e.tooLarge()
		}
		line += above
		e.changed(line, len(b.search), len(b.replace))
		line += len(b.replace)
		pos, flatPos = end, skipLines(flat, start, len(b.search))
	}
	if len(out)+len(e.text)-pos > e.limit {
		return e.tooLarge()
	}
	e.text = append(out, e.text[pos:]...)
	e.places += len(starts)
	return nil
}

func (e *edit) tooLarge() error {
	return errors.New(e.withBash("makes the file larger than "+count(e.limit, "byte", "bytes"), "use bash"))
}

// changed notes that lines from first on were replaced. Regions below move,
// those that are touched become part of the new one.
func (e *edit) changed(first, old, new int) {
	r := region{first: first, lines: new, added: new - old}
	kept := e.regions[:0]
	for _, other := range e.regions {
		switch {
		case other.first+other.lines <= first && other.first < first:
			kept = append(kept, other)
		case other.first >= first+old:
			other.first += new - old
			kept = append(kept, other)
		default:
			end := max(r.first+r.lines, other.first+other.lines+new-old)
			r.first = min(r.first, other.first)
			r.lines = end - r.first
			r.added += other.added
		}
	}
	i, _ := slices.BinarySearchFunc(kept, r, func(a, b region) int { return a.first - b.first })
	e.regions = slices.Insert(kept, i, r)
}

// before returns the number that a line of the text had in the file, before the
// blocks. That of a new line is one of those it replaced.
func (e *edit) before(line int) int {
	was := line
	for _, r := range e.regions {
		switch old := r.lines - r.added; {
		case r.first+r.lines <= line:
			was -= r.added
		case r.first < line:
			was -= max(0, line-r.first-max(0, old-1))
		}
	}
	return max(1, was)
}

func (e *edit) ambiguous(flat []byte, starts []int) error {
	places := make([]string, 0, namedPlaces)
	line, pos := 1, 0
	for _, start := range starts[:min(len(starts), namedPlaces)] {
		line += bytes.Count(flat[pos:start], lf)
		pos = start
		places = append(places, strconv.Itoa(e.before(line)))
	}
	n, more := strconv.Itoa(len(starts)), ""
	if len(starts) > namedPlaces {
		n, more = fmt.Sprintf("more than %d", namedPlaces), ", ..."
	}
	return fmt.Errorf("matches %s places (lines %s%s); add lines above or below, or use edit_file all %s",
		n, strings.Join(places, ", "), more, quotePath(e.asked))
}
