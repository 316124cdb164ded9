// Command actdone shows the loop of package react at work on a folder: it asks a
// model behind an OpenAI-compatible API, or plays a script in its place.
//
//	actdone demo                       a run to look at, without any set-up
//	actdone run --model NAME TASK      a model of yours, on your folder
//	actdone run --script FILE TASK     a script of yours in its place
//	actdone chat --model NAME          one question after another
//	actdone parse [FILE]               the move in a reply, as JSON
//	actdone tools                      the built-in tools
//	actdone prompt TASK                what a model is sent first
//	actdone script check FILE          scripts: check, fmt, show, stale, serve
//
// The answer goes to standard output, all else to standard error. The exit
// status is 0 for an answer, 1 if a run failed, 2 for wrong use, where nothing
// was run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	log.SetOutput(io.Discard) // net/http writes what servers send
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole command. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	strictHelp(root)
	err := root.ExecuteContext(ctx)
	if failed, ok := errors.AsType[*failure](err); ok {
		for _, err := range failed.errs {
			say(stderr, "%v", err)
		}
		return 1
	}
	if err != nil {
		say(stderr, "%v", err)
		return 2
	}
	return 0
}

// A failure is what went wrong with a run, as opposed to the use of the
// command. Each of its errors is told in a line.
type failure struct{ errs []error }

func (f *failure) Error() string { return errors.Join(f.errs...).Error() }

// fail returns nil if all errs are nil, else a failure.
func fail(errs ...error) error {
	var f failure
	for _, err := range errs {
		if err != nil {
			f.errs = append(f.errs, err)
		}
	}
	if len(f.errs) == 0 {
		return nil
	}
	return &f
}

// alsoFailed adds err, if there is one, to what went wrong with a run.
func alsoFailed(failed, err error) error {
	if f, ok := failed.(*failure); ok {
		return fail(append(f.errs, err)...)
	}
	return fail(failed, err)
}

// say prints a message for the user. Lines after the first are indented.
func say(stderr io.Writer, format string, args ...any) {
	text := visible(strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	fmt.Fprintf(stderr, "actdone: %s\n", strings.ReplaceAll(text, "\n", "\n  "))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "actdone",
		Short: "Agents that act through plain text",
		Long: `actdone shows how an agent works: ask the model, read one move (ACT: or DONE:),
run the tool, show the observation, ask again.

    actdone demo                     a run to look at
    actdone run --model NAME TASK    a model of yours at work on this folder
    actdone chat --model NAME        the same, one question after another

Start with "actdone demo". It needs no set-up. The model of "actdone run" is any
behind an OpenAI-compatible API, hosted or on your machine; where it is and what
its key is, OPENAI_BASE_URL and OPENAI_API_KEY say.`,
		Version: version(),
		Args:    noCommand,
		RunE: func(*cobra.Command, []string) error {
			return errors.New(`say what to do: start with "actdone demo", or see "actdone --help"`)
		},
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newDemo(), newRun(), newChat(), newParse(), newTools(), newPrompt(), newScript())
	return root
}

// version returns the version of the module, as the go command has recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
