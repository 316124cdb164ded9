package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

const scriptLong = `Script works on script files: conversations with a model written down, which
"actdone run --script" and tests play in the model's place. For example:

    actdone run --record count.txtar "How many Go files are here?"
    actdone script show count.txtar
    actdone script check .

A FILE may be a folder: then it is all of its .txtar files, those in folders
below included. A file that a folder holds and that has no reply, call or fault is
taken for something else than a script.

"go doc github.com/actdone/actdone/llm/script" has the format.`

func newScript() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "script",
		Short: "Check, format, show and serve script files",
		Long:  scriptLong,
		Args:  noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf(`say what to do with scripts; see "%s --help"`, cmd.CommandPath())
		},
		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newScriptCheck(), newScriptFmt(), newScriptShow(), newScriptStale(), newScriptServe())
	return cmd
}

// someFiles reports that there is no file among the arguments.
func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("which file or folder? for example: %s testdata", cmd.CommandPath())
	}
	return nil
}

// A scriptFile is a file that is a script, or was found where scripts are.
type scriptFile struct {
	name  string
	data  []byte
	other bool // found in a folder, and not a script
}

// scriptFiles reads the files that are named, and those of the folders. The
// errors are about what could not be read.
func scriptFiles(cmd *cobra.Command, args []string) (files []scriptFile, errs []error) {
	add := func(name string, found bool) {
		data, err := readInput(name, cmd.InOrStdin())
		if err != nil {
			errs = append(errs, err)
			return
		}
		files = append(files, scriptFile{inputName(name), data, found && !looksScripted(data)})
	}
	for _, arg := range args {
		if info, err := os.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
			add(arg, false)
			continue
		}
		n := len(files) + len(errs)
		errs = append(errs, eachScript(arg, func(name string) { add(name, true) })...)
		if len(files)+len(errs) == n {
			errs = append(errs, fmt.Errorf("%s: the folder holds no .txtar file", arg))
		}
	}
	return files, errs
}

// eachScript calls f with each .txtar file in a folder. Folders whose names begin
// with a dot, and those of npm, are passed over. The errors are about folders that
// could not be read.
func eachScript(dir string, f func(name string)) (errs []error) {
	filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			errs = append(errs, err)
		case entry.IsDir() && name != dir && (entry.Name()[0] == '.' || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.Type().IsRegular() && filepath.Ext(name) == ".txtar":
			f(name)
		}
		return nil
	})
	return errs
}

// looksScripted reports whether there is a marker in data of what every script
// has.
func looksScripted(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "--" && words[len(words)-1] == "--" {
			switch words[1] {
			case "reply", "call", "fault":
				return true
			}
		}
	}
	return false
}

// parsed returns the script in the file. The error shows no secrets.
func (f *scriptFile) parsed() (*script.Script, error) {
	s, err := script.Parse(f.name, f.data)
	return s, scrubbed(err)
}

// scrubbed returns err without the secrets in its text.
func scrubbed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(script.Environ().Scrub(err.Error()))
}

// forScripts calls f with each script that the arguments name. It goes on after an
// error and returns all of them as a failure.
func forScripts(cmd *cobra.Command, args []string, f func(*scriptFile, *script.Script) error) error {
	files, errs := scriptFiles(cmd, args)
	for _, file := range files {
		if file.other {
			continue
		}
		s, err := file.parsed()
		if err == nil {
			err = f(&file, s)
		}
		errs = append(errs, err)
	}
	return fail(errs...)
}
