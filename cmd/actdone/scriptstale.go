package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

func newScriptStale() *cobra.Command {
	return &cobra.Command{
		Use:   "stale FILE...",
		Short: "List replies that were recorded for another prompt",
		Long: `Stale lists the replies of scripts that were recorded for another prompt than they
answer now, by the hash that the recorder has left (of=). For example:

    $ actdone script stale testdata
    testdata/count.txtar:21: recorded 2026-11-29 for another prompt
    actdone: 1 stale reply

It goes by the prompts that stand in the script (prompt and added sections) and
runs nothing. How many replies have no such prompt before them is told; whether
those are stale, "actdone run --script" says. The exit status is 1 if a reply is
stale.`,
		Args: someFiles,
		RunE: stale,
	}
}

func stale(cmd *cobra.Command, args []string) error {
	found, unknown := 0, 0
	err := forScripts(cmd, args, func(_ *scriptFile, s *script.Script) error {
		on := recordedOn(s)
		unknown += promptless(s)
		for _, at := range s.Stale() {
			found++
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: recorded%s for another prompt\n", at, on[at]); err != nil {
				return err
			}
		}
		return nil
	})
	if unknown > 0 {
		say(cmd.ErrOrStderr(), "note: of %s the prompt does not stand in the script; playing it tells whether they are stale", counted(unknown, "recorded reply", "recorded replies"))
	}
	if found > 0 {
		err = alsoFailed(err, fmt.Errorf("%s", counted(found, "stale reply", "stale replies")))
	}
	return err
}

// recordedOn returns the dates of recorded replies by their places, each behind a
// blank.
func recordedOn(s *script.Script) map[string]string {
	on := map[string]string{}
	for _, lane := range s.Lanes {
		for _, step := range lane.Steps {
			if step.On != "" {
				on[s.At(step.Line())] = " " + step.On
			}
		}
	}
	return on
}

// promptless returns how many recorded replies answer a prompt that does not stand
// in the script.
func promptless(s *script.Script) int {
	n := 0
	for _, lane := range s.Lanes {
		known := false
		for _, step := range lane.Steps {
			known = step.Prompt.Line > 0 || known && step.Added.Line > 0
			if !known && step.HashOf != "" {
				n++
			}
		}
	}
	return n
}

// counted puts a number before a noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
