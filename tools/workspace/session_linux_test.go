package workspace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		stat  string
		group int
		alive bool
	}{
		{"12 (sleep) S 1 11 10 0 -1", 11, true},
		{"12 (a) Z 1 (b) R 1 11 10 0", 11, true},
		{"12 (sleep) Z 1 11 10 0 -1", 0, false},
		{"12 (sleep) X 1 11 10 0 -1", 0, false},
		{"", 0, false},
	} {
		group, alive := parseStat(c.stat)
		assert.Equal(t, c.group, group, c.stat)
		assert.Equal(t, c.alive, alive, c.stat)
	}
}
