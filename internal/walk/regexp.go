package walk

import (
	"fmt"
	"regexp/syntax"
)

// Regexp reads a regular expression of literals, classes, groups, alternatives
// and repetition.
func Regexp(pattern string) (Node, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return Node{}, err
	}
	return nodeOf(re)
}

func nodeOf(re *syntax.Regexp) (Node, error) {
	var list []Node
	for _, sub := range re.Sub {
		n, err := nodeOf(sub)
		if err != nil {
			return Node{}, err
		}
		list = append(list, n)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return literal(string(re.Rune)), nil
	case syntax.OpCharClass:
		return Node{kind: 'c', class: func(r rune) bool {
			for i := 0; i < len(re.Rune); i += 2 {
				if re.Rune[i] <= r && r <= re.Rune[i+1] {
					return true
				}
			}
			return false
		}}, nil
	case syntax.OpCapture, syntax.OpConcat:
		return Node{kind: 's', list: list}, nil
	case syntax.OpAlternate:
		return Node{kind: '|', list: list}, nil
	case syntax.OpStar:
		return Node{kind: '*', list: list, max: -1}, nil
	case syntax.OpQuest:
		return Node{kind: '*', list: list, max: 1}, nil
	case syntax.OpRepeat:
		return Node{kind: '*', list: list, min: re.Min, max: re.Max}, nil
	case syntax.OpEmptyMatch:
		return Node{kind: 's'}, nil
	}
	return Node{}, fmt.Errorf("walk: %q is not in the subset", re)
}
