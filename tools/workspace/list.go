package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/actdone/actdone/tools"
)

// maxWalked is how many entries a call of list looks at.
const maxWalked = 50_000

func (w *Workspace) listTool() tools.Tool {
	return tools.Tool{
		Name:  "list",
		Usage: "[depth=N] [PATH]: show the files in a directory with their sizes, N levels deep (1 unless given)",
		Call:  w.list,
	}
}

// list shows a directory: one line an entry, sorted by name, each directory
// followed by what is in it.
func (w *Workspace) list(ctx context.Context, input string) (string, error) {
	dir, depth, err := parseList(input)
	if err != nil {
		return "", err
	}
	if err := w.present(); err != nil {
		return "", err
	}
	rel, err := w.relative(dir)
	if err != nil {
		return "", err
	}
	info, err := w.root.Stat(rel)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", fmt.Errorf("no directory %s; list . to see what there is", quotePath(dir))
	}
	if err != nil {
		return "", w.explain(dir, rel, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory; use read_file %s", quotePath(dir), quotePath(dir))
	}
	request := Request{Tool: "list", Kind: Read, Paths: []string{rel}, Display: visible("list " + rel)}
	if err := w.approve(ctx, request); err != nil {
		return "", err
	}
	l := listing{w: w, ctx: ctx}
	entries, err := l.read(rel)
	if err != nil {
		return "", w.explain(dir, rel, err)
	}
	l.walk(entries, rel, "", depth)
	return l.text(), ctx.Err()
}

// parseList reads "[depth=N] [path]" or a JSON object.
func parseList(input string) (dir string, depth int, err error) {
	input = strings.TrimSpace(input)
	if strings.HasPrefix(input, "{") {
		fields := struct {
			Path  string `json:"path"`
			Depth int    `json:"depth"`
		}{Depth: 1}
		err = decodeFields(input, &fields, "path, depth")
		return checkList(fields.Path, fields.Depth, err)
	}
	options, dir, err := cutOptions(input, "depth")
	if err == nil && strings.HasPrefix(dir, `"`) {
		var rest string
		if dir, rest, err = cutQuoted(dir); rest != "" {
			err = fmt.Errorf("unexpected text after the path: %s", strconv.Quote(rest))
		}
	}
	depth = 1
	if word, ok := options["depth"]; ok && err == nil {
		if depth, err = strconv.Atoi(word); err != nil {
			err = fmt.Errorf("bad depth %s; use a number from 1", quotePath(word))
		}
	}
	return checkList(dir, depth, err)
}

func checkList(dir string, depth int, err error) (string, int, error) {
	if err == nil && depth < 1 {
		err = fmt.Errorf("bad depth %d; use a number from 1", depth)
	}
	return cmp.Or(dir, "."), depth, err
}

// bulky reports whether a directory of that name holds what is not the user's
// own work; it is named in listings but not descended into.
func bulky(name string) bool {
	return slices.Contains([]string{".git", "node_modules", ".venv", "__pycache__"}, name)
}

// readDir returns up to limit entries of a directory, sorted by name, and
// whether that is all.
func (w *Workspace) readDir(rel string, limit int) (entries []fs.DirEntry, all bool, err error) {
	f, err := w.root.Open(rel)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err = f.ReadDir(limit)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	_, more := f.ReadDir(1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, more == io.EOF, nil
}

// A listing is a call of list at work.
type listing struct {
	w       *Workspace
	ctx     context.Context
	lines   []string
	size    int  // bytes in lines
	missing int  // entries there was no room for
	walked  int  // entries looked at
	stopped bool // there is more than was looked at
}

// read returns the entries of a directory, as far as the walk may go.
func (l *listing) read(rel string) ([]fs.DirEntry, error) {
	left := maxWalked - l.walked
	if left <= 0 || l.ctx.Err() != nil {
		l.stopped = true
		return nil, nil
	}
	entries, all, err := l.w.readDir(rel, left)
	l.walked += len(entries)
	l.stopped = l.stopped || err == nil && !all
	return entries, err
}

// walk adds the entries of the directory rel; prefix goes before their names.
func (l *listing) walk(entries []fs.DirEntry, rel, prefix string, depth int) {
	for _, e := range entries {
		p, name := path.Join(rel, e.Name()), prefix+e.Name()
		if e.IsDir() && depth > 1 {
			l.descend(p, name, depth-1)
		} else {
			l.add(func() string { return l.describe(p, name, e.Type()) })
		}
	}
}

// descend adds a directory and what is in it.
func (l *listing) descend(p, name string, depth int) {
	var note string
	var entries []fs.DirEntry
	if bulky(path.Base(name)) {
		note = " (not descended into)"
	} else if read, err := l.read(p); err != nil {
		note = " (cannot be read)"
	} else {
		entries = read
	}
	l.add(func() string { return quotePath(name+"/") + note })
	l.walk(entries, p, name+"/", depth)
}

// describe returns the line of an entry that is not descended into.
func (l *listing) describe(p, name string, mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return quotePath(name + "/")
	case mode&fs.ModeSymlink != 0:
		if target, err := l.w.root.Readlink(p); err == nil {
			return quotePath(name) + " -> " + quotePath(target)
		}
	case mode.IsRegular():
		if info, err := l.w.root.Lstat(p); err == nil {
			return fmt.Sprintf("%s (%s)", quotePath(name), count(info.Size(), "byte", "bytes"))
		}
	default:
		return fmt.Sprintf("%s (%s)", quotePath(name), special(mode))
	}
	return quotePath(name) + " (gone meanwhile)"
}

// add adds a line if there is room for it.
func (l *listing) add(line func() string) {
	limits := l.w.limits
	if l.missing == 0 && len(l.lines) < limits.ListEntries {
		if s := line(); l.size+len(s) < limits.ReadBytes {
			l.lines, l.size = append(l.lines, s), l.size+len(s)+1
			return
		}
	}
	l.missing++
}

func (l *listing) text() string {
	switch {
	case l.stopped:
		l.lines = append(l.lines, fmt.Sprintf("[stopped: %s looked at, %s not shown; list a directory below]",
			count(l.walked, "entry", "entries"), comma(l.missing)))
	case l.missing > 0:
		l.lines = append(l.lines, fmt.Sprintf("[cut: %s; list a directory below]", count(l.missing, "entry", "entries")))
	case len(l.lines) == 0:
		return "(empty directory)"
	}
	return strings.Join(l.lines, "\n")
}
