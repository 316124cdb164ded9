package react_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
)

// A modelSlip is a way in which a model spoils a good reply.
type modelSlip struct {
	name string
	make func(r *rand.Rand, good string) (string, error)
}

func spoil(make func(good string) string) func(*rand.Rand, string) (string, error) {
	return func(_ *rand.Rand, good string) (string, error) { return make(good), nil }
}

// modelSlips are ten ways to slip.
var modelSlips = []modelSlip{
	{"prose only", spoil(func(string) string { return "I think I should look at the files first." })},
	{"empty", spoil(func(string) string { return " \n" })},
	{"invented observation", spoil(func(good string) string { return good + "\nOBS: INVENTED\n\nDONE: INVENTED" })},
	{"two acts", spoil(func(good string) string { return good + "\nACT: bash INVENTED" })},
	{"unclosed block", spoil(func(string) string { return "ACT: bash\n```\nINVENTED" })},
	{"undelimited lines", spoil(func(string) string { return "ACT: bash INVENTED one\nINVENTED two" })},
	{"farewell", spoil(func(good string) string { return good + "\n\nLet me know > INVENTED if that helps!" })},
	{"wrong tool name", spoil(func(string) string { return "ACT: execute INVENTED" })},
	{"truncated", func(r *rand.Rand, good string) (string, error) {
		return "", &llm.TruncatedError{Text: good[:r.IntN(len(good))], Reason: "length"}
	}},
	{"lone reasoning tag", spoil(func(good string) string { return "ACT? no, INVENTED\n</think>\n" + good })},
}

// A sloppyModel gives its replies in order, now and then spoilt, up to twice in
// a row. It goes on when the prompt shows that its reply was taken.
type sloppyModel struct {
	replies []string
	slip    modelSlip
	r       *rand.Rand

	next   int // the reply to give
	asked  int // how often
	row    int // spoilt ones in a row
	prompt string
}

func (m *sloppyModel) Ask(_ context.Context, prompt string) (string, error) {
	added := strings.TrimPrefix(prompt, m.prompt)
	refused := strings.Contains(added, "\nREFUSED:") || strings.Contains(added, "error: unknown tool")
	if m.prompt != "" && !refused {
		m.next++
	}
	m.prompt, m.asked = prompt, m.asked+1
	good := m.replies[min(m.next, len(m.replies)-1)]
	if m.row == 2 || m.r.IntN(3) > 0 || strings.HasPrefix(good, "DONE:") && !strings.HasPrefix(m.slip.name, "prose") {
		m.row = 0
		return good, nil
	}
	m.row++
	return m.slip.make(m.r, good)
}

// TestRecovery lets a model slip in ten ways, a thousand times each: with two
// retries the run comes to its answer, and nothing runs but what was meant.
func TestRecovery(t *testing.T) {
	replies := []string{
		"I look.\nACT: list .",
		"ACT: read_file a.go",
		"ACT: bash go test ./...",
		"I mend it.\nACT: write_file a.go\n```\npackage a\n```",
		"ACT: bash\n```\ngo vet ./...\ngo test ./...\n```",
		"DONE: mended",
	}
	meant := []string{"list .", "read_file a.go", "bash go test ./...", "write_file a.go\npackage a", "bash go vet ./...\ngo test ./..."}
	const seeds = 1000
	for _, slip := range modelSlips {
		t.Run(strings.ReplaceAll(slip.name, " ", "-"), func(t *testing.T) {
			reached, wasted := 0, 0
			for seed := range uint64(seeds) {
				model := &sloppyModel{replies: replies, slip: slip, r: rand.New(rand.NewPCG(seed, 3))}
				var r recorder
				result, err := react.Loop{LLM: model, Tools: r.tools(), Retries: 2, MaxSteps: 40}.Run(t.Context(), "mend it")
				wasted += model.asked - len(replies)
				if err == nil && result.Answer == "mended" {
					reached++
					if fmt.Sprint(r.calls) != fmt.Sprint(meant) {
						t.Fatalf("seed %d: false run: %q", seed, r.calls)
					}
				}
				if strings.Contains(fmt.Sprint(r.calls), "INVENTED") {
					t.Fatalf("seed %d: ran %q", seed, r.calls)
				}
			}
			t.Logf("%d of %d runs reached the answer; %.1f asks wasted a run", reached, seeds, float64(wasted)/seeds)
			assert.GreaterOrEqual(t, reached, seeds*99/100)
		})
	}
}
