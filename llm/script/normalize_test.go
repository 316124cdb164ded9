package script_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

// normalized returns a prompt as its golden is written.
func normalized(t *testing.T, p *script.Player, prompt string) string {
	t.Helper()
	asks(t, p, prompt)
	p.Rewrite(true)
	return p.Script.Lanes[0].Steps[0].Prompt.Text
}

func TestNormalize(t *testing.T) {
	temp := filepath.Join(os.TempDir(), "TestX1", "001")
	for _, test := range []struct{ names, prompt, want string }{
		{"", "01234567-89ab-cdef-0123-456789abcdef 1.5s", "01234567-89ab-cdef-0123-456789abcdef 1.5s"},
		{"uuid", "a 01234567-89ab-cdef-0123-456789abcdef b 11234567-89ab-cdef-0123-456789abcdef c 01234567-89ab-cdef-0123-456789abcdef", "a <uuid 1> b <uuid 2> c <uuid 1>"},
		{"hex,uuid", "01234567-89ab-cdef-0123-456789abcdef 0123456789abcdef 0xdeadbeefdead 0123456789a", "<uuid 1> <hex 1> <hex 2> 0123456789a"},
		{"time", "2026-11-29T10:00:00Z 2026-11-29T10:00:00.123+01:00 2026-11-29 10:00:00 2026/11/29 10:00:00 at 10:11:12", "<time 1> <time 2> <time 3> <time 4> at <time 5>"},
		{"time", "Sun, 29 Nov 2026 10:00:00 GMT; Sunday, 29-Nov-26 10:00:00 UTC; Sun Nov 29 10:00:00 UTC 2026; Sun Nov 29 10:00:00 2026", "<time 1>; <time 2>; <time 3>; <time 4>"},
		{"time", "-rw-r--r-- 1 me 5 Nov 29 10:00 a.go, Nov  9  2025 b.go", "-rw-r--r-- 1 me 5 <time 1> a.go, <time 2> b.go"},
		{"duration", "ok 0.12s, 1m30s, 5ms, 3µs, 2h; 5 seconds, v1.5, 3sec", "ok <duration 1>, <duration 2>, <duration 3>, <duration 4>, <duration 5>; 5 seconds, v1.5, 3sec"},
		{"time,duration", "10:11:12 took 12s", "<time 1> took <duration 1>"},
		{"port", "http://127.0.0.1:4567/x localhost:80, [::1]:4567 a:4567", "http://127.0.0.1:<port 1>/x localhost:<port 2>, [::1]:<port 1> a:4567"},
		{"tempdir", temp + "/a " + temp + "/b " + temp + "1 /opt/work/x, /opt/work. /opt/workshop", "<tempdir 1>/a <tempdir 1>/b <tempdir 2>/0011 <tempdir 3>/x, <tempdir 3>. /opt/workshop"},
	} {
		text := ""
		for name := range strings.SplitSeq(test.names, ",") {
			if name != "" {
				text += "normalize " + name + "\n"
			}
		}
		p := player(t, "-- script --\n"+text+"-- reply --\na\n")
		p.Dirs = []string{"/opt", "/opt/work/", temp, "/", ""}
		if test.names == "tempdir" {
			p.Dirs = p.Dirs[1:]
		}
		assert.Equal(t, test.want, normalized(t, p, test.prompt), "%s", test.names)
	}
}

func TestNormalizeOwn(t *testing.T) {
	p := player(t, "-- script --\nnormalize order order-[0-9]+\n-- reply --\na\n")
	p.Normalize = []script.Normalizer{{Name: "pid", Regexp: regexp.MustCompile(`pid (\d+)`)}}
	assert.Equal(t, "<order 1> <order 2> <order 1> pid <pid 1>", normalized(t, p, "order-7 order-8 order-7 pid 12"))
}

// TestNormalizeIdentity checks that a golden proves that what was sent back is
// what was received, in each conversation for itself.
func TestNormalizeIdentity(t *testing.T) {
	const text = `-- script --
normalize hex
-- lane x --
-- when --
starts x
-- prompt --
x <hex 1>
-- expect --
contains <hex 1>
-- reply --
a
-- added --
sent <hex 1>, got <hex 2>
-- reply --
b
-- lane y --
-- prompt --
y <hex 1>
-- reply --
c
`
	p := player(t, text)
	asks(t, p, "y bbbbbbbbbbbb", "x aaaaaaaaaaaa", "x aaaaaaaaaaaa\nsent aaaaaaaaaaaa, got cccccccccccc")
	require.NoError(t, p.Check())

	p = player(t, text)
	asks(t, p, "y bbbbbbbbbbbb", "x aaaaaaaaaaaa", "x aaaaaaaaaaaa\nsent dddddddddddd, got cccccccccccc")
	require.EqualError(t, p.Check(), `x.txtar:12: ask 2 of lane x: added text differs at line 1
    --- script
    +++ asked
    -sent <hex 1>, got <hex 2>
    +sent <hex 2>, got <hex 3>`)
}

// TestNormalizeBothSides compares a golden written by hand, without numbers.
func TestNormalizeBothSides(t *testing.T) {
	p := player(t, "-- script --\nnormalize hex\n-- prompt --\na 111111111111 222222222222 111111111111\n-- reply --\na\n")
	asks(t, p, "a 333333333333 444444444444 333333333333")
	require.NoError(t, p.Check())
}
