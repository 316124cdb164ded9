package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/react"
)

func newPrompt() *cobra.Command {
	var w work
	var d dialect
	cmd := &cobra.Command{
		Use:   "prompt TASK",
		Short: "Print what a model is sent first",
		Long: `Prompt prints the first prompt of a run, byte for byte, and a newline: the rules,
the tools that a run here would have, an example, the task. Nothing is run or
asked.`,
		Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error { return showPrompt(cmd, w, d, args) },
	}
	w.flags(cmd)
	d.flags(cmd)
	return cmd
}

func showPrompt(cmd *cobra.Command, w work, d dialect, args []string) error {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return errors.New(`no task; for example: actdone prompt "which port does the server use?"`)
	}
	protocol, err := d.protocol()
	if err != nil {
		return err
	}
	user := askable(cmd.InOrStdin(), cmd.ErrOrStderr())
	folder, err := w.open(user) // the tools of a run; none is called
	if err != nil {
		return err
	}
	defer folder.Close()
	run, err := react.Loop{Tools: w.tools(folder, user), Protocol: protocol}.Transcript(args[0])
	if err != nil {
		return fail(err)
	}
	prompt, err := run.Prompt()
	if err != nil {
		return fail(err)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), prompt)
	return fail(err)
}
