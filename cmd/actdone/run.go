package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

const runLong = `Run asks a model to do a task in a folder, with tools. It prints the answer; the
steps go to standard error.

The model is one behind an OpenAI-compatible API, hosted or on your machine:

    export OPENAI_API_KEY=...
    actdone run --model gpt-5-mini "Why does the build fail?"
    actdone run --base-url http://127.0.0.1:11434/v1 --model qwen3 "..."

OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL are used where no flag says
otherwise; docs/MODELS.md has the settings of common servers. What the tools
read is sent to that server.

The tools may read. With --allow exec there is bash as well: its commands run as
you, unconfined.

The first Ctrl-C ends the run with the steps so far, the second at once. The
exit status is 0 if there is an answer, 1 if not, 2 if nothing was run.

With --script the replies come from a file, in order, instead of a model.
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
it unless -C says which folder it is to work in, and takes that as it is. The
exit status of a script is 0 only if the answer is the one it wants and no reply
is left over.`

// A runCommand is what the flags of run say.
type runCommand struct {
	work      work
	choice    choice
	dialect   dialect
	script    string
	maxSteps  int
	retries   int
	timeout   time.Duration
	earlyStop bool
	asJSON    bool

	local []string // base URLs where a server may listen that nobody named
}

func newRun() *cobra.Command {
	c := runCommand{local: localServers}
	cmd := &cobra.Command{
		Use:   "run [--model NAME] [--script FILE] [TASK]",
		Short: "Ask a model, or play a script, on a folder",
		Long:  runLong,
		Args:  oneTask,
		RunE:  c.run,
	}
	c.work.flags(cmd)
	c.choice.flags(cmd)
	c.dialect.flags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&c.earlyStop, "early-stop", false, "end a reply as soon as it holds a move; not for models that write their reasoning into the reply")
	flags.StringVar(&c.script, "script", "", "play a script `file` instead; - is standard input")
	flags.IntVar(&c.maxSteps, "max-steps", 15, "how often the model is asked at most")
	flags.IntVar(&c.retries, "retries", 2, "how many replies in a row may have no move")
	flags.DurationVar(&c.timeout, "timeout", 0, "how long the run may take, such as 90s or 10m (default no limit)")
	flags.BoolVar(&c.asJSON, "json", false, "print each step and the result as a line of JSON, and nothing else, on standard output")
	return cmd
}

func (c *runCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.check(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("script") {
		return c.runScript(cmd, args)
	}
	return c.runModel(cmd, args)
}

// check reports flags that make no sense.
func (c *runCommand) check(cmd *cobra.Command) error {
	switch {
	case c.maxSteps < 1:
		return fmt.Errorf("--max-steps %d: want 1 or more", c.maxSteps)
	case c.retries < 0:
		return fmt.Errorf("--retries %d: want 0 or more", c.retries)
	case c.timeout < 0:
		return fmt.Errorf("--timeout %v: want a time, or 0 for no limit", c.timeout)
	case !cmd.Flags().Changed("script"):
		return nil
	}
	for _, name := range modelFlags {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--script plays a script, --%s is about a model: give one of them", name)
		}
	}
	return nil
}

// runScript plays a script.
func (c *runCommand) runScript(cmd *cobra.Command, args []string) error {
	data, err := readInput(c.script, cmd.InOrStdin())
	if err != nil {
		return err
	}
	s, err := script.Parse(inputName(c.script), data)
	if err != nil {
		return err
	}
	task, err := taskOf(args, s.Task)
	if err != nil {
		return err
	}
	note := ""
	if len(s.Files) > 0 {
		at := s.At(s.Files[0].Line)
		if !cmd.Flags().Changed("dir") {
			return fmt.Errorf("%s: the script was written for files of its own, which run does not write; name the folder it is to work in with -C", at)
		}
		note = fmt.Sprintf("note: the script's own files (%s) are not written; the tools work in %s as it is", at, c.work.dir)
	}
	return c.play(cmd, scripted(s, task), note)
}

// runModel asks a model.
func (c *runCommand) runModel(cmd *cobra.Command, args []string) error {
	client, err := c.choice.client(cmd)
	if missing, ok := errors.AsType[*noModelError](err); ok {
		missing.command = again(cmd, args)
		missing.found = c.look(cmd.Context())
	}
	if err != nil {
		return err
	}
	task, err := taskOf(args, "")
	if err != nil {
		return err
	}
	return c.play(cmd, play{
		task:  task,
		loop:  react.Loop{LLM: client, EarlyStop: c.earlyStop},
		judge: c.choice.judge,
		meter: &meter{},
	}, "")
}

// look looks for servers that could be asked: the one that was named without a
// model, and those on this machine.
func (c *runCommand) look(ctx context.Context) []localServer {
	addresses := c.local
	if c.choice.named() {
		addresses = append([]string{c.choice.base}, addresses...)
	}
	return probe(ctx, addresses)
}

// taskOf returns the task of the command line, or that of the script.
func taskOf(args []string, task string) (string, error) {
	if len(args) > 0 {
		task = args[0]
	}
	if strings.TrimSpace(task) == "" {
		return "", errors.New("no task: write it behind the flags, in quotes, or in a task section of the script")
	}
	return task, nil
}

// play plays p, whose model, task and judge are set, on the folder. The note is
// for the user.
func (c *runCommand) play(cmd *cobra.Command, p play, note string) error {
	var err error
	if p.loop.Protocol, err = c.dialect.protocol(); err != nil {
		return err
	}
	folder, err := c.work.open()
	if err != nil {
		return err
	}
	defer folder.Close()
	p.stdout, p.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if note != "" {
		say(p.stderr, "%s", note)
	}
	c.warn(p.stderr)
	p.loop.Tools, p.loop.MaxSteps, p.loop.Retries = folder.Tools(), c.maxSteps, c.retries
	p.timeout, p.asJSON = c.timeout, c.asJSON
	return p.run(cmd.Context())
}

// warn says before a run what bash may do.
func (c *runCommand) warn(stderr io.Writer) {
	if exec, _ := c.work.exec(); exec {
		say(stderr, "warning: commands run as you, unconfined: they can read, change and send whatever you can")
	}
}
