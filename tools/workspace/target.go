package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// A target is a file that a call is to write, and what was there when the call
// began.
type target struct {
	asked  string // the path it was asked for by
	rel    string // the same without links
	exists bool
	old    []byte // all that is in the file
}

// aim finds the file that a path to write means and reads it, if it is there.
// The links in the path are followed first; every rule holds for where they
// lead as well.
func (w *Workspace) aim(asked string) (*target, error) {
	rel, err := w.relative(asked)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(rel, "/") {
		return nil, fmt.Errorf("%s names a directory; give the path of a file", quotePath(asked))
	}
	if err := w.refuseWrite(asked, rel); err != nil {
		return nil, err
	}
	t := &target{asked: asked}
	if t.rel, err = w.destination(asked, rel); err != nil {
		return nil, err
	}
	if err := w.refuseWrite(asked, t.rel); err != nil {
		return nil, err
	}
	return t, w.look(t)
}

// look reads the file of the target, if there is one.
func (w *Workspace) look(t *target) error {
	info, err := w.root.Lstat(t.rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return w.explain(t.asked, t.rel, err)
	}
	if err := refuseSpecial(t.asked, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is write-protected (mode %04o); ask the user", quotePath(t.asked), info.Mode().Perm())
	}
	f, err := w.openRegular(t.asked, t.rel)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.resolved != t.rel {
		return t.changed()
	}
	t.exists = true
	t.old, err = readWhole(f, w.wholeBytes())
	if errors.Is(err, errTooLarge) {
		return w.tooLarge(t, f.info.Size(), w.wholeBytes())
	}
	return err
}

func (w *Workspace) tooLarge(t *target, size int64, limit int) error {
	return errors.New(w.withBash(fmt.Sprintf("%s has %s (max %s)", quotePath(t.asked), count(size, "byte", "bytes"), comma(limit)), "use bash"))
}

func (t *target) changed() error {
	return fmt.Errorf("%s changed meanwhile; read_file it, then try again", quotePath(t.asked))
}

// destination follows the links in rel. The end of the path need not be there yet.
func (w *Workspace) destination(asked, rel string) (string, error) {
	done, rest, err := w.follow(rel)
	switch {
	case err == nil:
		return done, nil
	case errors.Is(err, fs.ErrNotExist) && !slices.Contains(rest, ".."):
		return path.Join(append([]string{done}, rest...)...), nil
	case errors.Is(err, syscall.ENOTDIR):
		return "", fmt.Errorf("%s is a file, so %s cannot be made; choose another path", quotePath(done), quotePath(asked))
	}
	return "", w.explain(asked, rel, err)
}

// request returns the request to write data.
func (t *target) request(tool string, data []byte) Request {
	changes, cut := unified(quotePath(t.rel), t.old, data)
	var notes []string
	if !t.exists {
		notes = append(notes, "new file")
	}
	if len(data) == 0 {
		notes = append(notes, "empty")
	}
	if cut {
		notes = append(notes, "too long to be shown in full")
	}
	head := behind(tool+" "+quotePath(t.rel), strings.Join(notes, ", "))
	return Request{Tool: tool, Kind: Write, Paths: pathsOf(t.asked, t.rel), Diff: changes, Display: visible(head + "\n" + changes)}
}

// pathsOf returns the paths of a request: the one asked for and, if links lead
// elsewhere, that one.
func pathsOf(asked, resolved string) []string {
	if asked == resolved {
		return []string{asked}
	}
	return []string{asked, resolved}
}
