//go:build !(linux || openbsd || dragonfly || solaris || darwin || freebsd || netbsd)

package workspace

import "io/fs"

// ctime returns when the contents of a file changed last, in nanoseconds. Other
// changes are not known here, and a program can set that time back.
func ctime(info fs.FileInfo) int64 { return info.ModTime().UnixNano() }
