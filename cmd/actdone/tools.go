package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// takes says what a tool takes, in the words of the prompt.
var takes = map[tools.Lines]string{
	tools.One:   "one line",
	tools.Block: "one line, or a fence",
	tools.Body:  "first line, then a fence",
}

// needs says which tools are not there for the asking.
var needs = map[string]workspace.Kind{
	"bash":       workspace.Exec,
	"write_file": workspace.Write,
	"edit_file":  workspace.Write,
}

func newTools() *cobra.Command {
	isolation := false
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Show the built-in tools",
		Long: `Tools shows the built-in tools, the input that each takes, and what it does.
All of them work in one folder (run -C). They cannot reach files outside it; how
far that is true of bash, --isolation tells. Those that need --allow are asked
about on a terminal without it.

With --isolation the exit status is 1 if commands cannot be isolated here.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if isolation && len(args) > 0 {
				return errNoName
			}
			return noArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if isolation {
				return showIsolation(cmd.OutOrStdout())
			}
			return showTools(cmd, args)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok && bad.GetFlag().Name == "isolation" {
			return errNoName
		}
		return flagError(cmd, err)
	})
	cmd.Flags().BoolVar(&isolation, "isolation", false, "say instead what keeps the commands of bash from the rest of this machine")
	return cmd
}

var errNoName = errors.New(`"actdone tools --isolation" takes no name: it tells of each; "actdone run --isolation NAME" chooses one`)

func showTools(cmd *cobra.Command, _ []string) error {
	folder, err := openFolder(".", true)
	if err != nil {
		say(cmd.ErrOrStderr(), "without bash: %v", err)
		if folder, err = openFolder(".", false); err != nil {
			return fail(err)
		}
	}
	defer folder.Close()
	for _, t := range folder.Tools() {
		need := ""
		if kind, ok := needs[t.Name]; ok {
			need = "; needs --allow " + string(kind)
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s (%s%s)\n    %s\n", t.Name, takes[t.Lines], need, t.Usage); err != nil {
			return fail(err)
		}
	}
	return nil
}
