package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/actdone/actdone/tools"
)

func (w *Workspace) listTool() tools.Tool {
	return tools.Tool{
		Name:   "list",
		Usage:  "[depth=N] [PATH]: show the files in a directory with their sizes, N levels deep (1 unless given)",
		Schema: schemaOf[listFields](),
		Call:   w.list,
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
	at, err := w.find(dir)
	if err != nil {
		return "", err
	}
	if !at.info.IsDir() {
		return "", fmt.Errorf("%s is not a directory; use read_file %s", quotePath(dir), quotePath(dir))
	}
	if err := w.approve(ctx, at.request("list", "list "+at.shown)); err != nil {
		return "", err
	}
	l := listing{w: w}
	k := walk{w: w, visit: l.add, enter: func(e entry) bool { return e.depth+1 < depth }}
	if err := k.from(ctx, at); err != nil {
		return "", err
	}
	return l.text(k.stopped), nil
}

// listFields is what list takes as a JSON object.
type listFields struct {
	Path  string `json:"path,omitempty" jsonschema:"the directory, relative to the workspace; its root unless given"`
	Depth int    `json:"depth,omitempty" jsonschema:"how many levels deep to look, 1 unless given"`
}

// parseList reads "[depth=N] [path]" or a JSON object.
func parseList(input string) (dir string, depth int, err error) {
	input = strings.TrimSpace(input)
	if strings.HasPrefix(input, "{") {
		fields := listFields{Depth: 1}
		err = decodeFields(input, &fields, "path, depth")
		return checkList(fields.Path, fields.Depth, err)
	}
	options, dir, err := cutOptions(input, "depth")
	if err == nil && strings.HasPrefix(dir, `"`) {
		dir, err = unquoteAll(dir)
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

// A listing is a call of list at work.
type listing struct {
	w       *Workspace
	lines   []string
	size    int // bytes in lines
	missing int // entries there was no room for
}

// add adds the line of an entry if there is room for it.
func (l *listing) add(_ context.Context, e entry) {
	limits := l.w.limits
	if l.missing == 0 && len(l.lines) < limits.ListEntries {
		if line := behind(describe(e), e.note); l.size+len(line) < limits.ReadBytes {
			l.lines, l.size = append(l.lines, line), l.size+len(line)+1
			return
		}
	}
	l.missing++
}

// describe returns the line of an entry.
func describe(e entry) string {
	mode := e.Type()
	switch {
	case mode.IsDir():
		return quotePath(e.below + "/")
	case mode&fs.ModeSymlink != 0:
		if target, err := e.dir.Readlink(e.Name()); err == nil {
			return quotePath(e.below) + " -> " + quotePath(target)
		}
	case mode.IsRegular():
		if info, err := e.Info(); err == nil {
			return behind(quotePath(e.below), count(info.Size(), "byte", "bytes"))
		}
	default:
		return behind(quotePath(e.below), special(mode))
	}
	return behind(quotePath(e.below), "gone meanwhile")
}

// text returns the listing, and why it is not complete.
func (l *listing) text(stopped string) string {
	switch {
	case stopped != "":
		l.lines = append(l.lines, fmt.Sprintf("[stopped: %s, %s not shown; list a directory below]", stopped, comma(l.missing)))
	case l.missing > 0:
		l.lines = append(l.lines, fmt.Sprintf("[cut: %s; list a directory below]", count(l.missing, "entry", "entries")))
	case len(l.lines) == 0:
		return "(empty directory)"
	}
	return strings.Join(l.lines, "\n")
}
