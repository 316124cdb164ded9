//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hasTwins reports whether the file has several names.
func hasTwins(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// keepOwner gives f the owner and the group of the file info is of, as far as
// the user of this program may.
func keepOwner(f *os.File, info fs.FileInfo) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(stat.Uid), int(stat.Gid)) == nil {
		return
	}
	_ = f.Chown(-1, int(stat.Gid))
}

// errLocked is the error of lock when another holds the lock.
var errLocked = errors.New("locked")

// lock takes a lock on f that lasts until f is closed or its program dies.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
