package workspace

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLayoutRefusesRoot(t *testing.T) {
	l := layout{dir: "/", real: "/"}
	assert.ErrorContains(t, l.add(Bubblewrap{}, Spec{}), "the workspace / holds /usr, which bubblewrap cannot keep from commands then; open a directory below it")
}

// A directory that is read-only is so as a whole, and what lies between it and
// the workspace cannot be renamed.
func TestLayoutReadOnly(t *testing.T) {
	l := layout{dir: "/w", real: "/w"}
	l.workspace([]string{"/w/a/b/.git/config", "/w/c", "/w/c/d/e"})
	var got []string
	for _, m := range l.mounts {
		got = append(got, m.option+" "+m.path)
	}
	assert.Equal(t, []string{"--bind /w", "--bind /w/a/b/.git", "--bind /w/a/b", "--bind /w/a", "--ro-bind /w/a/b/.git/config", "--ro-bind /w/c"}, got)
}

func TestLayoutHome(t *testing.T) {
	for _, c := range []struct{ home, want, private string }{
		{"HOME=/root", "HOME=/root", "/root"},
		{"HOME=/w/home", "HOME=/w/home", "/tmp"},
		{"HOME=/w", "HOME=/w", "/tmp"},
		{"HOME=/", "HOME=/tmp", "/tmp"},
		{"HOME=", "HOME=/tmp", "/tmp"},
		{"HOME=rel", "HOME=/tmp", "/tmp"},
		{"HOMES=/x", "HOME=/tmp", "/tmp"},
	} {
		l := layout{dir: "/w", real: "/w", env: []string{"A=b", c.home, "TMPDIR=/var/x"}}
		assert.Equal(t, c.private, l.home(), c.home)
		assert.Contains(t, l.env, c.want)
		assert.Contains(t, l.env, "TMPDIR=/tmp")
		assert.NotContains(t, l.env, "TMPDIR=/var/x")
	}
}

// evaluate runs a filter as the kernel does.
func evaluate(t *testing.T, filter []byte, processor, call uint32, argument uint32) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data, call)
	binary.LittleEndian.PutUint32(data[4:], processor)
	binary.LittleEndian.PutUint32(data[16:], argument)
	value := uint32(0)
	for i := 0; i < len(filter); i += 8 {
		code, k := binary.LittleEndian.Uint16(filter[i:]), binary.LittleEndian.Uint32(filter[i+4:])
		skip := map[bool]byte{true: filter[i+2], false: filter[i+3]}
		switch code {
		case 0x20:
			value = binary.LittleEndian.Uint32(data[k:])
		case 0x15:
			i += 8 * int(skip[value == k])
		case 0x35:
			i += 8 * int(skip[value >= k])
		case 0x06:
			return k
		}
	}
	t.Error("the filter has no end")
	return 0
}

func TestFilter(t *testing.T) {
	const arm, allow, noCall, noFamily = 0xC00000B7, 0x7FFF0000, 0x50026, 0x50061
	filter := makeFilter(arm)
	for name, c := range map[string]struct{ processor, call, argument, want uint32 }{
		"read":            {arm, 63, 0, allow},
		"other-processor": {0xC000003E, 63, 0, noCall},
		"other-abi":       {arm, 0x40000000 | 63, 0, noCall},
		"io_uring_setup":  {arm, 425, 0, noCall},
		"keyctl":          {arm, refusedCalls[0], 0, noCall},
	} {
		assert.Equal(t, c.want, evaluate(t, filter, c.processor, c.call, c.argument), name)
	}
	for family, want := range map[uint32]uint32{0: noFamily, 1: allow, 2: allow, 10: allow, 16: allow, 17: noFamily, 38: noFamily, 40: noFamily} {
		assert.Equal(t, want, evaluate(t, filter, arm, socketCall, family), family)
	}
	assert.Nil(t, makeFilter(0))
}
