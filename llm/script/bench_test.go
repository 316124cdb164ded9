package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

// BenchmarkPlayer plays a conversation of 1,000 asks that grows to 2 MiB, with a
// lane beside it. The time must grow with what is added only.
func BenchmarkPlayer(b *testing.B) {
	s := parse(b, "-- script --\nnormalize uuid\n-- lane a --\n-- reply times=1000 --\nACT: x\n-- lane b --\n-- when --\ncontains never\n-- reply --\nb\n")
	added := "\n\nACT: x\nOBS: " + strings.Repeat("0123456789 ", 190)
	whole := "I\n\nTASK: x" + strings.Repeat(added, 1000)
	for b.Loop() {
		p := &script.Player{Script: s}
		for i := range 1000 {
			_, err := p.Ask(b.Context(), whole[:len("I\n\nTASK: x")+i*len(added)])
			require.NoError(b, err)
		}
	}
}
