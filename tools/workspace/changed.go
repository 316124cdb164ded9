package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"
)

// A Change is a file that was created or changed during a run and that
// something will execute later.
type Change struct {
	Path string // relative to the workspace
	Why  string // what the file is, such as "git hook"
}

// Changed returns the files that execute later (git hooks and configuration,
// Makefiles, package.json, .envrc, what CI and editors run, everything with an
// x bit) and that were created or changed since the first call of a tool that
// was allowed to write or to run a command, sorted by path. Show them to the
// user before anything in the workspace is used. Without such a call there are
// none.
//
// What is in node_modules, .venv, __pycache__ and the objects of git is not
// looked at; a file that was removed is no change. A change by somebody else
// counts as one of the run. That the times of a file were set back does not hide
// a change, on Unix systems. Changed is to be called before Close, with no tool
// at work.
//
// The error says that not everything could be looked at, so that there may be
// more than the changes returned with it: [Limits] bounds the search.
func (w *Workspace) Changed() ([]Change, error) {
	if err := w.present(); err != nil {
		return nil, err
	}
	before := w.baseline.get()
	if before == nil {
		return nil, nil
	}
	now, err := w.takeCensus(context.Background())
	if err != nil {
		return nil, err
	}
	var changes []Change
	for p, f := range now.files {
		if !before.knows(p, f.info) {
			changes = append(changes, Change{Path: p, Why: f.why})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	if missing := cmp.Or(before.missing, now.missing); missing != "" {
		err = fmt.Errorf("not all files that execute later could be looked at: %s", missing)
	}
	return changes, err
}

// A baseline is the census before the first call that may change something.
type baseline struct {
	mu     sync.Mutex
	census *census
}

func (b *baseline) get() *census {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.census
}

// note takes the census for [Workspace.Changed], unless it has been taken or
// the call of this kind changes nothing.
func (w *Workspace) note(ctx context.Context, kind Kind) error {
	if kind == Read {
		return nil
	}
	w.baseline.mu.Lock()
	defer w.baseline.mu.Unlock()
	if w.baseline.census != nil {
		return nil
	}
	c, err := w.takeCensus(ctx)
	if ctx.Err() == nil && err != nil {
		c, err = &census{taken: time.Now(), missing: err.Error()}, nil
	}
	if err == nil {
		w.baseline.census = c
	}
	return err
}

// A census is what is known of the files that execute later.
type census struct {
	taken   time.Time
	files   map[string]counted
	missing string // why it is not complete; empty if it is
}

type counted struct {
	info fs.FileInfo
	why  string
}

// takeCensus looks at all of the workspace, as far as the limits allow.
func (w *Workspace) takeCensus(ctx context.Context) (*census, error) {
	c := &census{taken: time.Now(), files: map[string]counted{}}
	k := walk{w: w, skip: uncounted, visit: func(_ context.Context, e entry) { c.add(e) }}
	if err := k.from(ctx, place{asked: ".", shown: ".", resolved: "."}); err != nil {
		return nil, err
	}
	k.skipped.bulky = 0
	c.missing = cmp.Or(c.missing, k.stopped, k.skipped.String())
	return c, nil
}

// uncounted reports whether what is in a directory is left out of the census.
// Git executes nothing in the ones it is full of.
func uncounted(e entry) bool {
	if path.Base(path.Dir(e.below)) == ".git" {
		return slices.Contains([]string{"objects", "refs", "logs", "lfs"}, e.Name())
	}
	return bulky(e.Name()) && e.Name() != ".git"
}

func (c *census) add(e entry) {
	if e.IsDir() {
		return
	}
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		c.missing = err.Error()
		return
	}
	if why := executed(e.below, info.Mode(), e.dir); why != "" {
		c.files[e.below] = counted{info, why}
	}
}

// knows reports whether a file was there when the census was taken and was as it
// is now. If the census was not complete, that is judged by time alone.
func (c *census) knows(p string, now fs.FileInfo) bool {
	was, ok := c.files[p]
	if !ok {
		return c.missing != "" && ctime(now) < c.taken.Add(-time.Second).UnixNano()
	}
	return os.SameFile(was.info, now) && was.info.Size() == now.Size() && was.info.Mode() == now.Mode() &&
		was.info.ModTime().Equal(now.ModTime()) && ctime(was.info) == ctime(now)
}
