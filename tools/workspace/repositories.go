package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxGitPaths is how many files and directories are kept from commands. Each
// costs time at every call.
const maxGitPaths = 500

// gitPaths returns the files and directories at or below dir, its links resolved,
// that decide what git runs: hooks and configuration of all repositories. No
// command may be running there. What is absent but git would heed is made.
func gitPaths(dir string) ([]string, error) {
	g := gitFinder{top: dir}
	if err := filepath.WalkDir(dir, g.visit); err != nil {
		return nil, err
	}
	paths := outermost(g.paths)
	if len(paths) > maxGitPaths {
		return nil, &IsolationError{fmt.Sprintf("the workspace has too many git repositories to protect (%s files and directories of git, max %d)",
			comma(len(paths)), maxGitPaths), "open a directory below it"}
	}
	return paths, nil
}

// outermost returns paths sorted, without those that lie at or below another.
func outermost(paths []string) (outer []string) {
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if !slices.ContainsFunc(outer, func(dir string) bool { return under(dir, path) }) {
			outer = append(outer, path)
		}
	}
	return outer
}

type gitFinder struct {
	top   string
	paths []string
}

// visit is for [filepath.WalkDir]. A directory that cannot be read is kept as it
// is, since a command could make it readable.
func (g *gitFinder) visit(path string, d fs.DirEntry, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && path == g.top:
		return err
	case err != nil:
		g.paths = append(g.paths, path)
		return nil
	case d.Name() == "objects" && isRepository(filepath.Dir(path)):
		return filepath.SkipDir
	case d.Name() == "HEAD":
		return g.head(filepath.Dir(path))
	case d.Name() != ".git" || path == g.top:
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		return cannotKeep(path, "is a link")
	case d.IsDir():
		return g.repository(path)
	}
	return g.pointer(path)
}

func cannotKeep(path, why string) error {
	return &IsolationError{fmt.Sprintf("%s cannot be kept from commands: it %s", path, why), "repair the repository"}
}

// isRepository reports whether git would take dir for a repository.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil && isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

// head protects dir, in which a HEAD was found: a repository, or what a linked
// worktree has in that of another.
func (g *gitFinder) head(dir string) error {
	if isRepository(dir) {
		return g.repository(dir)
	}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err != nil {
		return nil
	}
	return g.keep(dir, nil, false)
}

// readGitFile reads a file of git without waiting for a pipe. Git refuses larger
// files to point to a repository.
func readGitFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return readWhole(f, 1<<20)
}

// ofWorktrees reports whether git may heed a config.worktree in dir, a
// repository or what a linked worktree has in that of another: the common
// configuration says so. One that cannot be read may say so.
func ofWorktrees(dir string) bool {
	if text, err := readGitFile(filepath.Join(dir, "commondir")); err == nil {
		common := strings.TrimRight(string(text), "\r\n")
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
		dir = common
	}
	config, err := readGitFile(filepath.Join(dir, "config"))
	return err != nil || bytes.Contains(bytes.ToLower(config), []byte("worktreeconfig"))
}

// pointer is a file .git that names the directory of a repository. One in the
// workspace is protected where it is.
func (g *gitFinder) pointer(path string) error {
	g.paths = append(g.paths, path)
	text, err := readGitFile(path)
	target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return nil
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	real, err := filepath.EvalSymlinks(target)
	if err != nil || !under(g.top, real) || real == g.top || !isDir(real) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(real, "commondir")); err == nil {
		return g.keep(real, nil, false)
	}
	return g.repository(real)
}

// repository protects the repository whose own files are in dir.
func (g *gitFinder) repository(dir string) error {
	hooks, config := filepath.Join(dir, "hooks"), filepath.Join(dir, "config")
	links := ensureDir(hooks) != nil
	links = ensureFile(config) != nil || links
	return g.keep(dir, []string{hooks, config}, links)
}

// keep protects paths and what redirects git, all of it in dir. If a part of that
// is a link, or cannot be made, the whole directory is protected instead.
func (g *gitFinder) keep(dir string, paths []string, whole bool) error {
	if ofWorktrees(dir) {
		whole = ensureFile(filepath.Join(dir, "config.worktree")) != nil || whole
	}
	for _, name := range []string{"config.worktree", "commondir", "gitdir"} {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
			whole = whole || !info.Mode().IsRegular()
		}
	}
	switch {
	case whole && dir == g.top:
		return cannotKeep(dir, "is a repository whose hooks or configuration are links or cannot be made")
	case whole:
		paths = []string{dir}
	}
	g.paths = append(g.paths, paths...)
	return nil
}

// ensureDir makes a directory unless there is one. Anything else is an error.
func ensureDir(path string) error {
	if err := os.Mkdir(path, 0o755); !errors.Is(err, fs.ErrExist) {
		return err
	}
	if !isDir(path) {
		return errors.New("not a directory")
	}
	return nil
}

// ensureFile makes an empty file likewise.
func ensureFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		return f.Close()
	}
	info, lstat := os.Lstat(path)
	if lstat != nil || !info.Mode().IsRegular() {
		return err
	}
	return nil
}

// isDir reports whether path is a directory and not a link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
