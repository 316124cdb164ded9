package react_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/internal/walk"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func ExampleGBNF() {
	list := []tools.Tool{{Name: "bash", Lines: tools.Block}, {Name: "weather"}}
	fmt.Print(react.GBNF(list))
	// Output:
	// root ::= thought ( done | act )
	// thought ::= ( ( begin ( [^\n\r<] | "<" [^\n\r</] )* )? "\n" )*
	// begin ::= [^ \t\n\r\u00A0\uFEFF#*_`~<AD] | "A" [^C\n\r<] | "D" [^O\n\r<]
	// done ::= "DONE: " [^\x7F]*
	// fence ::= "\n```\n" ( "`"{0,2} [^`] )* "`"{0,2} "\n```"
	// act ::= "ACT: " ( one | block )
	// one ::= ( "weather" ) ( " " [^ \t\n\r\u00A0] [^\n\r]* )?
	// block ::= ( "bash" ) ( " " [^ \t\n\r\u00A0<] ( "<"? [^\n\r<] )* | fence )
}

func ExampleRegexp() {
	reply := regexp.MustCompile("^(" + react.Regexp([]tools.Tool{{Name: "weather"}}) + ")$")
	fmt.Println(reply.MatchString("I look it up.\nACT: weather Oslo"))
	fmt.Println(reply.MatchString("ACT: whether Oslo"))
	fmt.Println(reply.MatchString("ACT: weather Oslo\nOBS: rain"))
	// Output:
	// true
	// false
	// false
}

// grammarTools are lists whose names and inputs a grammar must get right.
var grammarTools = map[string][]tools.Tool{
	"none":     nil,
	"standard": standardTools(),
	"one":      {{Name: "one"}},
	"block":    {{Name: "block", Lines: tools.Block}},
	"body":     {{Name: "body", Lines: tools.Body}},
	"metacharacters": {
		{Name: `a"b\c`}, {Name: `c++`}, {Name: `a.b|c`}, {Name: `(x)*`, Lines: tools.Block}, {Name: `[y]{2}`, Lines: tools.Body},
		{Name: `$^`}, {Name: "`z`"}, {Name: "\\n"}, {Name: "a:"}, {Name: "x::=y"}, {Name: "查询天气", Lines: tools.Body}, {Name: "a\x01b"},
	},
	"alike": {{Name: "Get"}, {Name: "get", Lines: tools.Block}, {Name: "get", Lines: tools.Body}},
	"not read back": {
		{Name: "ok"}, {Name: ""}, {Name: "two words"}, {Name: "```"}, {Name: "<|x|>"}, {Name: "a\nb"}, {Name: "\xff"},
		{Name: "x</s>"}, {Name: "odd", Lines: 7},
	},
}

const walks = 10000

// TestGrammarIsSound holds that whatever the grammars admit is a move with one
// of the tools: random walks over both, drawn to what is dangerous.
func TestGrammarIsSound(t *testing.T) {
	for name, list := range grammarTools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := regexp.MustCompile(`\A(?:` + react.Regexp(list) + `)\z`)
			byRegexp, err := walk.Regexp(react.Regexp(list))
			require.NoError(t, err)
			byGBNF, err := walk.GBNF(react.GBNF(list))
			require.NoError(t, err)
			for grammar, root := range map[string]walk.Node{"gbnf": byGBNF, "regexp": byRegexp} {
				seen := map[string]int{}
				w := &walk.Walker{Rand: rand.New(rand.NewPCG(1, 2))}
				for range walks / sample {
					reply := w.Walk(root)
					m, err := react.Parse(reply, list)
					if err != nil || !whole.MatchString(reply) {
						t.Fatalf("%s admits %q: %v", grammar, reply, err)
					}
					seen[string(m.Kind)+" "+m.Tool]++
					if m.Kind == react.Act {
						named := slices.ContainsFunc(list, func(t tools.Tool) bool { return t.Name == m.Tool })
						if !named || !strings.Contains(reply, "ACT: "+m.Tool) {
							t.Fatalf("%s admits %q, an act of %q", grammar, reply, m.Tool)
						}
					}
				}
				require.NotZero(t, seen["done "], "%s: %v", grammar, seen)
				require.Len(t, seen, 1+readBack(list), "%s: %v", grammar, seen)
			}
		})
	}
}

// readBack is how many tools of a list a grammar can name.
func readBack(list []tools.Tool) int {
	names := map[string]bool{}
	for _, t := range list {
		if m, err := react.Parse("ACT: "+t.Name, list); err == nil && m.Tool == t.Name && t.Name != "\xff" && t.Name != "odd" {
			names[t.Name] = true
		}
	}
	return len(names)
}

// TestGrammarAdmits holds what a model must be able to write, and what not.
func TestGrammarAdmits(t *testing.T) {
	whole := regexp.MustCompile(`\A(?:` + react.Regexp(standardTools()) + `)\z`)
	for _, reply := range []string{
		"DONE: 42", "DONE: a\n\nACT: x\n```", "ACT: list", "ACT: list docs", "A file.\n\nDo it: `x`.\nACT: read_file a b",
		"ACT: bash ls | wc -l < x", "ACT: bash\n```\ncd a\n`ls` ``\n```", "ACT: write_file a.txt", "ACT: write_file a.txt\n```\nx\n\n```",
		"ACT: write_file\n```\n\n```", "我看看。\nACT: list",
		"API or DB, if x < 5.\nACT: list",
	} {
		require.Regexp(t, whole, reply)
	}
	for _, reply := range []string{
		"", "ACT: rm x", "ACT: list\nOBS: x", "ACT: bash cat <<E\nx\nE", "ACT: bash\n```\na", "ACT: bash ls\nls", "ACT: write_file a\nx",
		"<think>\nx\n</think>\nACT: list", "ACT: write_file a\n```\n```go\n```\n```", "ACT: bash", "DONE",
		"ACT: list\n", "No.</think>\nACT: list", " ACT: list", "Act.\nACT:\nlist",
	} {
		require.NotRegexp(t, whole, reply)
	}
}

// TestGrammarLeavesOut holds that a tool whose name does not read back leaves out
// itself only.
func TestGrammarLeavesOut(t *testing.T) {
	list := []tools.Tool{{Name: "a b"}, {Name: "list"}}
	require.Equal(t, react.GBNF(list[1:]), react.GBNF(list))
	require.Equal(t, react.Regexp(list[1:]), react.Regexp(list))
	require.NotEqual(t, react.GBNF(nil), react.GBNF(list))
}
