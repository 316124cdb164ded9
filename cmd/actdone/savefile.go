package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/actdone/actdone/react"
)

// A stepFile is a file of steps that this program has read, or is to make. It is
// never replaced by one that lacks steps that it holds: not if it was there
// before and is not the one whose steps come first, and not if somebody else has
// changed it since.
type stepFile struct {
	path string            // behind links
	sum  [sha256.Size]byte // of what it is known to hold
	made bool              // it is there
	mode fs.FileMode
}

// readStepFile reads a file.
func readStepFile(name string) (*stepFile, []byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: not a regular file", name)
	}
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(path)
	return &stepFile{path: path, sum: sha256.Sum256(data), made: true, mode: info.Mode().Perm()}, data, err
}

// newStepFile returns the file to be written under a name. If there is one, it
// must be known, whose steps come first, or hold no steps, nor anything else.
func newStepFile(name string, known ...*stepFile) (*stepFile, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		dir, err := filepath.EvalSymlinks(filepath.Dir(name))
		return &stepFile{path: filepath.Join(dir, filepath.Base(name)), mode: 0o600}, err
	}
	file, data, err := readStepFile(name)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		if k != nil && k.path == file.path {
			return k, nil
		}
	}
	if steps, err := parseSteps(name, data); len(data) > 0 && (err != nil || len(steps) > 0) {
		return nil, fmt.Errorf("%s is there already; name a new file, or go on from that one with --continue", name)
	}
	return file, nil
}

// write makes the file hold the steps, all or nothing. A nil file is nowhere.
func (f *stepFile) write(steps []react.Step) error {
	if f == nil {
		return nil
	}
	data, err := formatSteps(steps)
	if err != nil {
		return fmt.Errorf("save the steps: %w", err)
	}
	temporary, err := f.writeBeside(data)
	if err != nil {
		return fmt.Errorf("save the steps: %w", err)
	}
	if f.changed() {
		return fmt.Errorf("%s has been changed by somebody else; the steps are in %s", f.path, temporary)
	}
	if err := os.Rename(temporary, f.path); err != nil {
		return fmt.Errorf("%w; the steps are in %s", err, temporary)
	}
	f.sum, f.made = sha256.Sum256(data), true
	return nil
}

// writeBeside writes a file in the same folder and returns its name.
func (f *stepFile) writeBeside(data []byte) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(f.mode), file.Sync(), file.Close()); err != nil {
		os.Remove(file.Name())
	}
	return file.Name(), err
}

// changed reports whether there is something else in the file than is known. One
// that is gone holds nothing.
func (f *stepFile) changed() bool {
	data, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case !f.made && len(data) == 0 && err == nil:
		return false
	}
	return err != nil || !f.made || sha256.Sum256(data) != f.sum
}
