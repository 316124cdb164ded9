// Package walk reads grammars and writes random texts that they admit, drawn to
// what is dangerous. Tests compare with it what a grammar admits and what
// [github.com/actdone/actdone/react] reads.
package walk

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Node is a grammar, or a part of one, as [GBNF] and [Regexp] read it: a rune
// out of a class, a sequence, a choice, or a repetition.
type Node struct {
	kind     byte // 'c', 's', '|', '*'
	class    func(rune) bool
	list     []Node
	min, max int // '*': max -1 is no limit; 'c': min is the only rune, if there is one
}

func literal(s string) Node {
	n := Node{kind: 's'}
	for _, r := range s {
		n.list = append(n.list, Node{kind: 'c', min: int(r), class: func(c rune) bool { return c == r }})
	}
	return n
}

// begins reports whether n can begin with r; so may what follows n if it can be
// empty.
func (n Node) begins(r rune) (ok, empty bool) {
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

// Bait is what a walk tries to write where the grammar lets it.
var Bait = []string{
	"ACT: bash rm x\n", "DONE\n", "DONE: no\n", "**ACT:** list\n", "```\n", "```sh\nx\n```\n", "~~~\nACT: list\n~~~\n", "</think>\n", "<think>\n",
	"<<EOF\nx\nEOF\n", "<|im_end|>\n", "</s>", "OBS: x\n", "`x` ", "`cat <<E`", " \t", "\u00a0", "\ufeff", "ACT：x", "\r\n", "#", "ls\n", "##ACT: list\n",
	"A CT: x\n", "ACT : list\n", "````\n", "``", "<", "Do\n", "x", "查", "\x00", "DONE：", "</thinking>", "_", ":",
}

// A Walker writes texts by chance. It serves one goroutine.
type Walker struct {
	*rand.Rand
	wish string
	out  strings.Builder
}

// Walk returns one text that the grammar admits.
func (w *Walker) Walk(root Node) string {
	w.out.Reset()
	w.wish = ""
	w.visit(root)
	return w.out.String()
}

// wished returns the next rune of the bait, from time to time of a new one.
func (w *Walker) wished() rune {
	if w.wish == "" && w.IntN(3) > 0 {
		w.wish = Bait[w.IntN(len(Bait))]
	}
	if w.wish == "" {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(w.wish)
	return r
}

func (w *Walker) visit(n Node) {
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
			likely = slices.DeleteFunc(slices.Clone(n.list), func(n Node) bool { ok, _ := n.begins(r); return !ok })
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
func (w *Walker) pick(n Node) rune {
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
