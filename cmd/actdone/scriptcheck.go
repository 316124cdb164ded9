package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

func newScriptCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Find mistakes and secrets in scripts",
		Long: `Check reads scripts and tells the first mistake of each, with its line. It also
looks for what has the form of a key or token, and for the values of environment
variables named like one, in all .txtar files of a folder. For example:

    $ actdone script check testdata
    actdone: testdata/count.txtar:14: checks with no reply after them; write the reply, call or fault that they are for
    actdone: testdata/login.txtar:9:13: this looks like a secret (GitHub token); take it out

The exit status is 0 if there is nothing to tell, 1 if there is.`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, errs := scriptFiles(cmd, args)
			for _, f := range files {
				errs = append(errs, f.check()...)
			}
			for _, f := range files {
				if f.other {
					say(cmd.ErrOrStderr(), "note: %s has no replies: it is no script, and was looked through for secrets only", f.name)
				}
			}
			return fail(errs...)
		},
	}
}

// check returns what is wrong with the file.
func (f *scriptFile) check() []error {
	var errs []error
	if !f.other {
		if _, err := f.parsed(); err != nil {
			errs = append(errs, err)
		}
	}
	for _, leak := range script.Environ().Find(string(f.data)) {
		errs = append(errs, fmt.Errorf("%s:%d:%d: this looks like a secret (%s); take it out", f.name, leak.Line, leak.Column, leak.Kind))
	}
	return errs
}
