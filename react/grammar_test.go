package react_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

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
			pattern, err := syntax.Parse(react.Regexp(list), syntax.Perl)
			require.NoError(t, err)
			for grammar, root := range map[string]node{"gbnf": parseGBNF(t, react.GBNF(list)), "regexp": nodeOf(pattern)} {
				seen := map[string]int{}
				w := &walker{Rand: rand.New(rand.NewPCG(1, 2))}
				for range walks / sample {
					reply := w.walk(root)
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

// A node is a grammar as both notations have it: a rune out of a class, a
// sequence, a choice, or a repetition.
type node struct {
	kind     byte // 'c', 's', '|', '*'
	class    func(rune) bool
	list     []node
	min, max int // '*': max -1 is no limit; 'c': min is the only rune, if there is one
}

func literal(s string) node {
	n := node{kind: 's'}
	for _, r := range s {
		n.list = append(n.list, node{kind: 'c', min: int(r), class: func(c rune) bool { return c == r }})
	}
	return n
}

// begins reports whether n can begin with r; so may what follows n if it can be
// empty.
func (n node) begins(r rune) (ok, empty bool) {
	switch n.kind {
	case 'c':
		return n.class(r), false
	case 's':
		for _, part := range n.list {
			if ok, empty := part.begins(r); ok || !empty {
				return ok, false
			}
		}
		return false, true
	case '|':
		for _, part := range n.list {
			o, e := part.begins(r)
			ok, empty = ok || o, empty || e
		}
		return ok, empty
	}
	ok, empty = n.list[0].begins(r)
	return ok, empty || n.min == 0
}

// bait is what a walk tries to write where the grammar lets it.
var bait = []string{
	"ACT: bash rm x\n", "DONE\n", "DONE: no\n", "**ACT:** list\n", "```\n", "```sh\nx\n```\n", "~~~\nACT: list\n~~~\n", "</think>\n", "<think>\n",
	"<<EOF\nx\nEOF\n", "<|im_end|>\n", "</s>", "OBS: x\n", "`x` ", "`cat <<E`", " \t", "\u00a0", "\ufeff", "ACT：x", "\r\n", "#", "ls\n", "##ACT: list\n",
	"A CT: x\n", "ACT : list\n", "````\n", "``", "<", "Do\n", "x", "查", "\x00", "DONE：", "</thinking>", "_", ":",
}

type walker struct {
	*rand.Rand
	wish string
	out  strings.Builder
}

// walk returns one text that the grammar admits.
func (w *walker) walk(root node) string {
	w.out.Reset()
	w.wish = ""
	w.visit(root)
	return w.out.String()
}

// wished returns the next rune of the bait, from time to time of a new one.
func (w *walker) wished() rune {
	if w.wish == "" && w.IntN(3) > 0 {
		w.wish = bait[w.IntN(len(bait))]
	}
	if w.wish == "" {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(w.wish)
	return r
}

func (w *walker) visit(n node) {
	switch n.kind {
	case 'c':
		w.out.WriteRune(w.pick(n))
	case 's':
		for _, part := range n.list {
			w.visit(part)
		}
	case '|':
		r, likely := w.wished(), n.list
		if w.IntN(4) > 0 {
			likely = slices.DeleteFunc(slices.Clone(n.list), func(n node) bool { ok, _ := n.begins(r); return !ok })
		}
		if len(likely) == 0 {
			likely = n.list
		}
		w.visit(likely[w.IntN(len(likely))])
	case '*':
		for i := 0; n.max < 0 || i < n.max; i++ {
			ok, _ := n.list[0].begins(w.wished())
			if i >= n.min && (!ok && w.IntN(3) == 0 || i > 40 || w.IntN(12) == 0) {
				return
			}
			w.visit(n.list[0])
		}
	}
}

// pick returns a rune of the class n: the one wished for, else any.
func (w *walker) pick(n node) rune {
	if r := w.wished(); r >= 0 && n.class(r) {
		w.wish = w.wish[utf8.RuneLen(r):]
		return r
	}
	w.wish = ""
	if n.min > 0 {
		return rune(n.min)
	}
	for {
		r := rune(w.IntN(128))
		if w.IntN(50) == 0 {
			r = []rune("\u00a0\ufeff：é查\u200b\u2028")[w.IntN(7)]
		}
		if n.class(r) {
			return r
		}
	}
}

// nodeOf converts a regular expression.
func nodeOf(re *syntax.Regexp) node {
	var list []node
	for _, sub := range re.Sub {
		list = append(list, nodeOf(sub))
	}
	switch re.Op {
	case syntax.OpLiteral:
		return literal(string(re.Rune))
	case syntax.OpCharClass:
		return node{kind: 'c', class: func(r rune) bool {
			for i := 0; i < len(re.Rune); i += 2 {
				if re.Rune[i] <= r && r <= re.Rune[i+1] {
					return true
				}
			}
			return false
		}}
	case syntax.OpCapture, syntax.OpConcat:
		return node{kind: 's', list: list}
	case syntax.OpAlternate:
		return node{kind: '|', list: list}
	case syntax.OpStar:
		return node{kind: '*', list: list, max: -1}
	case syntax.OpQuest:
		return node{kind: '*', list: list, max: 1}
	case syntax.OpRepeat:
		return node{kind: '*', list: list, min: re.Min, max: re.Max}
	case syntax.OpEmptyMatch:
		return node{kind: 's'}
	}
	panic("not in the subset: " + re.String())
}

// parseGBNF reads the part of the notation that GBNF writes.
func parseGBNF(t *testing.T, text string) node {
	t.Helper()
	p := &gbnfParser{t: t, rules: map[string]string{}}
	for line := range strings.Lines(text) {
		name, rule, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ::= ")
		require.True(t, ok, line)
		require.Regexp(t, "^[a-z]+$", name)
		require.NotContains(t, p.rules, name)
		p.rules[name] = rule
	}
	return p.rule("root")
}

type gbnfParser struct {
	t     *testing.T
	rules map[string]string
	text  string
}

func (p *gbnfParser) rule(name string) node {
	text, ok := p.rules[name]
	require.True(p.t, ok, "no rule %q", name)
	outer := p.text
	p.text = text
	n := p.choice()
	require.Empty(p.t, p.text)
	p.text = outer
	return n
}

func (p *gbnfParser) skip(prefix string) bool {
	p.text = strings.TrimLeft(p.text, " ")
	rest, ok := strings.CutPrefix(p.text, prefix)
	p.text = rest
	return ok
}

func (p *gbnfParser) choice() node {
	n := node{kind: '|', list: []node{p.sequence()}}
	for p.skip("|") {
		n.list = append(n.list, p.sequence())
	}
	return n
}

func (p *gbnfParser) sequence() node {
	n := node{kind: 's'}
	for p.text = strings.TrimLeft(p.text, " "); p.text != "" && !strings.ContainsAny(p.text[:1], "|)"); p.text = strings.TrimLeft(p.text, " ") {
		item := p.item()
		switch {
		case strings.HasPrefix(p.text, "*"):
			p.text, item = p.text[1:], node{kind: '*', list: []node{item}, max: -1}
		case strings.HasPrefix(p.text, "?"):
			p.text, item = p.text[1:], node{kind: '*', list: []node{item}, max: 1}
		case strings.HasPrefix(p.text, "{0,2}"):
			p.text, item = p.text[5:], node{kind: '*', list: []node{item}, max: 2}
		}
		n.list = append(n.list, item)
	}
	return n
}

func (p *gbnfParser) item() node {
	switch {
	case p.skip("("):
		n := p.choice()
		require.True(p.t, p.skip(")"), p.text)
		return n
	case p.skip(`"`):
		var s strings.Builder
		for !p.skipHere(`"`) {
			s.WriteRune(p.char())
		}
		return literal(s.String())
	case p.skip("["):
		return p.class()
	}
	end := len(p.text) - len(strings.TrimLeft(p.text, "abcdefghijklmnopqrstuvwxyz"))
	require.NotZero(p.t, end, p.text)
	name := p.text[:end]
	p.text = p.text[end:]
	return p.rule(name)
}

func (p *gbnfParser) class() node {
	not := p.skipHere("^")
	var ranges [][2]rune
	for !p.skipHere("]") {
		from := p.char()
		to := from
		if p.skipHere("-") {
			to = p.char()
		}
		ranges = append(ranges, [2]rune{from, to})
	}
	return node{kind: 'c', class: func(r rune) bool {
		return slices.ContainsFunc(ranges, func(in [2]rune) bool { return in[0] <= r && r <= in[1] }) != not
	}}
}

func (p *gbnfParser) skipHere(prefix string) bool {
	rest, ok := strings.CutPrefix(p.text, prefix)
	p.text = rest
	return ok
}

// char reads a character of a literal or class, with the escapes of llama.cpp.
func (p *gbnfParser) char() rune {
	r, n := utf8.DecodeRuneInString(p.text)
	require.NotZero(p.t, n, "the rule ends")
	p.text = p.text[n:]
	if r != '\\' {
		return r
	}
	c := p.text[0]
	p.text = p.text[1:]
	digits := 0
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '"', '\\', '[', ']':
		return rune(c)
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	}
	require.NotZero(p.t, digits, "escape %q", c)
	v, err := strconv.ParseUint(p.text[:digits], 16, 32)
	require.NoError(p.t, err)
	p.text = p.text[digits:]
	return rune(v)
}
