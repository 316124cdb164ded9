package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/actdone/actdone/tools"
)

func (w *Workspace) globTool() tools.Tool {
	return tools.Tool{
		Name: "glob",
		Usage: "[sort=time] [path=DIR] PATTERN: find files by path, such as **/*_test.go or cmd/*/main.{go,py}; " +
			"sort=time shows the newest first; a / at the end finds directories",
		Schema: schemaOf[globFields](),
		Call:   w.glob,
	}
}

// globFields is what glob takes as a JSON object.
type globFields struct {
	Pattern string `json:"pattern" jsonschema:"such as **/*_test.go, relative to path; a / at the end finds directories"`
	Path    string `json:"path,omitempty" jsonschema:"the directory to look in; the root of the workspace unless given"`
	Sort    string `json:"sort,omitempty" jsonschema:"time to show the newest first"`
}

// glob shows the paths of the files that match a pattern.
func (w *Workspace) glob(ctx context.Context, input string) (string, error) {
	fields, err := parseGlob(input)
	if err != nil {
		return "", err
	}
	pattern, err := newGlob(fields.Pattern)
	if err != nil {
		return "", err
	}
	if err := w.present(); err != nil {
		return "", err
	}
	at, err := w.find(fields.Path)
	if err != nil {
		return "", err
	}
	if !at.info.IsDir() {
		return "", fmt.Errorf("%s is not a directory; use path= with a directory", quotePath(fields.Path))
	}
	if err := w.approve(ctx, at.request("glob", "glob path="+at.shown+" "+fields.Pattern)); err != nil {
		return "", err
	}
	g := globbing{fields: fields, pattern: pattern, limits: w.limits, dirs: strings.HasSuffix(fields.Pattern, "/")}
	return g.run(ctx, w, at)
}

// parseGlob reads "[sort=time] [path=DIR] PATTERN" or a JSON object.
func parseGlob(input string) (f globFields, err error) {
	input = strings.TrimSpace(input)
	if isObject(input) {
		err = decodeFields(input, &f, "pattern, path, sort")
		if err == nil && f.Pattern == "" {
			err = errors.New("no pattern; fields: pattern, path, sort")
		}
	} else {
		var options map[string]string
		options, f.Pattern, err = cutOptions(input, "sort", "path")
		f.Path, f.Sort = options["path"], options["sort"]
		if err == nil && strings.HasPrefix(f.Pattern, `"`) {
			f.Pattern, err = unquoteAll(f.Pattern)
		}
	}
	if err == nil && f.Sort != "" && f.Sort != "time" {
		err = fmt.Errorf("bad sort %s; use sort=time, or leave it away to sort by name", quotePath(f.Sort))
	}
	f.Path = cmp.Or(f.Path, ".")
	return f, err
}

// isObject reports whether the input of a tool that takes a pattern is a JSON
// object. A pattern may begin with a brace as well.
func isObject(input string) bool {
	rest, ok := strings.CutPrefix(input, "{")
	rest = trimLeft(rest)
	return ok && (strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "}"))
}

// A globbing is a call of glob at work.
type globbing struct {
	fields  globFields
	pattern *globPattern
	limits  Limits
	dirs    bool   // directories are wanted, not files
	prefix  string // of all paths
	found   []globbed
}

type globbed struct {
	path  string
	mtime time.Time
}

// run walks from the directory that the pattern begins with, if it is there.
func (g *globbing) run(ctx context.Context, w *Workspace, at place) (string, error) {
	if now, err := w.resolve(at.resolved); err != nil || now != at.resolved {
		return "", at.changed()
	}
	base := g.pattern.base()
	g.prefix = path.Join(at.shown, base)
	k := walk{w: w, visit: g.add, enter: func(e entry) bool { return g.pattern.reaches(e.depth) }}
	from, err := w.find(g.prefix)
	switch {
	case errors.Is(err, ErrOutside):
		return "", err
	case err == nil && from.info.IsDir():
		err = k.from(ctx, from)
	default:
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	return g.text(&k), nil
}

// add adds what matches to the paths.
func (g *globbing) add(_ context.Context, e entry) {
	if e.IsDir() != g.dirs || !g.pattern.match(e.below) {
		return
	}
	p := globbed{path: path.Join(g.prefix, e.below)}
	if g.fields.Sort != "" {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil {
			p.mtime = info.ModTime()
		}
	}
	g.found = append(g.found, p)
}

// text returns the paths there is room for, and why there may be more.
func (g *globbing) text(k *walk) string {
	slices.SortStableFunc(g.found, func(a, b globbed) int { return b.mtime.Compare(a.mtime) })
	var lines []string
	size := 0
	for _, p := range g.found {
		line := quotePath(p.path)
		if g.dirs {
			line = quotePath(p.path + "/")
		}
		if len(lines) == g.limits.GlobPaths || size+len(line) >= g.limits.ReadBytes {
			break
		}
		lines, size = append(lines, line), size+len(line)+1
	}
	if len(lines) == 0 {
		lines = append(lines, g.nothing(k))
	} else if missing := len(g.found) - len(lines); missing > 0 {
		lines = append(lines, fmt.Sprintf("[cut: %s; use a narrower pattern or path=]", count(missing, "path", "paths")))
	}
	if k.stopped != "" {
		lines = append(lines, fmt.Sprintf("[stopped: %s; narrow path=]", k.stopped))
	}
	return strings.Join(lines, "\n")
}

// nothing says that no path matches, and what may be the reason.
func (g *globbing) nothing(k *walk) string {
	text := behind(fmt.Sprintf("no path matches %s in %s", inLine(g.fields.Pattern), count(k.looked, "entry", "entries")), k.skipped.String())
	if !g.pattern.deep && !strings.Contains(g.fields.Pattern, "/") {
		text += "; " + inLine("**/"+g.fields.Pattern) + " looks in the directories below as well"
	}
	return text
}
