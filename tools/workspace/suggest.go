package workspace

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/actdone/actdone/internal/levenshtein"
)

const (
	maxSearched    = 5000 // entries looked at for names to suggest
	maxSuggestions = 3
)

// suggest returns the end of an error about a path that does not exist: up to
// three files that may have been meant.
func (w *Workspace) suggest(rel string) string {
	found := w.similar(rel)
	if len(found) == 0 {
		return "; list . to see files"
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = quotePath(f.path)
	}
	last := len(names) - 1
	text := names[last]
	if last > 0 {
		text = strings.Join(names[:last], ", ") + " or " + text
	}
	return "; did you mean " + text + "? (list . to see files)"
}

type suggestion struct {
	path     string
	distance int
}

// similar searches the workspace, nearest directories first, for files with
// the wanted name or almost that name.
func (w *Workspace) similar(rel string) []suggestion {
	wanted := strings.ToLower(path.Base(rel))
	near := min(2, len(wanted)/3)
	var found []suggestion
	left := maxSearched
	for dirs := []string{"."}; len(dirs) > 0 && left > 0; dirs = dirs[1:] {
		entries, _, err := readDir(w.root, dirs[0], left)
		if err != nil {
			continue
		}
		left -= len(entries)
		for _, e := range entries {
			p := path.Join(dirs[0], e.Name())
			switch {
			case e.IsDir() && !bulky(e.Name()):
				dirs = append(dirs, p)
			case e.Type().IsRegular() && !looksSecret(p):
				if d := levenshtein.Distance(wanted, strings.ToLower(e.Name()), near); d <= near {
					found = append(found, suggestion{p, d})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b suggestion) int { return cmp.Compare(a.distance, b.distance) })
	return found[:min(len(found), maxSuggestions)]
}
