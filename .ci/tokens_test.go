// Package ci holds checks that need more than the library's own module.
package ci

import (
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/actdone/actdone/react"
)

// mostTokens is the budget of the instructions with their example, without
// tools.
const mostTokens = 350

func TestInstructionsFitTheBudget(t *testing.T) {
	text := react.Rules + "\n\n" + react.Example
	for _, name := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d tokens", name, n)
		if n > mostTokens {
			t.Errorf("%s: the instructions have %d tokens, at most %d are allowed", name, n, mostTokens)
		}
	}
}
