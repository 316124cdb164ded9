package react_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/actdone/actdone/react"
)

// TestParseLinear parses replies made to be expensive, at one length and at
// sixteen times that. Linear work takes sixteen times as long, quadratic work
// 256 times, on any machine; one that is busy with other things gets a few
// chances, which quadratic work does not profit from.
func TestParseLinear(t *testing.T) {
	many := func(s string) func(int) string {
		return func(n int) string { return strings.Repeat(s, n/len(s)) }
	}
	falling := func(n int) string { // fences of which none closes another
		var b strings.Builder
		for i := int(math.Sqrt(float64(n))); i > 3; i-- {
			b.WriteString(strings.Repeat("`", i) + "\n")
		}
		return b.String() + strings.Repeat("x\n", max(0, n-b.Len())/2)
	}
	for name, reply := range map[string]func(int) string{
		"open fences":        many("```x\n"),
		"falling fences":     falling,
		"closed fences":      many("```\nACT: x\n```\n"),
		"bare done":          func(n int) string { return many("DONE\n")(n) + "ACT: list ." },
		"closing tags":       func(n int) string { return "<think>" + many("</think>x")(n) },
		"closing tag lines":  many("x</think>\n"),
		"reasoning":          many("<think>x</think>\n"),
		"markers in think":   func(n int) string { return "<think>" + many("</think>ACT ")(n) },
		"dones in think":     func(n int) string { return "<think>" + many("</think>DONE<")(n) },
		"here-documents":     func(n int) string { return "ACT: bash x " + many("<<A ")(n) },
		"here-document tags": func(n int) string { return "ACT: bash cat <<A\n" + many("A A\n")(n) },
		"backticks":          func(n int) string { return "ACT: list " + many("`a`` ")(n) },
		"nested backticks":   func(n int) string { return "ACT: list " + strings.Repeat("`", n/2) + "x" + strings.Repeat("`", n/2) },
		"deep backticks": func(n int) string {
			var open, shut []string
			for i, size := 1, 0; size < n; i++ {
				run := strings.Repeat("`", i)
				open, shut, size = append([]string{run}, open...), append(shut, run), size+2*i
			}
			return "ACT: list " + strings.Join(open, " ") + " x " + strings.Join(shut, " ")
		},
		"turn ends":        func(n int) string { return "ACT: list x" + many("<|a|>")(n) },
		"labels":           func(n int) string { return "DONE: x\n" + many("OBS:\n")(n) },
		"blanks":           func(n int) string { return many(" \u00a0")(n) + "ACT: list ." },
		"hashes":           many("######"),
		"carriage returns": func(n int) string { return many("\r")(n) + "\nACT: list ." },
		"blank lines":      func(n int) string { return "ACT: bash\n" + many(" \n")(n) },
	} {
		t.Run(name, func(t *testing.T) {
			short, long := reply(64<<10), reply(1<<20)
			var ratios []float64
			for range 8 {
				ratio := float64(parseTime(long)) / float64(max(parseTime(short), time.Microsecond))
				if ratios = append(ratios, ratio); ratio < 64 {
					return
				}
			}
			t.Errorf("sixteen times the length took so many times as long: %.0f", ratios)
		})
	}
}

// parseTime returns the shortest of some measurements.
func parseTime(reply string) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		_, _ = react.Parse(reply, standardTools())
		best = min(best, time.Since(start))
	}
	return best
}
