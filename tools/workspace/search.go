package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// A search is a call of grep at work.
type search struct {
	w       *Workspace
	fields  grepFields
	pattern *linePattern
	glob    *globPattern // of the files to search; nil for all
	walk    walk
	under   place // where the walk begins
	files   int   // searched so far
	found   excerpts
	text    textBuffer
	lower   []byte // the text in lower case, if the pattern wants that
}

func newSearch(w *Workspace, fields grepFields) (s *search, err error) {
	s = &search{w: w, fields: fields, found: excerpts{limits: w.limits, secrets: w.secrets, context: fields.Context}}
	s.walk = walk{w: w, visit: s.visit}
	if fields.Glob != "" {
		if s.glob, err = newGlob(fields.Glob); err != nil {
			return nil, err
		}
	}
	s.pattern, err = newLinePattern(fields.Pattern, fields.Fixed, fields.Case == "i")
	return s, err
}

// visit searches a file that the walk has met.
func (s *search) visit(ctx context.Context, e entry) {
	shown := path.Join(s.under.shown, e.below)
	skipped := &s.walk.skipped
	switch mode := e.Type(); {
	case mode.IsDir(), mode&fs.ModeSymlink != 0, !s.selects(shown):
	case !mode.IsRegular():
		skipped.special++
	case s.w.secret(path.Join(s.under.resolved, e.below)):
		skipped.secret++
	default:
		f, err := e.openFile()
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			skipped.unreadable++
			return
		}
		defer f.Close()
		s.file(ctx, f, shown)
	}
}

// selects reports whether a file is one that glob= wants. A pattern without a
// slash is about the name alone.
func (s *search) selects(shown string) bool {
	if s.glob == nil {
		return true
	}
	if s.glob.depth == 0 && !s.glob.deep {
		shown = path.Base(shown)
	}
	return s.glob.match(shown)
}

// one searches a single file, which was named by the model.
func (s *search) one(ctx context.Context, at place) error {
	f, err := s.w.open(at.asked)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.resolved != at.resolved {
		return at.changed()
	}
	own, cancel := context.WithTimeout(ctx, s.w.limits.WalkTime)
	defer cancel()
	s.file(own, f.File, at.shown)
	s.walk.late(own)
	return ctx.Err()
}

// file searches one file, or counts why not.
func (s *search) file(ctx context.Context, f *os.File, shown string) {
	skipped := &s.walk.skipped
	text, err := s.text.read(f)
	switch {
	case errors.Is(err, errLargeText):
		skipped.large++
	case errors.Is(err, errNotText):
		skipped.binary++
	case err != nil:
		skipped.unreadable++
	default:
		s.files++
		s.found.add(shown, text, s.lines(ctx, text))
	}
}

// lines finds the lines of a text that match. Of those that will not be shown
// only the number is kept.
func (s *search) lines(ctx context.Context, text []byte) []hit {
	folded := text
	if s.pattern.folded && len(s.pattern.literal) > 0 {
		s.lower = foldASCII(s.lower, text)
		folded = s.lower
	}
	var hits []hit
	room := s.found.room()
	for at := 0; ctx.Err() == nil; {
		if at = s.pattern.next(folded, at); at < 0 {
			break
		}
		line := lineAt(text, at)
		if s.pattern.match(ctx, line) {
			s.found.total++
			if len(hits) < room {
				hits = append(hits, s.hit(ctx, at, line))
			}
		}
		at = min(len(text), at+len(line)+1)
	}
	return hits
}

// hit says where in a long line the match is.
func (s *search) hit(ctx context.Context, at int, line []byte) hit {
	h := hit{at: at}
	if len(line) > matchChars {
		h.start, h.end = s.pattern.find(ctx, line)
	}
	return h
}

// result is what the model gets.
func (s *search) result() string {
	m, k := &s.found, &s.walk
	if m.total > 0 {
		k.skipped.bulky = 0 // it goes without saying
	}
	skipped := k.skipped.String()
	lines := m.lines
	switch {
	case m.total == 0:
		lines = append(lines, behind(s.nothing(), skipped))
		skipped = ""
	case m.total > m.shown:
		lines = append(lines, fmt.Sprintf("[cut: %s; use path=, glob= or a narrower pattern]", count(m.total-m.shown, "match", "matches")))
	}
	if k.stopped != "" {
		lines = append(lines, fmt.Sprintf("[stopped: %s; narrow path=]", k.stopped))
	}
	if skipped != "" {
		lines = append(lines, "["+skipped+"]")
	}
	return strings.Join(lines, "\n")
}

func (s *search) nothing() string {
	text := fmt.Sprintf(`no match for "%s" in %s`, inLine(s.fields.Pattern), count(s.files, "file", "files"))
	if s.glob != nil {
		text += " matching " + inLine(s.fields.Glob)
	}
	return text
}
