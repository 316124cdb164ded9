package react

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/actdone/actdone/tools"
)

// GBNF returns a grammar in the notation of llama.cpp for servers that can hold
// a model to one. Every reply it admits is a move for [Parse]: DONE, or an act
// with one of the tools.
//
// What it gains: no reply is refused, and nothing is said after an act. What it
// costs is what it leaves out, for it is a part of the protocol: reasoning
// blocks, markup, here-documents, three backticks inside of a fence (and so
// longer fences), thought lines that are indented, begin with a mark such as *
// or #, with AC or DO, or hold </, and the character < in the first line of a
// Body. A model that wants to write one of these is made to write something
// else: where files hold fences, go without a grammar.
//
// A tool whose name Parse would not read back is left out; without any tools
// there is only DONE. The same tools give the same text.
//
// The notation: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md.
// Which field of a request takes it: docs/MODELS.md.
func GBNF(list []tools.Tool) string {
	var kinds []string
	var rules strings.Builder
	for lines, names := range namesByLines(list) {
		if len(names) == 0 {
			continue
		}
		kind := tools.Lines(lines).String()
		kinds = append(kinds, kind)
		for i, name := range names {
			names[i] = gbnfLiteral(name)
		}
		fmt.Fprintf(&rules, "%s ::= ( %s ) %s\n", kind, strings.Join(names, " | "), gbnfInputs[lines])
	}
	if len(kinds) == 0 {
		return "root ::= thought done\n" + gbnfText
	}
	act := fmt.Sprintf("act ::= \"ACT: \" ( %s )\n", strings.Join(kinds, " | "))
	return "root ::= thought ( done | act )\n" + gbnfText + act + rules.String()
}

// gbnfText is what is the same for all tools. A thought line begins with nothing
// that a marker, a fence or a reasoning tag could begin with, and cannot end in
// a closing tag.
const gbnfText = `thought ::= ( ( begin ( [^\n\r<] | "<" [^\n\r</] )* )? "\n" )*
begin ::= [^ \t\n\r\u00A0\uFEFF#*_` + "`" + `~<AD] | "A" [^C\n\r<] | "D" [^O\n\r<]
done ::= "DONE: " [^\x7F]*
fence ::= "\n` + "```" + `\n" ( "` + "`" + `"{0,2} [^` + "`" + `] )* "` + "`" + `"{0,2} "\n` + "```" + `"
`

var gbnfInputs = [...]string{
	tools.One:   `( " " [^ \t\n\r\u00A0] [^\n\r]* )?`,
	tools.Block: `( " " [^ \t\n\r\u00A0<] ( "<"? [^\n\r<] )* | fence )`,
	tools.Body:  `( " " [^ \t\n\r\u00A0<] [^\n\r<]* )? fence?`,
}

// Regexp returns a regular expression that whole replies match if and only if
// the grammar of [GBNF] admits them, for servers that take one, such as vLLM.
// It has no anchors and uses only groups, alternatives, classes and repetition,
// which the engines of servers have in common.
//
// vLLM: https://docs.vllm.ai/en/latest/features/structured_outputs/.
func Regexp(list []tools.Tool) string {
	moves := []string{`DONE: [^\x7F]*`}
	for lines, names := range namesByLines(list) {
		if len(names) == 0 {
			continue
		}
		for i, name := range names {
			names[i] = regexp.QuoteMeta(name)
		}
		moves = append(moves, fmt.Sprintf("ACT: (%s)%s", strings.Join(names, "|"), regexpInputs[lines]))
	}
	return regexpThought + "(" + strings.Join(moves, "|") + ")"
}

const (
	regexpThought = "((([^ \\t\\n\\r\\xA0\ufeff#*_`~<AD]|A[^C\\n\\r<]|D[^O\\n\\r<])([^\\n\\r<]|<[^\\n\\r</])*)?\\n)*"
	regexpFence   = "\\n```\\n(`{0,2}[^`])*`{0,2}\\n```"
)

var regexpInputs = [...]string{
	tools.One:   `( [^ \t\n\r\xA0][^\n\r]*)?`,
	tools.Block: `( [^ \t\n\r\xA0<](<?[^\n\r<])*|` + regexpFence + `)`,
	tools.Body:  `( [^ \t\n\r\xA0<][^\n\r<]*)?(` + regexpFence + `)?`,
}

// namesByLines returns the names of the tools that Parse reads back, by what
// they take.
func namesByLines(list []tools.Tool) (names [tools.Body + 1][]string) {
	seen := map[string]bool{}
	for _, t := range list {
		m, err := Parse("ACT: "+t.Name, list)
		if err != nil || m.Tool != t.Name || seen[t.Name] || !utf8.ValidString(t.Name) || m.Lines < 0 || m.Lines > tools.Body {
			continue
		}
		seen[t.Name] = true
		names[m.Lines] = append(names[m.Lines], t.Name)
	}
	return names
}

// gbnfLiteral quotes s.
func gbnfLiteral(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
