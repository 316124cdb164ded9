package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Temporary files have names that no other program makes. They are locked as
// long as they are in use, so one without a lock was left by a program that was
// killed.
const (
	temporaryStart = ".actdone-"
	temporaryEnd   = ".tmp"
)

// errNoLonger is the error of replace if the place is not what it was.
var errNoLonger = errors.New("changed meanwhile")

// replace puts a new file with data in the place of name, if still holds when the
// data is on the disk, which takes its time. The file is like the one that info
// is of, or a new one if info is nil.
func replace(dir *os.Root, name string, data []byte, info fs.FileInfo, still func() bool) error {
	f, temporary, err := createTemporary(dir, info == nil)
	if err != nil {
		return err
	}
	err = fill(f, data, info)
	if err == nil && !still() {
		err = errNoLonger
	}
	if err == nil {
		err = dir.Rename(temporary, name)
	}
	if err != nil {
		_ = dir.Remove(temporary)
	}
	f.Close()
	return err
}

// createTemporary creates a locked file that only its owner may use, or one with
// the permissions that new files get.
func createTemporary(dir *os.Root, usual bool) (*os.File, string, error) {
	mode := fs.FileMode(0o600)
	if usual {
		mode = 0o644
	}
	for {
		name := temporaryStart + rand.Text() + temporaryEnd
		f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, "", err
		}
		// Before it is locked, a sweep may take the file for a left one.
		if !errors.Is(lock(f), errLocked) && isNamed(dir, f, name) {
			return f, name, nil
		}
		f.Close()
	}
}

func isNamed(dir *os.Root, f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	found, err := dir.Lstat(name)
	return err == nil && os.SameFile(found, opened)
}

// fill writes data to f and gives it the owner and the permissions of the file
// that info is of.
func fill(f *os.File, data []byte, info fs.FileInfo) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if info != nil {
		keepOwner(f, info)
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.Sync()
}

// errDamaged is in the error of overwrite if it changed the file all the same.
var errDamaged = errors.New("its old text could not be put back")

// overwrite makes data the content of f, which holds old. What comes behind the
// old end is written first: a full disk shows there, when nothing is lost yet.
func overwrite(f *os.File, old, data []byte) error {
	both := min(len(old), len(data))
	_, err := f.WriteAt(data[both:], int64(both))
	if err == nil {
		_, err = f.WriteAt(data[:both], 0)
	}
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	_, undo := f.WriteAt(old, 0)
	if undo == nil {
		undo = f.Truncate(int64(len(old)))
	}
	if undo != nil {
		return fmt.Errorf("%w, and %w", err, errDamaged)
	}
	return err
}

// sweep removes the temporary files that killed programs left in the directory,
// which is at rel. It looks once.
func (s *saver) sweep(dir *os.Root, rel string) {
	if s.swept[rel] {
		return
	}
	if s.swept == nil {
		s.swept = map[string]bool{}
	}
	s.swept[rel] = true
	d, err := dir.Open(".")
	if err != nil {
		return
	}
	defer d.Close()
	for err == nil {
		var names []string
		names, err = d.Readdirnames(1000)
		for _, name := range names {
			if isTemporary(name) {
				removeUnused(dir, name)
			}
		}
	}
}

func isTemporary(name string) bool {
	middle, ok := strings.CutPrefix(name, temporaryStart)
	middle, end := strings.CutSuffix(middle, temporaryEnd)
	return ok && end && len(middle) == len(rand.Text()) && strings.Trim(middle, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// removeUnused removes a temporary file, unless a program has it in use or it
// is something else of that name.
func removeUnused(dir *os.Root, name string) {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := dir.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == nil && isNamed(dir, f, name) {
		_ = dir.Remove(name)
	}
}
