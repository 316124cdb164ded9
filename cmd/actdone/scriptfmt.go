package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

// A formatting is what the flags of script fmt say.
type formatting struct {
	check, diff bool
	stdout      io.Writer
}

func newScriptFmt() *cobra.Command {
	var f formatting
	cmd := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Give scripts their canonical form",
		Long: `Fmt gives scripts their canonical form, in place: options in a fixed order, checks
written alike, one blank line behind the comment. Replies, tasks and files stay
byte for byte. It prints the names of the files that it changes; "-" is standard
input, of which it prints the form. For example:

    actdone script fmt testdata
    actdone script fmt --check testdata

With --check or --diff nothing is written, and the exit status is 1 if a file is
not in that form.`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.stdout = cmd.OutOrStdout()
			return forScripts(cmd, args, func(file *scriptFile, _ *script.Script) error { return f.format(file) })
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "only print the names of files that are not in that form")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "only print what would change")
	return cmd
}

// format formats a file, or says what would come of it.
func (f *formatting) format(file *scriptFile) error {
	formatted, err := script.Format(file.name, file.data)
	if err != nil {
		return scrubbed(err) // unreachable: the file has been parsed
	}
	input := file.name == inputName("-")
	same := bytes.Equal(formatted, file.data)
	switch {
	case same && (f.check || f.diff || !input):
		return nil
	case f.diff:
		_, err = f.stdout.Write(diff.Diff(file.name, file.data, file.name+" (formatted)", formatted))
		return errors.Join(err, notCanonical(file.name))
	case !f.check && input:
		_, err = f.stdout.Write(formatted)
		return err
	}
	_, err = fmt.Fprintln(f.stdout, file.name)
	switch {
	case err != nil:
		return err
	case f.check:
		return notCanonical(file.name)
	}
	return replaceFile(file.name, formatted)
}

func notCanonical(name string) error {
	return fmt.Errorf("%s is not in canonical form; to mend it: actdone script fmt %s", name, quoted(name))
}

// replaceFile writes a file that is there anew, all or nothing.
func replaceFile(name string, data []byte) error {
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(info.Mode().Perm()), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}
