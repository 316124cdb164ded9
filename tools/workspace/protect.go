package workspace

import (
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"
)

// refuseWrite returns an error if rel, asked for as asked, is a file that is not
// to be written.
func (w *Workspace) refuseWrite(asked, rel string) error {
	if slices.ContainsFunc(strings.Split(rel, "/"), namesGit) {
		return errors.New(w.withBash(".git is protected", "use git through bash"))
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if w.isGitDir(dir) {
			return errors.New(w.withBash(quotePath(dir)+" is a git directory and protected", "use git through bash"))
		}
	}
	return w.refuseSecret(asked, rel, "written")
}

// namesGit reports whether some file system takes name for .git: without regard
// to case, to marks that do not show, to dots and blanks at its end, or by its
// short form.
func namesGit(name string) bool {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(name, ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// isGitDir reports whether git takes the directory for one of its own, whatever
// its name: a link called .git may lead there.
func (w *Workspace) isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := w.root.Lstat(path.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
