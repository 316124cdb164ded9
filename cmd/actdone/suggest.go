package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/actdone/actdone/tools/workspace"
)

// noCommand reports arguments of the root command: a command that does not
// exist.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf(`unknown command %q%s; see "%s --help"`, args[0], didYouMean(cmd.SuggestionsFor(args[0])), cmd.CommandPath())
}

// strictHelp makes the commands that cobra adds refuse what they do not know;
// left alone they print a help text and succeed.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				return noCommand(found, rest)
			}
		case "completion":
			cmd.Args = noCommand
			cmd.RunE = func(*cobra.Command, []string) error {
				return errors.New(`which shell? see "actdone completion --help"`)
			}
		}
	}
}

// oneTask takes at most one argument, the task.
func oneTask(cmd *cobra.Command, args []string) error {
	if err := strayKind(cmd, args); err != nil {
		return err
	}
	if len(args) > 1 {
		return fmt.Errorf(`%d arguments, want one; put the task in quotes: %s "%s"`, len(args), cmd.CommandPath(), strings.Join(args, " "))
	}
	return nil
}

// noArgs reports arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if err := strayKind(cmd, args); err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf(`%q takes no arguments, got %q`, cmd.CommandPath(), args[0])
	}
	return nil
}

// strayKind reports a word that was meant for the list of --allow.
func strayKind(cmd *cobra.Command, args []string) error {
	allow := cmd.Flags().Lookup("allow")
	if allow == nil || !allow.Changed || len(args) == 0 || len(args) > 2 || !kinds[workspace.Kind(args[0])] {
		return nil
	}
	list := strings.Trim(allow.Value.String(), "[]")
	return fmt.Errorf("%q stands apart from the list of --allow and would be the task; the list has commas: --allow %s,%s", args[0], list, args[0])
}

// flagError adds to an error of the flag parser what the user may have meant.
func flagError(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok && bad.GetFlag().Value.Type() == "duration" {
		return fmt.Errorf("--%s %q: want a duration such as 90s or 10m", bad.GetFlag().Name, bad.GetValue())
	}
	hint := fmt.Sprintf(`; see "%s --help"`, cmd.CommandPath())
	var unknown interface{ GetSpecifiedName() string }
	if errors.As(err, &unknown) && strings.HasPrefix(err.Error(), "unknown") {
		hint = didYouMean(similarFlags(cmd, unknown.GetSpecifiedName())) + hint
	}
	return fmt.Errorf("%w%s", err, hint)
}

// similarFlags returns the flags of cmd with a name like the given one, by the
// measure that cobra has for commands.
func similarFlags(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	for word := range strings.FieldsSeq(cmd.Flags().FlagUsages()) {
		if flag, ok := strings.CutPrefix(word, "--"); ok {
			names.AddCommand(&cobra.Command{Use: flag, Run: func(*cobra.Command, []string) {}})
		}
	}
	found := names.SuggestionsFor(name)
	for i := range found {
		found[i] = "--" + found[i]
	}
	return found
}

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, " or ") + "?"
}
