//go:build unix

package workspace

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What stands in the pipe is taken even if the copying never got to run and
// somebody holds the other end open.
func TestDrain(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Write(bytes.Repeat([]byte("x"), 60_000))
	require.NoError(t, err)
	idle := make(chan struct{})
	time.AfterFunc(drainTime+10*time.Millisecond, func() { close(idle) })
	var out bytes.Buffer
	drain(&out, r, idle)
	assert.Equal(t, 60_000, out.Len())
	assert.ErrorIs(t, r.Close(), os.ErrClosed)
}
