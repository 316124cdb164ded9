//go:build unix

package e2e

import (
	"errors"
	"syscall"
)

// reset reports whether err is a connection that the other side has reset.
func reset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
