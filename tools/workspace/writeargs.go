package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// writeNames are the fields of writeFields.
const writeNames = "path, content, nonewline, eol"

// writeFields is what write_file takes as a JSON object.
type writeFields struct {
	Path      string `json:"path" jsonschema:"the file, relative to the workspace"`
	Content   string `json:"content" jsonschema:"the whole text of the file"`
	NoNewline bool   `json:"nonewline,omitempty" jsonschema:"do not add a newline at the end of content"`
	EOL       string `json:"eol,omitempty" jsonschema:"line ends, lf or crlf; those of the old file unless given"`
}

// parseWriteFile reads options, a path and under them the text, or a JSON object
// with the text in it or under it. The content returned is that of the file,
// with the newline at its end.
func (w *Workspace) parseWriteFile(input string) (writeFields, error) {
	var in struct {
		writeFields
		Content *string `json:"content"`
	}
	body, err := cutBody(input, &in, writeNames, func(line string) (err error) {
		in.writeFields, err = parseWriteLine(line)
		return err
	})
	switch {
	case err != nil:
		return in.writeFields, err
	case in.Path == "":
		return in.writeFields, missing(input, "no path", "use write_file PATH with the text in a fence under it", writeNames)
	case in.EOL != "" && in.EOL != "lf" && in.EOL != "crlf":
		return in.writeFields, fmt.Errorf("bad eol %s; use lf or crlf", shortQuote(in.EOL))
	case in.Content != nil && body != nil:
		return in.writeFields, errors.New("the text is there twice, as content and in a fence; give one of them")
	case in.Content != nil:
		in.writeFields.Content = *in.Content
	case body != nil:
		in.writeFields.Content = *body
	default:
		if isJSON(input) {
			return in.writeFields, errors.New("no content; give the text of the file as field content")
		}
		return in.writeFields, errors.New("no text; put it in a fence under the line")
	}
	in.writeFields.endLine(body != nil)
	return in.writeFields, w.checkSize("the text", in.writeFields.Content)
}

// endLine gives the content a newline at its end, unless that is not wanted. A
// body is lines, the last of which may be blank; other content may have the
// newline already.
func (in *writeFields) endLine(body bool) {
	if in.NoNewline || in.Content == "" || !body && strings.HasSuffix(in.Content, "\n") {
		return
	}
	in.Content += "\n"
}

func (w *Workspace) checkSize(what, text string) error {
	if len(text) <= w.limits.WriteBytes {
		return nil
	}
	hint := "write less at once"
	if w.hasBash() {
		hint += ", or use bash"
	}
	return fmt.Errorf("%s has %s bytes (max %s); %s", what, comma(len(text)), comma(w.limits.WriteBytes), hint)
}

func parseWriteLine(line string) (in writeFields, err error) {
	options, rest, err := cutOptions(line, "nonewline", "eol")
	if err != nil {
		return in, err
	}
	in.EOL = options["eol"]
	if in.NoNewline, err = flagOption(options, "nonewline"); err != nil {
		return in, err
	}
	in.Path, err = onePath(rest)
	return in, err
}

// flagOption reads an option that is either 1 or 0; absent is 0.
func flagOption(options map[string]string, name string) (bool, error) {
	switch value, given := options[name]; {
	case !given, value == "0":
		return false, nil
	case value == "1":
		return true, nil
	default:
		return false, fmt.Errorf("bad %s %s; use %s=1", name, shortQuote(value), name)
	}
}

// onePath takes the path of a line that holds nothing else, plain or as a Go
// string.
func onePath(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	p, rest, err := cutQuoted(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected text after the path: %s", shortQuote(rest))
	}
	return p, err
}

// cutBody reads the first line of input, with words or, if it begins a JSON
// object, into fields, and returns the body under it, or nil if there is none.
// The object may be longer than a line; blank lines under it are no body.
func cutBody(input string, fields any, names string, words func(line string) error) (body *string, err error) {
	head, rest, more := strings.Cut(input, "\n")
	object := strings.TrimLeft(input, " \t")
	if !isJSON(input) {
		err = words(strings.TrimSpace(head))
	} else {
		head, rest, more = cutObject(object)
		err = decodeFields(head, fields, names)
		more = more && !isBlank(rest)
	}
	if more {
		body = &rest
	}
	return body, err
}

// isJSON reports whether the input of a tool that takes a path begins with a
// JSON object.
func isJSON(input string) bool { return strings.HasPrefix(strings.TrimLeft(input, " \t"), "{") }

// missing returns the error about something that input lacks, with a hint for
// words or the names of the fields.
func missing(input, what, hint, fields string) error {
	if isJSON(input) {
		hint = "fields: " + fields
	}
	return errors.New(what + "; " + hint)
}

// cutObject cuts text behind the line in which the JSON object at its start
// ends.
func cutObject(text string) (object, rest string, more bool) {
	d := json.NewDecoder(strings.NewReader(text))
	if d.Decode(new(json.RawMessage)) != nil {
		return text, "", false
	}
	size := int(d.InputOffset())
	line, rest, more := strings.Cut(text[size:], "\n")
	return text[:size] + line, rest, more
}
