package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped drops what has been typed at a terminal and not read. Where that
// fails, it is taken for an answer.
func flushTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
