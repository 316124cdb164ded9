package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

const parseLong = `Parse reads the move in a model's reply, from a file or standard input, and
prints it as a JSON object: move ("act", "done" or "refused"), tool and input of
an act, answer, the thought before it, what was dropped; of a reply that is
refused, error and cure.

Tools are matched against the built-in ones (bash, edit_file, glob, grep, list,
read_file, write_file), whatever a run may do. Another tool is read like one
that stores text: first line, then a fence.

The exit status is 0 if there is a move, 1 if the reply is refused, 2 if it
could not be read at all.

With --conformance it runs the cases of a folder instead, for those who write a
parser of their own or cases for one: each line of its .jsonl files holds a
reply, the tools and the move that is to come of it. A line is printed for each
case that fails, then "212 passed, 0 failed"; the exit status is 0 if all passed,
1 if one failed, 2 if the cases could not be read. The format, and the cases of
the protocol: testdata/protocol. The protocol itself: docs/PROTOCOL.md.`

// builtin are the tools that parse knows: those of package workspace.
var builtin = []tools.Tool{
	{Name: "bash", Lines: tools.Block},
	{Name: "edit_file", Lines: tools.Body},
	{Name: "glob"},
	{Name: "grep"},
	{Name: "list"},
	{Name: "read_file"},
	{Name: "write_file", Lines: tools.Body},
}

func newParse() *cobra.Command {
	var cases string
	var d dialect
	cmd := &cobra.Command{
		Use:   "parse [FILE|-]",
		Short: "Read the move in a reply, as JSON",
		Long:  parseLong,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
			}
			if cmd.Flags().Changed("conformance") && cmd.Flags().Changed("protocol") {
				return errors.New("--conformance is about the protocol actdone only")
			}
			if cmd.Flags().Changed("conformance") && len(args) > 0 {
				return fmt.Errorf("--conformance runs the cases of a folder, %q is a reply: give one of them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("conformance") {
				return conformance(cases, cmd.OutOrStdout())
			}
			return parse(cmd, d, args)
		},
	}
	d.flags(cmd)
	cmd.Flags().StringVar(&cases, "conformance", "", "run the cases in the .jsonl files of a `folder`")
	return cmd
}

func parse(cmd *cobra.Command, d dialect, args []string) error {
	protocol, err := d.protocol()
	if err != nil {
		return err
	}
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	if name == "-" && isTerminal(cmd.InOrStdin()) {
		say(cmd.ErrOrStderr(), "reading the reply from the terminal; end it with Ctrl-D")
	}
	reply, err := readInput(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	move, err := protocol.Parse(string(reply), builtin)
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetEscapeHTML(false)
	return fail(err, encoder.Encode(parsedOf(move, err)))
}

// A parsed is what parse prints.
type parsed struct {
	Move    react.Kind `json:"move"`
	Tool    string     `json:"tool,omitempty"`
	Input   *string    `json:"input,omitempty"`  // set for an act
	Answer  *string    `json:"answer,omitempty"` // set for done
	Thought string     `json:"thought,omitempty"`
	Dropped string     `json:"dropped,omitempty"`
	Error   string     `json:"error,omitempty"`
	Cure    string     `json:"cure,omitempty"`
}

func parsedOf(m react.Move, err error) parsed {
	p := parsed{Move: m.Kind, Tool: m.Tool, Thought: m.Thought, Dropped: m.Dropped}
	switch m.Kind {
	case react.Act:
		p.Input = &m.Input
	case react.Done:
		p.Answer = &m.Answer
	default:
		p.Move = "refused"
	}
	if refused, ok := errors.AsType[*react.ProtocolError](err); ok {
		p.Error, p.Cure = refused.Err.Error(), refused.Cure
	}
	return p
}
