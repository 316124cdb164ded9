//go:build linux || openbsd || dragonfly || solaris

package workspace

import (
	"io/fs"
	"syscall"
)

// ctime returns when the contents, the mode or the name of a file changed last,
// in nanoseconds. No program can set that time back.
func ctime(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return info.ModTime().UnixNano()
}
