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

func newTools() *cobra.Command {
	return &cobra.Command{
		Use:   "tools",
		Short: "Show the built-in tools",
		Long: `Tools shows the built-in tools, the input that each takes, and what it does.
All of them work in one folder (run -C) and cannot reach files outside it, bash
excepted, which is there only with --allow exec.`,
		Args: noArgs,
		RunE: showTools,
	}
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
		needs := ""
		if t.Name == "bash" {
			needs = "; needs --allow exec"
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s (%s%s)\n    %s\n", t.Name, takes[t.Lines], needs, t.Usage); err != nil {
			return fail(err)
		}
	}
	return nil
}
