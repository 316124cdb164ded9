package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrOutside is found in the error of a tool that refused a path because it
// leads out of the workspace.
var ErrOutside = errors.New("outside the workspace")

const (
	maxPath  = 4096 // bytes; no file system takes longer ones
	maxLinks = 40
)

// present returns an error if the workspace is closed or its directory is no
// longer where it was.
func (w *Workspace) present() error {
	if _, err := w.root.Stat("."); errors.Is(err, os.ErrClosed) {
		return errors.New("the workspace is closed")
	}
	if info, err := os.Stat(w.dir); err != nil || !os.SameFile(info, w.identity) {
		return errors.New("the workspace directory is gone; stop and report")
	}
	return nil
}

// relative returns the path under the root that a model's path means. That it
// leads nowhere else is for os.Root to say.
func (w *Workspace) relative(p string) (string, error) {
	switch {
	case p == "":
		return "", errors.New("no path; name one under the workspace root")
	case len(p) > maxPath:
		return "", fmt.Errorf("the path has %s bytes, more than any file", comma(len(p)))
	case strings.ContainsRune(p, 0):
		return "", fmt.Errorf("%s holds a NUL byte, which no path does", quotePath(p))
	}
	rel := p
	if filepath.IsAbs(p) {
		var ok bool
		if rel, ok = w.stripDir(filepath.Clean(p)); !ok {
			return "", outside(p)
		}
	}
	if !filepath.IsLocal(rel) {
		return "", outside(p)
	}
	return filepath.ToSlash(rel), nil
}

// stripDir makes an absolute path relative to the workspace, if it lies there
// by name.
func (w *Workspace) stripDir(p string) (string, bool) {
	for _, dir := range []string{w.dir, w.real} {
		if under(dir, p) {
			rel, err := filepath.Rel(dir, p)
			return rel, err == nil
		}
	}
	return "", false
}

// under reports whether the clean path p is dir or lies below it, by name.
func under(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && filepath.IsLocal(rel)
}

func outside(p string) error {
	return fmt.Errorf("%s is %w; use a path under the workspace root", quotePath(p), ErrOutside)
}

// A regular is a regular file, open for reading.
type regular struct {
	*os.File
	info     fs.FileInfo
	asked    string // the path it was asked for by
	resolved string // the same without links
}

// open opens a regular file. It never waits, whatever the path turns out to
// be, and judges the file by what was opened, not by what was there before.
func (w *Workspace) open(asked string) (*regular, error) {
	rel, err := w.relative(asked)
	if err != nil {
		return nil, err
	}
	if err := w.refuseSecret(asked, rel, "shown"); err != nil {
		return nil, err
	}
	info, err := w.root.Stat(rel)
	if err != nil {
		return nil, w.explain(asked, rel, err)
	}
	if err := refuseSpecial(asked, info); err != nil {
		return nil, err
	}
	return w.openRegular(asked, rel)
}

// openRegular opens the file rel, asked for as asked, unless it is not regular.
func (w *Workspace) openRegular(asked, rel string) (*regular, error) {
	f, err := w.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, w.explain(asked, rel, err)
	}
	r := &regular{File: f, asked: asked}
	if err := w.judge(r, rel); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// judge checks the opened file and where it was found.
func (w *Workspace) judge(r *regular, rel string) (err error) {
	if r.info, err = r.Stat(); err != nil {
		return err
	}
	if err := refuseSpecial(r.asked, r.info); err != nil {
		return err
	}
	if r.resolved, err = w.resolve(rel); err != nil {
		return w.explain(r.asked, rel, err)
	}
	found, err := w.root.Lstat(r.resolved)
	if err != nil || !os.SameFile(found, r.info) {
		return fmt.Errorf("%s changed while it was opened; try again", quotePath(r.asked))
	}
	return w.refuseSecret(r.asked, r.resolved, "shown")
}

// resolve follows the links in rel. Nothing is opened by that; every step is
// looked up through the root.
func (w *Workspace) resolve(rel string) (string, error) {
	done, _, err := w.follow(rel)
	return done, err
}

// follow follows the links in rel as far as it leads. At an error, done is how
// far that was and rest begins with the name that could not be looked up.
func (w *Workspace) follow(rel string) (done string, rest []string, err error) {
	done, rest = ".", strings.Split(rel, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		info, err := w.root.Lstat(next)
		if err != nil {
			return done, rest, err
		}
		rest = rest[1:]
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return done, rest, syscall.ELOOP
		}
		target, err := w.root.Readlink(next)
		if err != nil {
			return done, rest, err
		}
		if filepath.IsAbs(target) || path.IsAbs(target) {
			return done, rest, w.escape
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return done, nil, nil
}

// refuseSpecial returns an error for everything that is not a regular file.
func refuseSpecial(asked string, info fs.FileInfo) error {
	name, mode := quotePath(asked), info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a directory; use list %s", name, name)
	}
	return fmt.Errorf("%s is not a regular file (%s); tools read regular files only", name, special(mode))
}

// special names a kind of file that is neither regular nor a directory.
func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// explain says what an error of the file system means for the model.
func (w *Workspace) explain(asked, rel string, err error) error {
	name := quotePath(asked)
	switch {
	case errors.Is(err, w.escape):
		return outside(asked)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("no file %s%s", name, w.suggest(rel))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read (permission denied); ask the user", name)
	case errors.Is(err, syscall.ELOOP):
		return fmt.Errorf("%s is a link that leads back to itself; use list to find the file", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("a name in the path is too long (the path has %s bytes); use list to find the file", comma(len(asked)))
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("open %s: %w", name, err)
}
