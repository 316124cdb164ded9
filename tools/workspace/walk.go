package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// maxDepth is how many directories deep a walk goes. It holds each of them
// open.
const maxDepth = 100

// A walk looks at what lies below a directory, sorted by name, each directory
// before what is in it. It follows no links and goes no further than
// Limits.WalkEntries and Limits.WalkTime allow.
type walk struct {
	w *Workspace

	// enter says whether what is in a directory is wanted. Nil means that it
	// always is.
	enter func(entry) bool

	// skip says which of the wanted directories are passed over all the same.
	// Nil means the bulky ones.
	skip func(entry) bool

	// visit is called for everything the walk meets. Its context ends when the
	// time of the walk is over.
	visit func(context.Context, entry)

	looked  int    // entries so far
	stopped string // why the walk did not come to its end; empty if it did
	skipped skips
}

// An entry is a file or directory that a walk meets.
type entry struct {
	fs.DirEntry
	dir   *os.Root // the directory it is in, open during the visit
	below string   // its path from where the walk began
	depth int      // slashes in below
	note  string   // why the walk did not look into it although it should
}

// from walks the directory at. The error says why that directory cannot be read,
// or it is that of ctx.
func (k *walk) from(ctx context.Context, at place) error {
	own, cancel := context.WithTimeout(ctx, k.w.limits.WalkTime)
	defer cancel()
	dir, err := openDir(k.w.root, at.resolved)
	if err == nil {
		defer dir.Close()
		if !k.w.isAt(dir, at.resolved) {
			return at.changed()
		}
		err = k.below(own, dir, entry{depth: -1})
	}
	if err != nil {
		return k.w.explain(at.asked, at.shown, err)
	}
	k.late(own)
	return ctx.Err()
}

// openDir opens a directory, and nothing else: behind the slash only a
// directory is opened, so a pipe in its place cannot hold up the call.
func openDir(root *os.Root, rel string) (*os.Root, error) { return root.OpenRoot(rel + "/.") }

// below visits what is in a directory, which is the entry parent.
func (k *walk) below(ctx context.Context, dir *os.Root, parent entry) error {
	entries, all, err := readDir(dir, ".", k.w.limits.WalkEntries-k.looked)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if k.over(ctx) {
			return nil
		}
		k.looked++
		k.meet(ctx, entry{DirEntry: e, dir: dir, below: path.Join(parent.below, e.Name()), depth: parent.depth + 1})
	}
	if !all && k.stopped == "" {
		k.stopped = k.tooMany()
	}
	return nil
}

// over reports whether the walk has to end here.
func (k *walk) over(ctx context.Context) bool {
	k.late(ctx)
	if k.stopped == "" && k.looked >= k.w.limits.WalkEntries {
		k.stopped = k.tooMany()
	}
	return k.stopped != ""
}

// late notes whether the time is over.
func (k *walk) late(ctx context.Context) {
	if k.stopped == "" && ctx.Err() != nil {
		k.stopped = seconds(k.w.limits.WalkTime) + " s are over"
	}
}

func (k *walk) tooMany() string {
	return count(k.w.limits.WalkEntries, "entry", "entries") + " looked at"
}

// meet visits an entry and what is below it.
func (k *walk) meet(ctx context.Context, e entry) {
	if !e.IsDir() || !k.wanted(&e) {
		k.visit(ctx, e)
		return
	}
	dir, err := e.open()
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		e.note = "cannot be read"
		k.skipped.unreadable++
		k.visit(ctx, e)
		return
	}
	defer dir.Close()
	k.visit(ctx, e)
	if k.below(ctx, dir, e) != nil {
		k.skipped.unreadable++
	}
}

// wanted reports whether to look into the directory e, and counts it if not.
func (k *walk) wanted(e *entry) bool {
	skip := k.skip
	if skip == nil {
		skip = func(e entry) bool { return bulky(e.Name()) }
	}
	switch {
	case k.enter != nil && !k.enter(*e):
		return false
	case e.depth >= maxDepth:
		k.skipped.deep++
	case !skip(*e):
		return true
	case e.Name() != ".git":
		k.skipped.bulky++
	}
	e.note = "not descended into"
	return false
}

// open opens the directory e, unless something else has taken its place.
func (e entry) open() (*os.Root, error) {
	dir, err := openDir(e.dir, e.Name())
	if err != nil {
		return nil, err
	}
	was, err := e.Info()
	if err == nil {
		var is fs.FileInfo
		if is, err = dir.Stat("."); err == nil && !os.SameFile(was, is) {
			err = fmt.Errorf("%s changed while it was opened", e.below)
		}
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// bulky reports whether a directory of that name holds what is not the user's
// own work; it is named in listings but not descended into.
func bulky(name string) bool {
	return slices.Contains([]string{".git", "node_modules", ".venv", "__pycache__"}, name)
}

// readDir returns up to limit entries of a directory, sorted by name, and
// whether that is all.
func readDir(root *os.Root, rel string, limit int) (entries []fs.DirEntry, all bool, err error) {
	f, err := root.Open(rel + "/.")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if limit > 0 {
		entries, err = f.ReadDir(limit)
	}
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	_, more := f.ReadDir(1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, more == io.EOF, nil
}
