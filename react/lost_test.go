package react_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A forgetful server has room for so many tokens and drops what is more.
type forgetful struct {
	room   int
	tokens func(prompt string) int
	keeps  func(room int) int // what is left of a prompt that does not fit
	report func(tokens int) int

	dropped []int // the asks at which it dropped something
	asked   int
	seen    int // bytes counted so far
	total   int // tokens in them
}

func (f *forgetful) count(prompt string) int {
	f.asked++
	f.total += f.tokens(prompt[f.seen:])
	f.seen = len(prompt)
	n := f.total
	if f.room > 0 && n > f.room {
		f.dropped = append(f.dropped, f.asked)
		n = f.keeps(f.room)
	}
	return f.report(n)
}

// fine counts as common tokenizers do, about: letters by five, digits by three,
// signs and spaces by 64.
func fine(text string) int { return countRuns(text, map[byte]int{'a': 5, '0': 3, '-': 64, ' ': 64}) }

// coarse counts less than any tokenizer in use: a token for a word, nothing for
// all else, one in 60 bytes at the least.
func coarse(text string) int {
	return max(countRuns(text, map[byte]int{'a': 1 << 30}), len(text)/60)
}

// countRuns counts the runs of each kind of character, a long one as several.
func countRuns(text string, longest map[byte]int) int {
	n, length, last := 0, 0, byte('?')
	for i := 0; i < len(text); i++ {
		kind := byte('-')
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			kind = 'a'
		case c >= '0' && c <= '9':
			kind = '0'
		case c == ' ' || c == '\n':
			kind = ' '
		}
		if length++; kind != last || length > longest[kind] {
			if length = 1; longest[kind] > 0 {
				n++
			}
		}
		last = kind
	}
	return n
}

// texts are what tools print.
var texts = []func(*rand.Rand, int) string{
	func(r *rand.Rand, n int) string { return strings.Repeat("the quick brown fox jumps over it. ", n/35) },
	func(r *rand.Rand, n int) string { return strings.Repeat("=", n) },
	func(r *rand.Rand, n int) string { return strings.Repeat("x", n) },
	func(r *rand.Rand, n int) string { return strings.Repeat("a"+strings.Repeat(" ", 70)+"b\n", n/73) },
	func(r *rand.Rand, n int) string { return strings.Repeat("快速的棕色狐狸跳过了它。", n/36) },
	func(r *rand.Rand, n int) string {
		return strings.Repeat(fmt.Sprintf(`{"id": %d, "ok": true},`, r.IntN(1e6)), n/25)
	},
	func(r *rand.Rand, n int) string { return "" },
}

// forget plays a run of acts against the server.
func forget(t testing.TB, f *forgetful, r *rand.Rand, acts, most int) react.Result {
	asked := 0
	model := llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
		if n := f.count(prompt); n >= 0 {
			llm.ContextTrace(ctx).Usage(llm.Usage{Prompt: n})
		}
		if asked++; asked > acts {
			return "DONE: x", nil
		}
		return fmt.Sprintf("ACT: look %d", asked), nil
	})
	look := tools.Tool{Name: "look", Call: func(context.Context, string) (string, error) {
		return texts[r.IntN(len(texts))](r, r.IntN(most)), nil
	}}
	result, err := react.Loop{LLM: model, Tools: []tools.Tool{look}, MaxSteps: acts + 1}.Run(t.Context(), "t")
	require.NoError(t, err)
	return result
}

func whole(n int) int { return n }

// TestLostPromptFound lets servers drop the head, the middle or the tail of
// prompts (all leave about as much as there is room for), or half of it, as some
// do, with and without counts.
func TestLostPromptFound(t *testing.T) {
	runs, found, missed, silent := 0, 0, 0, 0
	for seed := range 20 {
		for _, tokens := range []func(string) int{fine, coarse} {
			for _, keeps := range []func(int) int{whole, func(room int) int { return room - 37 }, func(room int) int { return room / 2 }} {
				for _, report := range []func(int) int{whole, func(int) int { return 0 }, func(int) int { return -1 }} {
					r := rand.New(rand.NewPCG(uint64(seed), 1))
					f := &forgetful{room: 1200 + r.IntN(2000), tokens: tokens, keeps: keeps, report: report}
					result := forget(t, f, r, 40, 4<<10)
					switch {
					case len(f.dropped) == 0:
						assert.Zero(t, result.LostPrompt)
					case report(1) <= 0:
						silent++
						assert.Zero(t, result.LostPrompt, "nothing can be known")
					case result.LostPrompt == 0:
						missed++
					default:
						found++
						assert.GreaterOrEqual(t, result.LostPrompt, f.dropped[0])
						assert.LessOrEqual(t, result.LostPrompt, f.dropped[0]+8, "it takes a little while to see")
					}
					runs++
				}
			}
		}
	}
	t.Logf("%d runs: %d dropped and found, %d dropped and missed, %d dropped without a count", runs, found, missed, silent)
	assert.Zero(t, missed)
	assert.Greater(t, found, 100)
	assert.Greater(t, silent, 200)
}

// TestLostPromptHonest runs servers that drop nothing.
func TestLostPromptHonest(t *testing.T) {
	for seed := range 10_000 / sample {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		f := &forgetful{tokens: fine, report: whole}
		if seed%2 == 0 {
			f.tokens = coarse
		}
		if result := forget(t, f, r, 6, 3<<10); result.LostPrompt != 0 {
			t.Fatalf("seed %d: false alarm at ask %d", seed, result.LostPrompt)
		}
	}
}
