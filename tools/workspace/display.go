package workspace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// control reports whether r is a C0 or C1 control other than tab and newline.
func control(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' || r >= 0x7f && r <= 0x9f
}

// deceptive reports whether r shows as nothing and yet changes how text reads:
// marks of text direction, tags, and U+FEFF.
func deceptive(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// unseen reports whether r shows as nothing, or as a blank that is none. Between
// blanks it would hide that they are many.
func unseen(r rune) bool {
	const brailleBlank = 0x2800
	return r == brailleBlank || r == 0x2028 || r == 0x2029 ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// appendEscape appends the first rune of text in the form that shows it, \xNN
// for bytes and \u{...} for other runes.
func appendEscape(dst []byte, r rune, text []byte) []byte {
	if r == utf8.RuneError || r < utf8.RuneSelf {
		return fmt.Appendf(dst, `\x%02x`, text[0])
	}
	return fmt.Appendf(dst, `\u{%x}`, r)
}

// appendVisible appends the first rune of text, escaped if it would not show,
// and returns its length in text.
func appendVisible(dst, text []byte) (longer []byte, size int, escaped bool) {
	r, size := utf8.DecodeRune(text)
	if control(r) || deceptive(r) || r == utf8.RuneError && size == 1 {
		return appendEscape(dst, r, text), size, true
	}
	return append(dst, text[:size]...), size, false
}

// longBlank is how many blanks in a row may stand in a text shown for approval;
// more could push the rest of it out of sight.
const longBlank = 32

// visible returns s as a person should see it who has to approve it.
func visible(s string) string {
	var b []byte
	for text := []byte(s); len(text) > 0; {
		n, size := blanks(text)
		if n > longBlank {
			b = fmt.Appendf(b, "[%s blanks]", comma(n))
			text = text[size:]
			continue
		}
		b = append(b, text[:size]...)
		text = text[size:]
		if len(text) == 0 {
			break
		}
		if r, size := utf8.DecodeRune(text); unseen(r) {
			b = appendEscape(b, r, text)
			text = text[size:]
			continue
		}
		b, size, _ = appendVisible(b, text)
		text = text[size:]
	}
	return string(b)
}

// blanks counts the blanks at the start of text, in runes and in bytes. A
// blank that would be escaped, such as a carriage return, is none.
func blanks(text []byte) (n, size int) {
	for size < len(text) {
		r, width := utf8.DecodeRune(text[size:])
		if !unicode.IsSpace(r) || control(r) || unseen(r) {
			break
		}
		n, size = n+1, size+width
	}
	return n, size
}

// quotePath returns path as the tools take it and the model can read it: as it
// is if that is plain, otherwise as a Go string.
func quotePath(path string) string {
	for _, r := range path {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(path)
		}
	}
	if path == "" || path != strings.TrimSpace(path) || strings.ContainsRune(`"{`, rune(path[0])) {
		return strconv.Quote(path)
	}
	words := strings.Fields(path)
	if len(words) > 1 && (isSpan(words[len(words)-1]) || words[0] == "--" || words[0] == "all" || strings.Contains(words[0], "=")) {
		return strconv.Quote(path)
	}
	return path
}

// comma writes n with a comma after every third digit.
func comma[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// count writes a number of things: 1 line, 2 lines.
func count[N int | int64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return comma(n) + " " + more
}
