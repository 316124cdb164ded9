package react

// A LostPrompt says at which ask the server dropped part of the prompt.
type LostPrompt struct {
	Ask          int
	Bytes        int // length of the prompt
	Tokens       int // what the server counted
	BeforeBytes  int // the same at the last ask whose count fitted
	BeforeTokens int
}

// How far counts may stray before they are a sign. Text has at least a token in
// a hundred bytes. A count may fall a little where a server counts cached tokens
// apart, by blocks; a server that drops part of a prompt drops much of it.
const (
	sparse     = 100
	standstill = 2 << 10 // bytes
	muchOf     = 8       // an eighth
)

// A growth watches that token counts grow with the prompts. It holds the last
// ask at which they did.
type growth struct{ bytes, tokens int }

// lost takes the length of a prompt and its tokens as the server counts them,
// and reports whether part of it was dropped. Without a count nothing is known.
func (g *growth) lost(ask, bytes, tokens int) (LostPrompt, bool) {
	if tokens <= 0 {
		return LostPrompt{}, false
	}
	l := LostPrompt{Ask: ask, Bytes: bytes, Tokens: tokens, BeforeBytes: g.bytes, BeforeTokens: g.tokens}
	added, grown := bytes-g.bytes, tokens-g.tokens
	fits := grown*sparse >= added
	lost := -grown*muchOf > g.tokens || !fits && added >= standstill
	if fits || lost {
		*g = growth{bytes, tokens}
	}
	return l, lost
}
