package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// A place is where list, glob or grep begins to look: a file or directory that
// is there.
type place struct {
	asked    string // the path it was asked for by
	shown    string // the same, relative to the root
	resolved string // the same without links
	info     fs.FileInfo
}

// find finds the place that a model's path means.
func (w *Workspace) find(asked string) (place, error) {
	shown, err := w.relative(asked)
	if err != nil {
		return place{}, err
	}
	at := place{asked: asked, shown: shown}
	at.info, err = w.root.Stat(shown)
	if err == nil {
		at.resolved, err = w.resolve(shown)
	}
	switch {
	case err == nil:
		return at, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return place{}, fmt.Errorf("no directory %s; list . to see what there is", quotePath(asked))
	}
	return place{}, w.explain(asked, shown, err)
}

// changed is the error of a place that is not what was approved.
func (at place) changed() error {
	return fmt.Errorf("%s changed while it was opened; try again", quotePath(at.asked))
}

// request asks for the approval of looking at the place.
func (at place) request(tool, display string) Request {
	paths := []string{at.shown}
	if at.resolved != at.shown {
		paths = append(paths, at.resolved)
	}
	return Request{Tool: tool, Kind: Read, Paths: paths, Display: visible(display)}
}
