package lex

import "strings"

// OpenTagAt returns the text after the reasoning tag that s begins with, or
// false.
func OpenTagAt(s string) (rest string, ok bool) {
	s = TrimBlanks(s)
	if rest, ok = strings.CutPrefix(s, "<think>"); ok {
		return rest, true
	}
	return strings.CutPrefix(s, "<thinking>")
}

// CutClosingTag cuts s round its first closing reasoning tag.
func CutClosingTag(s string) (before, after string, ok bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], "</think")
		if i < 0 {
			return s, "", false
		}
		start := from + i
		from = start + len("</think")
		if after, ok = strings.CutPrefix(strings.TrimPrefix(s[from:], "ing"), ">"); ok {
			return s[:start], after, true
		}
	}
}

// EndsInClosingTag reports whether line ends in a closing reasoning tag.
func EndsInClosingTag(line string) bool {
	line = TrimBlanksEnd(line)
	return strings.HasSuffix(line, "</think>") || strings.HasSuffix(line, "</thinking>")
}

// LongestToken is how far back a turn-end token is looked for, in bytes.
const LongestToken = 64

// CutTurnEnd returns s without the turn-end tokens it ends in and the white
// space around them; without any, s as it is.
func CutTurnEnd(s string) (rest string, cut bool) {
	for rest = s; ; cut = true {
		trimmed := TrimEnd(rest)
		n := TurnEndLen(trimmed)
		if n == 0 {
			return rest, cut
		}
		rest = TrimEnd(trimmed[:len(trimmed)-n])
	}
}

// TurnEndLen returns the length of the turn-end token that s ends in, or 0.
func TurnEndLen(s string) int {
	for _, token := range []string{"</s>", "<end_of_turn>"} {
		if strings.HasSuffix(s, token) {
			return len(token)
		}
	}
	if !strings.HasSuffix(s, "|>") {
		return 0
	}
	near := s[max(0, len(s)-LongestToken):]
	i := strings.LastIndex(near, "<|")
	if i < 0 || len(near)-i <= len("<||>") || strings.ContainsAny(near[i:], Blanks+"\n") {
		return 0
	}
	return len(near) - i
}
