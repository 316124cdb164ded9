package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVarying holds that a difference which a normalizer would take away is told
// with its name, and no other.
func TestVarying(t *testing.T) {
	const says = "it may differ from run to run; to replace that, write into the section script: normalize "
	for _, c := range []struct{ golden, asked, want string }{
		{"at 2026-11-29T08:00:00Z", "at 2026-11-30T09:11:12Z", says + "time"},
		{"took 1.5s", "took 20ms", says + "duration"},
		{"on 127.0.0.1:4010", "on 127.0.0.1:38111", says + "port"},
		{"id 0123456789abcdef, id 0123456789abcdef", "id fedcba9876543210, id fedcba9876543210", says + "hex"},
		{"id 0123456789abcdef, id 0123456789abcdef", "id fedcba9876543210, id 0123456789abcdef", ""},
		{"took 1.5s", "took long", ""},
		{"took 1.5s, 3 files", "took 2s, 4 files", ""},
	} {
		p := player(t, "-- prompt --\n"+c.golden+"\n-- reply --\nx\n")
		_, err := p.Ask(t.Context(), c.asked)
		assert.NoError(t, err)
		if err = p.Check(); assert.Error(t, err) && c.want == "" {
			assert.NotContains(t, err.Error(), "from run to run")
		} else {
			assert.Contains(t, err.Error(), c.want)
		}
	}
}
