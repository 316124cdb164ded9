package walk

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// GBNF reads the part of llama.cpp's notation that react.GBNF writes: rules of a
// line each, literals, classes, groups, alternatives, and the repetitions *, ?
// and {0,2}. No rule may use itself.
func GBNF(text string) (root Node, err error) {
	p := &gbnf{rules: map[string]string{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case syntaxError:
			err = fmt.Errorf("walk: %s", string(r))
		default:
			panic(r)
		}
	}()
	for line := range strings.Lines(text) {
		name, rule, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ::= ")
		p.must(ok && ruleName.MatchString(name), "no rule: "+line)
		p.must(p.rules[name] == "", "twice: "+name)
		p.rules[name] = rule
	}
	return p.rule("root"), nil
}

var ruleName = regexp.MustCompile("^[a-z]+$")

// A syntaxError is a mistake in a grammar, on its way up to GBNF.
type syntaxError string

type gbnf struct {
	rules map[string]string
	text  string // what is left of a rule
}

func (p *gbnf) must(ok bool, message string) {
	if !ok {
		panic(syntaxError(message))
	}
}

func (p *gbnf) rule(name string) Node {
	text, ok := p.rules[name]
	p.must(ok, "no rule "+name)
	outer := p.text
	p.text = text
	n := p.choice()
	p.must(p.text == "", "left over: "+p.text)
	p.text = outer
	return n
}

// skip cuts blanks, then prefix.
func (p *gbnf) skip(prefix string) bool {
	p.text = strings.TrimLeft(p.text, " ")
	return p.skipHere(prefix)
}

func (p *gbnf) skipHere(prefix string) bool {
	rest, ok := strings.CutPrefix(p.text, prefix)
	p.text = rest
	return ok
}

func (p *gbnf) choice() Node {
	n := Node{kind: '|', list: []Node{p.sequence()}}
	for p.skip("|") {
		n.list = append(n.list, p.sequence())
	}
	return n
}

func (p *gbnf) sequence() Node {
	n := Node{kind: 's'}
	for p.skip(""); p.text != "" && !strings.ContainsAny(p.text[:1], "|)"); p.skip("") {
		item := p.item()
		switch {
		case p.skipHere("*"):
			item = Node{kind: '*', list: []Node{item}, max: -1}
		case p.skipHere("?"):
			item = Node{kind: '*', list: []Node{item}, max: 1}
		case p.skipHere("{0,2}"):
			item = Node{kind: '*', list: []Node{item}, max: 2}
		}
		n.list = append(n.list, item)
	}
	return n
}

func (p *gbnf) item() Node {
	switch {
	case p.skip("("):
		n := p.choice()
		p.must(p.skip(")"), "no ) before "+p.text)
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
	p.must(end > 0, "no item: "+p.text)
	name := p.text[:end]
	p.text = p.text[end:]
	return p.rule(name)
}

func (p *gbnf) class() Node {
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
	return Node{kind: 'c', class: func(r rune) bool {
		return slices.ContainsFunc(ranges, func(in [2]rune) bool { return in[0] <= r && r <= in[1] }) != not
	}}
}

// char reads a character of a literal or class, with the escapes of llama.cpp.
func (p *gbnf) char() rune {
	r, n := utf8.DecodeRuneInString(p.text)
	p.must(n > 0, "the rule ends within a literal or class")
	p.text = p.text[n:]
	if r != '\\' {
		return r
	}
	p.must(p.text != "", "the rule ends within an escape")
	c := p.text[0]
	p.text = p.text[1:]
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
		return p.hex(2)
	case 'u':
		return p.hex(4)
	}
	panic(syntaxError("escape " + strconv.QuoteRune(rune(c))))
}

func (p *gbnf) hex(digits int) rune {
	p.must(len(p.text) >= digits, "the rule ends within an escape")
	v, err := strconv.ParseUint(p.text[:digits], 16, 32)
	p.must(err == nil, "no digits: "+p.text)
	p.text = p.text[digits:]
	return rune(v)
}
