package workspace

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// A page is the part of a file that one call of read_file shows.
type page struct {
	file   *regular
	survey survey
	span   span // what was asked for
	limits Limits
	hidden *secrets

	body    []byte // numbered lines
	line    []byte // the last one, without its number
	shown   int    // the number of the last line shown
	cut     bool   // a line was too long
	escaped bool   // something is shown as \xNN or \u{...}
}

// read reads the lines of the page. It reads no more than was surveyed, so a
// file that grows meanwhile does not matter.
func (p *page) read(ctx context.Context) error {
	r := bufio.NewReaderSize(io.NewSectionReader(p.file, 0, p.survey.size), 64<<10)
	if p.survey.bom {
		r.Discard(len(byteOrderMark))
	}
	if err := p.addLines(ctx, r); err != nil {
		return fmt.Errorf("read %s: %w", quotePath(p.file.asked), err)
	}
	if len(p.body) == 0 && p.survey.size > 0 {
		return fmt.Errorf("%s changed while it was read; try again", quotePath(p.file.asked))
	}
	return nil
}

// addLines adds the lines of the span as far as there is room.
func (p *page) addLines(ctx context.Context, r *bufio.Reader) error {
	budget := p.limits.ReadBytes - 2*len(quotePath(p.file.asked)) - 200 // of the lines around
	for n := 1; p.span.last == 0 || n <= p.span.last; n++ {
		keep := 0
		if n >= p.span.first {
			keep = min(p.limits.LineChars, maxLineBytes) + p.hidden.longest
		}
		l, err := readLine(ctx, r, keep)
		if err != nil {
			return err
		}
		if l.size == 0 || keep > 0 && !p.add(n, l, budget) {
			return nil
		}
	}
	return nil
}

// add adds line n to the page and reports whether there was room. The first
// line always has room.
func (p *page) add(n int, l line, budget int) bool {
	text, rest, escaped := l.without(p.hidden).show(p.limits.LineChars)
	if rest > 0 {
		text = fmt.Appendf(text, "[+%s]", p.rest(l, rest))
	}
	numbered := fmt.Appendf(nil, "%d|%s\n", n, text)
	if len(p.body) > 0 && (len(p.body)+len(numbered) > budget || n-p.span.first >= p.limits.ReadLines) {
		return false
	}
	p.body = append(p.body, numbered...)
	p.line, p.shown = text, n
	p.cut = p.cut || rest > 0
	p.escaped = p.escaped || escaped
	return true
}

// rest says how many characters of a line are not shown, or that many at least
// if the survey ended inside it.
func (p *page) rest(l line, characters int) string {
	if l.open && !p.survey.whole {
		return comma(characters) + " characters or more"
	}
	return count(characters, "character", "characters")
}

// text puts the lines between a header and a line that says how to go on.
func (p *page) text() string {
	notes := p.survey.notes()
	if p.escaped {
		notes = append(notes, `some bytes shown as \xNN or \u{...}`)
	}
	if len(notes) == 0 && p.survey.whole && p.survey.lines() == 1 && !p.cut && len(p.line) > 0 {
		return string(p.line)
	}
	return strings.TrimSuffix(p.header(notes)+"\n"+string(p.body)+p.more(), "\n")
}

func (p *page) header(notes []string) string {
	name := quotePath(p.file.asked)
	if p.survey.size == 0 {
		return fmt.Sprintf("file: %s (empty)", name)
	}
	total, size := comma(p.survey.lines()), p.survey.size
	if !p.survey.whole {
		total, size = "many", max(size, p.file.info.Size())
	}
	facts := append([]string{
		fmt.Sprintf("lines %d-%d of %s", p.span.first, p.shown, total),
		count(size, "byte", "bytes"),
	}, notes...)
	return fmt.Sprintf("file: %s (%s)", name, strings.Join(facts, "; "))
}

func (p *page) more() string {
	end, next := p.span.last, fmt.Sprintf("%d-", p.shown+1)
	if end != 0 {
		next += fmt.Sprint(end)
	} else {
		end = p.survey.lines()
	}
	left := count(end-p.shown, "line", "lines")
	switch {
	case !p.survey.whole && p.span.last == 0:
		left = "many lines"
	case end <= p.shown:
		return ""
	}
	return fmt.Sprintf("[more: %s; next: read_file %s %s]\n", left, quotePath(p.file.asked), next)
}
