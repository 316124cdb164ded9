package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

// errNoScript says what this version can do instead of asking a model.
var errNoScript = errors.New(`this version plays scripts only and cannot ask a model; there are three ways on:
actdone demo                     a run to look at
actdone run --script FILE TASK   replies that you write (see "actdone run --help")
the library                      react.Loop with an llm.Asker of yours (see examples/hello)`)

const runLong = `Run plays a script on a folder: the loop and the tools are real, the replies come
from the file, in order. It prints the answer; the steps go to standard error.

A script is a text archive (txtar): a comment, then sections.

    -- task --
    How many Go files are here?
    -- reply --
    I will look.
    ACT: list .
    -- reply --
    DONE: two
    -- answer --
    two

  reply   what the model says to the next ask; at least one
  task    what is asked if the command line has no TASK
  answer  the answer that the run must end with
  file P  a file the script was written for; run never writes it

A script with file sections was written for a folder of its own, so run refuses
it unless -C says which folder it is to work in, and takes that as it is.

The tools may read. With --allow exec there is bash as well: its commands run as
you, unconfined.

The first Ctrl-C ends the run with the steps so far, the second at once. The
exit status is 0 if there is an answer, the one the script wants, and no reply is
left over; 1 if not; 2 if nothing was run.`

// A runCommand is what the flags of run say.
type runCommand struct {
	work     work
	script   string
	maxSteps int
	retries  int
	asJSON   bool
}

func newRun() *cobra.Command {
	var c runCommand
	cmd := &cobra.Command{
		Use:   "run --script FILE [TASK]",
		Short: "Play a script on a folder",
		Long:  runLong,
		Args:  oneTask,
		RunE:  c.run,
	}
	c.work.flags(cmd)
	cmd.Flags().StringVar(&c.script, "script", "", "the script `file`; - is standard input")
	cmd.Flags().IntVar(&c.maxSteps, "max-steps", 15, "how often the model is asked at most")
	cmd.Flags().IntVar(&c.retries, "retries", 2, "how many replies in a row may have no move")
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print each step and the result as a line of JSON, and nothing else, on standard output")
	return cmd
}

func (c *runCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.check(cmd); err != nil {
		return err
	}
	data, err := readInput(c.script, cmd.InOrStdin())
	if err != nil {
		return err
	}
	s, err := script.Parse(inputName(c.script), data)
	if err != nil {
		return err
	}
	task, err := taskOf(args, s)
	if err != nil {
		return err
	}
	if len(s.Files) > 0 && !cmd.Flags().Changed("dir") {
		return fmt.Errorf("%s: the script was written for files of its own, which run does not write; name the folder it is to work in with -C",
			s.At(s.Files[0].Line))
	}
	return c.play(cmd, s, task)
}

// check reports flags that make no sense.
func (c *runCommand) check(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("script"):
		return errNoScript
	case c.maxSteps < 1:
		return fmt.Errorf("--max-steps %d: want 1 or more", c.maxSteps)
	case c.retries < 0:
		return fmt.Errorf("--retries %d: want 0 or more", c.retries)
	}
	return nil
}

// taskOf returns the task of the command line, or that of the script.
func taskOf(args []string, s *script.Script) (string, error) {
	task := s.Task
	if len(args) > 0 {
		task = args[0]
	}
	if strings.TrimSpace(task) == "" {
		return "", errors.New("no task: write it behind the flags, in quotes, or in a task section of the script")
	}
	return task, nil
}

func (c *runCommand) play(cmd *cobra.Command, s *script.Script, task string) error {
	folder, err := c.work.open()
	if err != nil {
		return err
	}
	defer folder.Close()
	c.warn(cmd.ErrOrStderr(), s)
	p := play{
		script:   s,
		task:     task,
		tools:    folder.Tools(),
		maxSteps: c.maxSteps,
		retries:  c.retries,
		asJSON:   c.asJSON,
		stdout:   cmd.OutOrStdout(),
		stderr:   cmd.ErrOrStderr(),
	}
	return p.run(cmd.Context())
}

// warn says before a run what the user should know about it.
func (c *runCommand) warn(stderr io.Writer, s *script.Script) {
	if len(s.Files) > 0 {
		say(stderr, "note: the script's own files (%s) are not written; the tools work in %s as it is", s.At(s.Files[0].Line), c.work.dir)
	}
	if exec, _ := c.work.exec(); exec {
		say(stderr, "warning: commands run as you, unconfined: they can read, change and send whatever you can")
	}
}
