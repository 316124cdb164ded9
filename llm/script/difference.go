package script

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// How a message shows where texts differ.

const (
	mostShown = 40  // lines of a diff
	widest    = 120 // characters of a line
	lead      = 30  // characters before the change in a line that is cut
)

// showDiff returns the lines that differ, with some around them, each behind a
// newline and indented.
func showDiff(oldName, old, newName, new string) string {
	lines := strings.Split(strings.TrimSuffix(string(diff.Diff("a", []byte(old+"\n"), "b", []byte(new+"\n"))), "\n"), "\n")
	shown := []string{"--- " + oldName, "+++ " + newName}
	for i := 3; i < len(lines); {
		n := 1
		switch line := lines[i]; line[0] {
		case '@':
			if i > 3 {
				shown = append(shown, "…")
			}
		case ' ':
			if len(shown) > 2 || strings.TrimSpace(line) != "" {
				shown = append(shown, strings.TrimRight(" "+visible(narrow(line[1:], 0)), " "))
			}
		default:
			var changed []string
			changed, n = change(lines[i:])
			shown = append(shown, changed...)
		}
		i += n
	}
	if more := len(shown) - mostShown; more > 0 {
		shown = append(shown[:mostShown], "… ("+strconv.Itoa(more)+" more lines)")
	}
	return strings.ReplaceAll("\n    "+strings.Join(shown, "\n    "), "    \n", "\n")
}

// change shows the lines taken away and added at the beginning of lines, those
// that are too long round the place where they differ. It returns how many it
// has shown.
func change(lines []string) (shown []string, n int) {
	gone := count(lines, '-')
	come := count(lines[gone:], '+')
	for i := range gone + come {
		at := 0
		if other := i - gone; i < gone && i < come {
			at, _, _ = differ(lines[gone+i][1:], lines[i][1:])
		} else if other >= 0 && other < gone {
			at, _, _ = differ(lines[other][1:], lines[i][1:])
		}
		line := lines[i]
		shown = append(shown, line[:1]+dots(visible(narrow(line[1:], at))))
	}
	return shown, gone + come
}

// count returns how many lines at the beginning have a mark.
func count(lines []string, mark byte) int {
	n := 0
	for n < len(lines) && lines[n] != "" && lines[n][0] == mark {
		n++
	}
	return n
}

// narrow cuts a line that is too long, so that the byte at offset is seen.
func narrow(line string, at int) string {
	runes := []rune(line)
	if len(runes) <= widest {
		return line
	}
	from := max(0, utf8.RuneCountInString(line[:min(at, len(line))])-lead)
	from = min(from, len(runes)-widest)
	text := string(runes[from : from+widest])
	if from > 0 {
		text = "…" + text
	}
	if from+widest < len(runes) {
		text += "…"
	}
	return text
}

// visible shows characters that cannot be seen as Go writes them.
func visible(line string) string {
	if !strings.ContainsFunc(line, unseen) && utf8.ValidString(line) {
		return line
	}
	var b strings.Builder
	for i, r := range line {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(line[i:], "\ufffd"):
			b.WriteString(`\x` + strconv.FormatInt(int64(line[i])|0x100, 16)[1:])
		case unseen(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unseen reports whether r is no blank and cannot be seen.
func unseen(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// dots shows blanks at the end of a line as dots.
func dots(line string) string {
	bare := strings.TrimRight(line, " ")
	return bare + strings.Repeat("·", len(line)-len(bare))
}
