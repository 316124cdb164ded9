package workspace

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	reportLines   = 40 // lines that a report shows
	reportContext = 3  // of them around new lines
	reportRanges  = 10 // ranges that it names
)

// report says what the blocks did and shows the new lines with those around
// them.
func (e *edit) report(blocks int, stale bool, limits Limits) string {
	name := quotePath(e.asked)
	facts := []string{count(blocks, "block", "blocks")}
	if e.all {
		facts = append(facts, count(e.places, "place", "places"))
	}
	facts = append(facts, e.ranges())
	shown, escaped := e.excerpt(limits)
	if escaped {
		facts = append(facts, `some bytes shown as \xNN or \u{...}`)
	}
	text := fmt.Sprintf("edited %s (%s)\n%s", name, strings.Join(facts, ", "), shown)
	if stale {
		text += "note: " + name + " changed since you read it\n"
	}
	return strings.TrimSuffix(text, "\n")
}

// ranges names the lines that are new; where lines were only removed, it is the
// line that took their place.
func (e *edit) ranges() string {
	var names []string
	word := "line"
	for i, r := range e.regions {
		if i == reportRanges {
			names = append(names, "...")
			break
		}
		name := strconv.Itoa(r.first)
		if r.lines > 1 {
			name += "-" + strconv.Itoa(r.first+r.lines-1)
		}
		names = append(names, name)
		if r.lines > 1 || i > 0 {
			word = "lines"
		}
	}
	return word + " " + strings.Join(names, ", ")
}

// excerpt shows the regions with the lines around them, numbered, as far as
// there is room.
func (e *edit) excerpt(limits Limits) (text string, escaped bool) {
	var b strings.Builder
	budget := limits.ReadBytes - 3*len(quotePath(e.asked)) - 400 // of the lines around
	number, pos, shown := 1, 0, 0
	for i, r := range e.regions {
		first := max(number, r.first-reportContext)
		if i > 0 && first > number {
			b.WriteString("[...]\n")
		}
		pos = skipLines(e.text, pos, first-number)
		for number = first; number < r.first+r.lines+reportContext && pos < len(e.text); number++ {
			end := skipLines(e.text, pos, 1)
			line, hidden := e.showLine(number, e.text[pos:end], limits.LineChars)
			if shown == reportLines || shown > 0 && b.Len()+len(line) > budget {
				fmt.Fprintf(&b, "[more: next: read_file %s %d-]\n", quotePath(e.asked), number)
				return b.String(), escaped
			}
			b.WriteString(line)
			escaped = escaped || hidden
			shown++
			pos = end
		}
	}
	return b.String(), escaped
}

// showLine returns a line as read_file shows it.
func (e *edit) showLine(number int, content []byte, chars int) (text string, escaped bool) {
	content, _ = cutEnd(content)
	l := line{kept: content, size: len(content), runes: runeStarts(content)}
	shown, rest, escaped := l.without(e.hidden).show(chars)
	if rest > 0 {
		shown = fmt.Appendf(shown, "[+%s]", count(rest, "character", "characters"))
	}
	return fmt.Sprintf("%d|%s\n", number, shown), escaped
}
