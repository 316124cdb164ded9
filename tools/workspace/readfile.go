package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/actdone/actdone/tools"
)

func (w *Workspace) readFileTool() tools.Tool {
	return tools.Tool{
		Name: "read_file",
		Usage: fmt.Sprintf("PATH [RANGE]: show a text file with line numbers, %s lines at most; "+
			"RANGE is 10-40, 10-, 10 or -40 (the last 40)", comma(w.limits.ReadLines)),
		Schema: schemaOf[readFields](),
		Call:   w.readFile,
	}
}

// readFile shows lines of a file, numbered, under a line that says which they
// are. A whole file of one line with nothing to note about it is shown bare.
func (w *Workspace) readFile(ctx context.Context, input string) (string, error) {
	asked, want, err := parseReadFile(input)
	if err != nil {
		return "", err
	}
	if err := w.present(); err != nil {
		return "", err
	}
	f, err := w.open(asked)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := w.approve(ctx, readRequest(f)); err != nil {
		return "", err
	}
	if err := w.refuseBinary(f); err != nil {
		return "", err
	}
	sum, known := w.digestOf(f)
	s, err := takeSurvey(ctx, f, want)
	if errors.Is(err, errTooFar) {
		err = errors.New(w.withBash(err.Error(), "use bash with tail or sed -n"))
	}
	if err != nil {
		return "", err
	}
	if want, err = want.in(s, asked); err != nil {
		return "", err
	}
	p := page{file: f, survey: s, span: want, limits: w.limits, hidden: w.secrets}
	if err := p.read(ctx); err != nil {
		return "", err
	}
	if known {
		w.memory.note(f.resolved, sum)
	}
	return p.text(), nil
}

func readRequest(f *regular) Request {
	paths := []string{f.asked}
	if f.resolved != f.asked {
		paths = append(paths, f.resolved)
	}
	return Request{Tool: "read_file", Kind: Read, Paths: paths, Display: visible("read_file " + f.resolved)}
}

// parseReadFile reads "path [range]" or a JSON object. A single word is a path,
// whatever it looks like, and so is all of a quoted string.
func parseReadFile(input string) (path string, want span, err error) {
	input = strings.TrimSpace(input)
	if strings.HasPrefix(input, "{") {
		return parseReadFields(input)
	}
	if _, input, err = cutOptions(input); err != nil {
		return "", span{}, err
	}
	path, word := input, ""
	if strings.HasPrefix(input, `"`) {
		path, word, err = cutQuoted(input)
	} else if i := strings.LastIndexAny(input, " \t"); i >= 0 && isSpan(input[i+1:]) {
		path, word = strings.TrimSpace(input[:i]), input[i+1:]
	}
	switch {
	case err != nil:
		return "", span{}, err
	case path == "":
		return "", span{}, errors.New("no path; use read_file PATH [RANGE]")
	case word == "":
		return path, span{first: 1}, nil
	case !isSpan(word):
		return "", span{}, fmt.Errorf("bad range %s; use 10-40, 10-, 10 or -40", strconv.Quote(word))
	}
	want, err = parseSpan(word)
	return path, want, err
}

// readFields is what read_file takes as a JSON object.
type readFields struct {
	Path  string `json:"path" jsonschema:"the file, relative to the workspace"`
	Start int    `json:"start,omitempty" jsonschema:"the first line to show, counted from 1"`
	End   int    `json:"end,omitempty" jsonschema:"the last line to show"`
}

func parseReadFields(input string) (string, span, error) {
	fields := readFields{Start: 1}
	if err := decodeFields(input, &fields, "path, start, end"); err != nil {
		return "", span{}, err
	}
	if fields.Path == "" {
		return "", span{}, errors.New("no path; fields: path, start, end")
	}
	want, err := between(fields.Start, fields.End)
	return fields.Path, want, err
}

// in returns want as lines of a file with the survey s, or an error if it begins
// behind the end of the file.
func (want span) in(s survey, asked string) (span, error) {
	lines := s.lines()
	if want.tail > 0 {
		return span{first: max(1, lines-want.tail+1)}, nil
	}
	if want.first > lines && s.whole && want != (span{first: 1}) {
		return span{}, fmt.Errorf("%s has %s; line %d does not exist",
			quotePath(asked), count(lines, "line", "lines"), want.first)
	}
	if s.whole {
		want.last = min(want.last, lines)
	}
	return want, nil
}
