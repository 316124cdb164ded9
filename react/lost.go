package react

import (
	"unicode"
	"unicode/utf8"
)

// A LostPrompt says at which ask the server dropped part of the prompt.
type LostPrompt struct {
	Ask          int
	Bytes        int // length of the prompt
	Tokens       int // what the server counted
	BeforeBytes  int // the same at the last ask whose count fitted
	BeforeTokens int
}

// What is known of honest counts: tokenizers do not join words, so text has at
// least a token for every other word, to be on the safe side, and one in a
// hundred bytes. Less than that, for more than a little text, is a sign. So is a
// fall by an eighth; a smaller one may come of a cache that is counted by blocks.
const (
	wordsPerToken = 2
	bytesPerToken = 100
	muchText      = 2 << 10 // bytes
	manyWords     = 64
	muchOf        = 8
)

// A growth watches that token counts grow with the prompts. It holds the last
// ask at which they did.
type growth struct{ bytes, tokens int }

// lost takes a prompt and its tokens as the server counts them, and reports
// whether part of it was dropped. Without a count nothing is known.
func (g *growth) lost(ask int, prompt string, tokens int) (LostPrompt, bool) {
	if tokens <= 0 {
		return LostPrompt{}, false
	}
	if g.tokens == 0 {
		*g = growth{len(prompt), tokens}
		return LostPrompt{}, false
	}
	l := LostPrompt{Ask: ask, Bytes: len(prompt), Tokens: tokens, BeforeBytes: g.bytes, BeforeTokens: g.tokens}
	added, words, grown := len(prompt)-g.bytes, countWords(prompt[g.bytes:]), tokens-g.tokens
	fits := grown >= max(words/wordsPerToken, added/bytesPerToken)
	lost := !fits && (words >= manyWords || added >= muchText) || -grown*muchOf > g.tokens
	if fits || lost {
		*g = growth{len(prompt), tokens}
	}
	return l, lost
}

// countWords counts the runs of letters in s.
func countWords(s string) int {
	words, inside := 0, false
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		letter := unicode.IsLetter(r) || unicode.IsMark(r)
		if letter && !inside {
			words++
		}
		inside = letter
		i += n
	}
	return words
}
