package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/actdone/actdone/tools"
)

func (w *Workspace) writeFileTool() tools.Tool {
	return tools.Tool{
		Name: "write_file",
		Usage: "[nonewline=1] [eol=lf|crlf] PATH, then the whole text of the file: create it, or replace it if " +
			"it was read before; the file ends with a newline unless nonewline=1 is given",
		Lines:  tools.Body,
		Schema: schemaOf[writeFields](),
		Call:   w.writeFile,
	}
}

// writeFile creates a file or replaces one that the agent has read from, or
// written, as it is.
func (w *Workspace) writeFile(ctx context.Context, input string) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	in, err := w.parseWriteFile(input)
	if err != nil {
		return "", err
	}
	t, err := w.aim(in.Path)
	if err != nil {
		return "", err
	}
	data := dressed([]byte(in.Content), t.old, in.EOL)
	if t.exists && bytes.Equal(data, t.old) {
		w.memory.note(t.rel, sha256.Sum256(data))
		return "unchanged " + quotePath(t.asked), nil
	}
	if t.exists && !w.memory.knows(t) {
		return "", fmt.Errorf("%s exists and was not read (or changed since); read_file it, then write or edit", quotePath(t.asked))
	}
	if err := w.secrets.refuseMark(t.asked, t.old, data); err != nil {
		return "", err
	}
	if err := w.approve(ctx, t.request("write_file", data)); err != nil {
		return "", err
	}
	if err := w.save(ctx, t, data); err != nil {
		return "", err
	}
	return t.written(data), nil
}

// mayWrite returns the error of every write where nobody can allow any.
func (w *Workspace) mayWrite() error {
	if _, none := w.approver.(noApprover); none {
		//lint:ignore ST1005 the colon belongs to DONE:
		return errors.New("writing needs approval and none is configured; use read_file, list, grep, or answer with DONE:")
	}
	return w.present()
}

func (t *target) written(data []byte) string {
	name := quotePath(t.asked)
	if t.exists {
		return fmt.Sprintf("wrote %s (replaced, was %s)", name, count(lineCount(t.old), "line", "lines"))
	}
	return fmt.Sprintf("wrote %s (created, %s, %s)", name,
		count(lineCount(data), "line", "lines"), count(len(data), "byte", "bytes"))
}
