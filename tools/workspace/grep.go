package workspace

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/actdone/actdone/tools"
)

// maxContext is how many lines of context can be asked for.
const maxContext = 50

func (w *Workspace) grepTool() tools.Tool {
	return tools.Tool{
		Name: "grep",
		Usage: "[path=pkg] [glob=*.go] [case=i] [fixed=1] [context=2] PATTERN: find lines that match a regular expression (RE2), " +
			"all of the line from PATTERN on; fixed=1 takes it as plain text, -- goes before one that begins like an option",
		Schema: schemaOf[grepFields](),
		Call:   w.grep,
	}
}

// grepNames are the fields of grepFields.
const grepNames = "pattern, path, glob, case, fixed, context"

// grepFields is what grep takes as a JSON object.
type grepFields struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression (RE2); it is matched line by line"`
	Path    string `json:"path,omitempty" jsonschema:"the file or directory to search; the whole workspace unless given"`
	Glob    string `json:"glob,omitempty" jsonschema:"search only files with such a name, as in *.go, or with such a path if there is a slash in it"`
	Case    string `json:"case,omitempty" jsonschema:"i to ignore case"`
	Fixed   bool   `json:"fixed,omitempty" jsonschema:"true if the pattern is plain text"`
	Context int    `json:"context,omitempty" jsonschema:"how many lines to show before and after each match"`
}

// grep shows the lines that match a pattern.
func (w *Workspace) grep(ctx context.Context, input string) (string, error) {
	fields, err := parseGrep(input)
	if err != nil {
		return "", err
	}
	s, err := newSearch(w, fields)
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
	if err := w.approve(ctx, at.request("grep", fields.display(at))); err != nil {
		return "", err
	}
	if !at.info.IsDir() {
		err = s.one(ctx, at)
	} else {
		s.under = at
		err = s.walk.from(ctx, at)
	}
	if err != nil {
		return "", err
	}
	return s.result(), nil
}

// display is the call for the approver.
func (f grepFields) display(at place) string {
	return fmt.Sprintf("grep path=%s glob=%s case=%s fixed=%t context=%d %s", at.shown, f.Glob, f.Case, f.Fixed, f.Context, f.Pattern)
}

// parseGrep reads options and a pattern to the end of the line, or a JSON
// object.
func parseGrep(input string) (f grepFields, err error) {
	if isObject(trimLeft(input)) {
		err = decodeFields(input, &f, grepNames)
	} else if err = f.setWords(input); err != nil {
		err = fmt.Errorf("%w; -- goes before a pattern that begins like an option", err)
	}
	switch {
	case err != nil:
	case f.Pattern == "":
		err = missing(input, "no pattern", "use grep [path=DIR] [glob=*.go] PATTERN", grepNames)
	case f.Case != "" && f.Case != "i":
		err = fmt.Errorf("bad case %s; use case=i, or leave it away", quotePath(f.Case))
	case f.Context < 0 || f.Context > maxContext:
		err = fmt.Errorf("bad context %d; use a number from 0 to %d", f.Context, maxContext)
	}
	f.Path = cmp.Or(f.Path, ".")
	return f, err
}

// setWords reads the options before a pattern.
func (f *grepFields) setWords(input string) error {
	options, pattern, err := cutOptions(input, "path", "glob", "case", "fixed", "context")
	if err != nil {
		return err
	}
	f.Pattern, f.Path, f.Glob, f.Case = pattern, options["path"], options["glob"], options["case"]
	if word, ok := options["fixed"]; ok {
		if f.Fixed, err = strconv.ParseBool(word); err != nil {
			return fmt.Errorf("bad fixed %s; use fixed=1, or leave it away", quotePath(word))
		}
	}
	if word, ok := options["context"]; ok {
		if f.Context, err = strconv.Atoi(word); err != nil {
			return fmt.Errorf("bad context %s; use a number from 0 to %d", quotePath(word), maxContext)
		}
	}
	return nil
}
