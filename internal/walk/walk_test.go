package walk

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadersAgree reads one grammar in both notations: a walk over either is
// admitted by the regular expression.
func TestReadersAgree(t *testing.T) {
	const pattern = `(a\]"|[^b-d\n]{0,2}\x{e9})*x?`
	fromRegexp, err := Regexp(pattern)
	require.NoError(t, err)
	fromGBNF, err := GBNF("root ::= ( one | [^b-d\\n]{0,2} \"\\u00E9\" )* \"x\"?\none ::= \"a]\\\"\"\n")
	require.NoError(t, err)
	w := &Walker{Rand: rand.New(rand.NewPCG(1, 2))}
	whole := regexp.MustCompile(`\A(?:` + pattern + `)\z`)
	for _, root := range []Node{fromRegexp, fromGBNF} {
		seen := map[string]bool{}
		for range 500 {
			text := w.Walk(root)
			require.Regexp(t, whole, text)
			seen[text] = true
		}
		require.Greater(t, len(seen), 100)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a ::= \"b\"\n":                    "walk: no rule root",
		"root ::= x\n":                     "walk: no rule x",
		"root = \"x\"\n":                   "walk: no rule: root = \"x\"\n",
		"root ::= \"x\"\nroot ::= \"y\"\n": "walk: twice: root",
		"root ::= \"x\n":                   "walk: the rule ends within a literal or class",
		"root ::= ( \"x\"\n":               "walk: no ) before ",
		"root ::= \"x\" )\n":               "walk: left over: )",
		"root ::= +\n":                     "walk: no item: +",
		"root ::= \"\\q\"\n":               "walk: escape 'q'",
		"root ::= \"\\x1":                  "walk: the rule ends within an escape",
		"root ::= \"\\xzz\"":               "walk: no digits: zz\"",
		"root ::= \"\\":                    "walk: the rule ends within an escape",
	} {
		_, err := GBNF(text)
		require.EqualError(t, err, want, text)
	}
	_, err := Regexp("(")
	require.Error(t, err)
	_, err = Regexp("a^")
	require.Error(t, err)
}
