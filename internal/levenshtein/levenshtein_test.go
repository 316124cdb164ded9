package levenshtein_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/internal/levenshtein"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b       string
		most, want int
	}{
		{"", "", 0, 0},
		{"same", "same", 2, 0},
		{"lst", "list", 2, 1},
		{"liist", "list", 2, 1},
		{"lisp", "list", 2, 1},
		{"kitten", "sitting", 9, 3},
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3},
		{"kitten", "sitting", 0, 1},
		{"", "ab", 2, 2},
		{"ab", "", 1, 2},
		{"abcdef", "a", 3, 4},
	} {
		assert.Equal(t, test.want, levenshtein.Distance(test.a, test.b, test.most), "Distance(%q, %q, %d)", test.a, test.b, test.most)
	}
}
