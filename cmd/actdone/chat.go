package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/openai"
)

const chatLong = `Chat takes one question after another and has a model work on each in a folder,
with tools. The model is shown all of the session, so a question may be about the
ones before.

    actdone chat --model gpt-5-mini
    actdone chat --native --model gpt-5-mini --save talk.jsonl
    actdone chat --continue talk.jsonl --save talk.jsonl --model gpt-5-mini

Each question is a run: the model, the folder, what the tools may do without
asking you, what commands may read (--read-dir, --network, --env), and the limits
are set as for "actdone run" and hold for each. Each
command of the model is shown after a $, then the beginning of what came of it.
Answers go to standard output, all else to standard error.

  q, exit      leave; so do the end of input and, on a terminal, an empty line
               and Ctrl-C
  Ctrl-C       during a run: stop it and keep the session; a second one ends all
               at once. The same question again goes on where it stopped
  /steps       all steps so far, at more length
  /save FILE   write them to a new file; without FILE, to that of --save
  /tools       what the model can use
  /help        these

On a terminal a question can be edited, and the up key recalls those before. What
is pasted is one question. Elsewhere each line of standard input is a question,
and empty lines are passed over.

--save writes the file after each question, so that only the run under way can be
lost. It has a line of JSON with its kind and version, then one for each step.
--continue goes on from such a file, also one of "actdone run", with or without
--native, whichever wrote it. Neither ever replaces steps by others: --save takes
a new name or the file of --continue.

With --script the replies come from a file; see "actdone help run". The questions
are yours all the same, and what the script has of task, answer and error is not
looked at.

The exit status is 0 if every question got its answer, 1 if not, 2 if nothing was
asked.`

// A chatCommand is what the flags of chat say: those of run.
type chatCommand struct{ runCommand }

func newChat() *cobra.Command {
	c := chatCommand{runCommand{local: localServers}}
	cmd := &cobra.Command{
		Use:   "chat [--model NAME] [--script FILE]",
		Short: "Ask a model one question after another",
		Long:  chatLong,
		Args:  noArgs,
		RunE:  c.run,
	}
	c.flags(cmd)
	return cmd
}

func (c *chatCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.check(cmd); err != nil {
		return err
	}
	s := chat{}
	if err := c.model(cmd, args, &s); err != nil {
		return err
	}
	prior, err := c.saving.begin()
	if err != nil {
		return err
	}
	user := askable(cmd.InOrStdin(), cmd.ErrOrStderr())
	folder, err := c.ready(cmd, &s.play, user, s.note)
	if err != nil {
		return err
	}
	defer folder.Close()
	s.steps, s.folder, s.known = prior, folder, []*stepFile{c.saving.read}
	s.open(user, cmd.InOrStdin(), c.work.dir)
	return s.run(cmd.Context())
}

// model sets who is asked in the session.
func (c *chatCommand) model(cmd *cobra.Command, args []string, s *chat) (err error) {
	if !cmd.Flags().Changed("script") {
		s.play, err = c.asking(cmd, args)
		if client, ok := s.play.loop.LLM.(*openai.Client); ok && client != nil {
			s.model = client.Model
		}
		return err
	}
	if c.script == "-" {
		return errors.New("--script -: standard input is for the questions; name a file")
	}
	script, note, err := c.loadScript(cmd)
	if err != nil {
		return err
	}
	s.note, s.model = note, "the script "+script.Name
	s.play, s.check = scriptedChat(script, c.work.dir)
	return nil
}
