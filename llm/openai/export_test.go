package openai

import "strings"

// Kept puts prompts of these sizes into a memory, one after another, and returns
// the sizes of those that it has kept.
func Kept(sizes ...int) []int {
	var k prompts
	for _, size := range sizes {
		k.put(&messages{prompt: strings.Repeat("x", size)})
	}
	kept := []int{}
	for _, m := range k.kept {
		kept = append(kept, len(m.prompt))
	}
	return kept
}
