package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/tools"
)

// takes says what a tool takes, in the words of the prompt.
var takes = map[tools.Lines]string{
	tools.One:   "one line",
	tools.Block: "one line, or a fence",
	tools.Body:  "first line, then a fence",
}

// needs says which tools are not there for the asking.
var needs = map[string]string{
	"bash":       "; needs --allow exec",
	"write_file": "; needs --allow write",
	"edit_file":  "; needs --allow write",
}

func newTools() *cobra.Command {
	isolation := false
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Show the built-in tools",
		Long: `Tools shows the built-in tools, the input that each takes, and what it does.
All of them work in one folder (run -C). They cannot reach files outside it; how
far that is true of bash, --isolation tells. Those that need --allow are asked
about on a terminal without it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isolation {
				return showIsolation(cmd.OutOrStdout())
			}
			return showTools(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&isolation, "isolation", false, "say instead what keeps the commands of bash from the rest of this machine")
	return cmd
}

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
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s (%s%s)\n    %s\n", t.Name, takes[t.Lines], needs[t.Name], t.Usage); err != nil {
			return fail(err)
		}
	}
	return nil
}
