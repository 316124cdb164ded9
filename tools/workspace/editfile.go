package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/actdone/actdone/tools"
)

func (w *Workspace) editFileTool() tools.Tool {
	return tools.Tool{
		Name: "edit_file",
		Usage: "[all] PATH, then one or more edit blocks: a line <<<<<<< SEARCH, whole lines as they are in the file, " +
			"a line =======, the lines to put in their place, a line >>>>>>> REPLACE; " +
			"the lines must be in the file once, unless all is given",
		Lines:  tools.Body,
		Schema: schemaOf[editFields](),
		Call:   w.editFile,
	}
}

// editFile replaces lines of a file, with all the blocks of the call or none.
func (w *Workspace) editFile(ctx context.Context, input string) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	in, blocks, err := w.parseEditFile(input)
	if err != nil {
		return "", unchanged(err)
	}
	t, err := w.aimAtText(in.Path)
	if err != nil {
		return "", unchanged(err)
	}
	mark, text := cutMark(t.old)
	e := edit{asked: t.asked, limit: w.limits.EditBytes - len(mark), hidden: w.secrets, all: in.All, text: text, withBash: w.withBash}
	if err := e.apply(ctx, blocks); err != nil {
		return "", unchanged(err)
	}
	data := append(bytes.Clone(mark), e.text...)
	if bytes.Equal(data, t.old) {
		return "", unchanged(errors.New("the blocks together change nothing"))
	}
	if err := w.secrets.refuseMark(t.asked, t.old, data); err != nil {
		return "", unchanged(err)
	}
	stale := w.memory.differs(t)
	if err := w.approve(ctx, t.request("edit_file", data)); err != nil {
		return "", err
	}
	if err := w.save(ctx, t, data); err != nil {
		return "", err
	}
	return e.report(len(blocks), stale, w.limits), nil
}

// unchanged adds to an error what the model must know besides.
func unchanged(err error) error { return fmt.Errorf("%w; nothing was changed", err) }

// aimAtText finds a file whose text is to be changed.
func (w *Workspace) aimAtText(asked string) (*target, error) {
	t, err := w.aim(asked)
	switch {
	case err != nil:
		return nil, err
	case !t.exists:
		return nil, w.explain(asked, t.rel, fs.ErrNotExist)
	case len(t.old) > w.limits.EditBytes:
		return nil, w.tooLarge(t, int64(len(t.old)), w.limits.EditBytes)
	case looksUTF16(t.old[:min(len(t.old), sniffed)]):
		return nil, w.utf16(asked)
	}
	return t, nil
}

// cutMark cuts the byte order mark from the start of text.
func cutMark(text []byte) (mark, rest []byte) {
	rest = bytes.TrimPrefix(text, byteOrderMark)
	return text[:len(text)-len(rest)], rest
}

// editNames are the fields of editFields.
const editNames = "path, search, replace, all"

// editFields is what edit_file takes as a JSON object.
type editFields struct {
	Path    string `json:"path" jsonschema:"the file, relative to the workspace"`
	Search  string `json:"search" jsonschema:"whole lines as they are in the file"`
	Replace string `json:"replace" jsonschema:"the lines to put in their place; empty to remove them"`
	All     bool   `json:"all,omitempty" jsonschema:"replace the lines wherever they are, not only where they are once"`
}

// parseEditFile reads "[all] path" and under it edit blocks, or a JSON object
// with one block in it or blocks under it.
func (w *Workspace) parseEditFile(input string) (editFields, []block, error) {
	var in struct {
		editFields
		Search  *string `json:"search"`
		Replace *string `json:"replace"`
	}
	err := w.checkSize("the edit", input)
	if err != nil {
		return in.editFields, nil, err
	}
	body, err := cutBody(input, &in, editNames, func(line string) (err error) {
		in.editFields, err = parseEditLine(line)
		return err
	})
	given := in.Search != nil || in.Replace != nil
	switch {
	case err != nil:
	case in.Path == "":
		err = missing(input, "no path", "use edit_file PATH with edit blocks in a fence under it", editNames)
	case given && body != nil:
		err = errors.New("there are search or replace and a fence; give one of them")
	case given && (in.Search == nil || in.Replace == nil):
		err = errors.New("search and replace belong together; an empty replace removes the lines")
	case given:
		return in.editFields, []block{newBlock(linesOf(*in.Search), linesOf(*in.Replace))}, nil
	case body == nil && isJSON(input):
		err = errors.New("no search and replace; fields: " + editNames)
	case body == nil:
		err = errNoBlock
	}
	if err != nil {
		return in.editFields, nil, err
	}
	blocks, err := parseBlocks(*body)
	return in.editFields, blocks, err
}

func parseEditLine(line string) (in editFields, err error) {
	options, rest, err := cutOptions(line, "all")
	if err != nil {
		return in, err
	}
	if in.All, err = flagOption(options, "all"); err != nil {
		return in, err
	}
	if word, after, more := strings.Cut(rest, " "); more && word == "all" {
		in.All, rest = true, strings.TrimSpace(after)
	}
	in.Path, err = onePath(rest)
	return in, err
}
