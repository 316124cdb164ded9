package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"
)

// A saver writes files for one workspace, one at a time.
type saver struct {
	mu    sync.Mutex
	swept map[string]bool // directories that were cleared of what killed programs left
}

// save makes data the content of the target, unless the file is no longer what
// it was when it was looked at. Either all of data is written or nothing, and a
// program that is killed meanwhile leaves the old file. The exceptions are files
// with several names and those that cannot be replaced, which are written in
// place.
func (w *Workspace) save(ctx context.Context, t *target, data []byte) error {
	w.saver.mu.Lock()
	defer w.saver.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := w.openParent(t)
	if err != nil {
		return err
	}
	defer dir.Close()
	w.saver.sweep(dir, path.Dir(t.rel))
	if err := t.write(dir, data); err != nil {
		return err
	}
	w.memory.note(t.rel, sha256.Sum256(data))
	return nil
}

// openParent opens the directory of the target and makes it if it is missing.
// What counts is where the opened directory was found: links that took the place
// of directories meanwhile lead nowhere.
func (w *Workspace) openParent(t *target) (*os.Root, error) {
	parent := path.Dir(t.rel)
	if !t.exists {
		if err := w.root.MkdirAll(parent, 0o755); err != nil {
			return nil, t.failed(err)
		}
	}
	dir, err := openDir(w.root, parent)
	if err != nil {
		return nil, t.failed(err)
	}
	if !w.isAt(dir, parent) {
		dir.Close()
		return nil, t.changed()
	}
	return dir, nil
}

// isAt reports whether the open directory is at rel and no link leads there.
func (w *Workspace) isAt(dir *os.Root, rel string) bool {
	opened, err := dir.Stat(".")
	if err != nil {
		return false
	}
	resolved, err := w.resolve(rel)
	if err != nil || resolved != rel {
		return false
	}
	found, err := w.root.Lstat(rel)
	return err == nil && os.SameFile(found, opened)
}

// write writes data to the target in its directory dir.
func (t *target) write(dir *os.Root, data []byte) error {
	name := path.Base(t.rel)
	if !t.exists {
		absent := func() bool {
			_, err := dir.Lstat(name)
			return errors.Is(err, fs.ErrNotExist)
		}
		if !absent() {
			return t.changed()
		}
		return t.failed(replace(dir, name, data, nil, absent))
	}
	old, err := t.reopen(dir)
	if err != nil {
		return err
	}
	defer old.Close()
	info, err := old.Stat()
	if err != nil {
		return t.failed(err)
	}
	if !hasTwins(info) {
		err = replace(dir, name, data, info, func() bool { return t.isSame(dir, old) })
		if err == nil || !refused(err) {
			return t.failed(err)
		}
	}
	return t.failed(overwrite(old, t.old, data))
}

// reopen opens the file of the target for writing, if it still is what it was.
func (t *target) reopen(dir *os.Root) (*os.File, error) {
	name := path.Base(t.rel)
	f, err := dir.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, t.changed()
	}
	if err != nil {
		return nil, t.failed(err)
	}
	if !t.isSame(dir, f) {
		f.Close()
		return nil, t.changed()
	}
	return f, nil
}

// isSame reports whether f is the file of the target with its old content.
func (t *target) isSame(dir *os.Root, f *os.File) bool {
	opened, err := f.Stat()
	if err != nil || !opened.Mode().IsRegular() {
		return false
	}
	found, err := dir.Lstat(path.Base(t.rel))
	if err != nil || !os.SameFile(found, opened) {
		return false
	}
	data, err := readWhole(f, len(t.old))
	return err == nil && bytes.Equal(data, t.old)
}

// refused reports whether err is about making or renaming a file in the
// directory, so that the file itself may still be written.
func refused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// failed says what an error of writing means for the model. It keeps nil.
func (t *target) failed(err error) error {
	name := quotePath(t.asked)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoLonger):
		return t.changed()
	case errors.Is(err, errDamaged):
		return fmt.Errorf("write %s: %w; read_file it and tell the user", name, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s cannot be written (permission denied); ask the user", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("a name in the path is too long (the path has %s bytes); use a shorter one", comma(len(t.asked)))
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	if linkError, ok := errors.AsType[*os.LinkError](err); ok {
		err = linkError.Err
	}
	return fmt.Errorf("write %s: %w; nothing was changed", name, err)
}
