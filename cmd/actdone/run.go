package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools/workspace"
)

const runLong = `Run asks a model to do a task in a folder, with tools. It prints the answer; the
steps go to standard error. Of a long output they show the beginning: --json and
--save FILE have the whole, as the model saw it.

The model is one behind an OpenAI-compatible API, hosted or on your machine:

    export OPENAI_API_KEY=...
    actdone run --model gpt-5-mini "Why does the build fail?"
    actdone run --base-url http://127.0.0.1:11434/v1 --model qwen3 "..."

OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL are used where no flag says
otherwise; docs/MODELS.md has the settings of common servers. What the tools
read is sent to that server.

The tools may read. For each change of a file and each command you are asked, if
this is a terminal: it is shown as it will be made, and you answer yes, no with a
reason for the model, or stop; a yes to a change may hold for the rest of the run.
--allow write and --allow exec do without the question. Where nobody can be asked
there is only what is allowed. Your key is kept out of what the model is shown.

Commands are isolated with bubblewrap, which is there for Linux and must be
installed: they write only the folder and have no network. "actdone tools
--isolation" says what holds on this machine. With --isolation unconfined they
run as you.

Isolated commands read the system directories and the folder. --read-dir opens
more to them and --network the network; --env gives commands variables. So Go
programs are built from the modules that you have; what is built is kept in the
folder, for all else that commands may write is gone after each:

    actdone run --allow write,exec --read-dir "$(go env GOROOT)" \
        --read-dir "$(go env GOMODCACHE)" --env GOMODCACHE="$(go env GOMODCACHE)" \
        --env GOCACHE="$PWD/.gocache" --model gpt-5-mini "Why does the build fail?"

At the end the files are named that the run created or changed and that something
executes later, such as git hooks and Makefiles.

With --native the model calls functions, for which most hosted models are
trained, in place of writing its acts as text. A script drives it as well.

--save FILE writes the steps to a new file, whatever the end of the run: a line of
JSON with its kind and version, then one for each step. --continue FILE goes on
from such a file, with --native or without, whichever wrote it; without a TASK, on
the task that has no answer yet. A file that holds steps is never replaced by one
that lacks them: --save takes a new name or that of --continue.

--record FILE makes a script of the run, if it ends with an answer: the task, each
reply, the answer. --script plays it without the model, and a test may:

    actdone run --record testdata/count.txtar "How many Go files are here?"
    actdone run --script testdata/count.txtar

FILE must be new. What the model saw of the folder is not in it but for a hash of
each prompt (of=). If a reply holds what looks like a key or a token, FILE is not
written; that and what a run without an answer leaves is kept in a temporary file.

The first Ctrl-C ends the run with the steps so far, the second at once. The
exit status is 0 if there is an answer, 1 if not, 2 if nothing was run.

With --script the replies come from a file instead of a model.
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

  reply   what the model says to the next ask; at least one reply or fault
  fault K what goes wrong in its place: status 429, timeout, cut, ...
  expect  before a reply: lines that the prompt must fit, such as "contains two"
  prompt  before a reply: the whole prompt, as it must be
  added   before a reply: the lines that the prompt adds to the one before
  task    what is asked if the command line has no TASK
  answer  the answer that the run must end with
  error   in its place: lines that the error must fit
  after P what a file must hold after the run
  file P  a file the script was written for; run never writes it

"go doc github.com/actdone/actdone/llm/script" has the whole format.

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
	native    bool
	asJSON    bool
	saving    saving
	recording recording

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
	c.flags(cmd)
	c.recording.flags(cmd)
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print each step and the result as a line of JSON, and nothing else, on standard output")
	return cmd
}

// flags adds the flags that fill c, but for those that are about one run only.
func (c *runCommand) flags(cmd *cobra.Command) {
	c.work.flags(cmd)
	c.choice.flags(cmd)
	c.dialect.flags(cmd)
	c.saving.flags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&c.native, "native", false, "let the model call functions in place of writing its acts as text")
	flags.BoolVar(&c.earlyStop, "early-stop", false, "end a reply as soon as it holds a move; not for models that write their reasoning into the reply")
	flags.StringVar(&c.script, "script", "", "play a script `file` instead; - is standard input")
	flags.IntVar(&c.maxSteps, "max-steps", 15, "how often the model is asked at most")
	flags.IntVar(&c.retries, "retries", defaultRetries, "how many replies in a row may have no move")
	flags.DurationVar(&c.timeout, "timeout", 0, "how long a run may take, such as 90s or 10m (default no limit)")
}

// defaultRetries is how many replies in a row may have no move.
const defaultRetries = 2

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
	}
	for _, name := range textFlags {
		if c.native && cmd.Flags().Changed(name) {
			return fmt.Errorf("--native has the model call functions, --%s is about acts written as text: give one of them", name)
		}
	}
	if !cmd.Flags().Changed("script") {
		return nil
	}
	for _, name := range modelFlags {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--script plays a script, --%s is about a model: give one of them", name)
		}
	}
	return nil
}

// given reports whether one of the flags is given.
func given(cmd *cobra.Command, flags []string) bool {
	return slices.ContainsFunc(flags, cmd.Flags().Changed)
}

// textFlags are the flags that say nothing about function calls.
var textFlags = []string{"protocol", "early-stop", "one-message"}

// runScript plays a script.
func (c *runCommand) runScript(cmd *cobra.Command, args []string) error {
	s, note, err := c.loadScript(cmd)
	if err != nil {
		return err
	}
	c.native = c.native || callsFunctions(s) && !given(cmd, textFlags)
	prior, err := c.saving.begin()
	if err != nil {
		return err
	}
	task, err := taskOf(args, unfinished(prior), s.Task.Text)
	if err != nil {
		return err
	}
	p := scripted(s, task, c.work.dir)
	p.prior = prior
	model := p.loop.LLM.(player)
	defer model.tellStale(cmd.ErrOrStderr())
	return c.play(cmd, p, note)
}

// loadScript reads the script. The note is for the user.
func (c *runCommand) loadScript(cmd *cobra.Command) (s *script.Script, note string, err error) {
	data, err := readInput(c.script, cmd.InOrStdin())
	if err != nil {
		return nil, "", err
	}
	if s, err = script.Parse(inputName(c.script), data); err != nil || len(s.Files) == 0 {
		return s, "", err
	}
	at := s.At(s.Files[0].Line)
	if !cmd.Flags().Changed("dir") {
		return nil, "", fmt.Errorf("%s: the script was written for files of its own, which %s does not write; name the folder it is to work in with -C", at, cmd.Name())
	}
	return s, fmt.Sprintf("note: the script's own files (%s) are not written; the tools work in %s as it is", at, c.work.dir), nil
}

// runModel asks a model.
func (c *runCommand) runModel(cmd *cobra.Command, args []string) error {
	p, err := c.asking(cmd, args)
	if err != nil {
		return err
	}
	if err := c.recording.begin(cmd); err != nil {
		return err
	}
	if p.prior, err = c.saving.begin(); err != nil {
		return err
	}
	if p.task, err = taskOf(args, unfinished(p.prior)); err != nil {
		return err
	}
	return c.play(cmd, p, "")
}

// asking returns a play in which a model is asked. Its task is not set.
func (c *runCommand) asking(cmd *cobra.Command, args []string) (play, error) {
	client, err := c.choice.client(cmd)
	if missing, ok := errors.AsType[*noModelError](err); ok {
		missing.command = again(cmd, args)
		missing.found = c.look(cmd.Context())
	}
	return play{
		loop:  react.Loop{LLM: client, EarlyStop: c.earlyStop},
		judge: c.choice.judge,
		meter: &meter{},
	}, err
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

// taskOf returns the task of the command line, or the first of the others that
// there is.
func taskOf(args []string, others ...string) (string, error) {
	if len(args) > 0 {
		others = args
	}
	for _, task := range others {
		if strings.TrimSpace(task) != "" {
			return task, nil
		}
	}
	return "", errors.New("no task: write it behind the flags, in quotes, or in a task section of the script")
}

// play plays p, whose model, task, prior steps and judge are set, on the folder.
// The note is for the user.
func (c *runCommand) play(cmd *cobra.Command, p play, note string) error {
	folder, err := c.ready(cmd, &p, askable(cmd.InOrStdin(), cmd.ErrOrStderr()), note)
	if err != nil {
		return err
	}
	defer folder.Close()
	c.warn(p.stderr)
	p.changed = folder.Changed
	c.recording.tap(&p, c.choice.model)
	return p.run(cmd.Context())
}

// ready sets what a play needs beside its model, and opens its folder, which the
// caller closes.
func (c *runCommand) ready(cmd *cobra.Command, p *play, user *user, note string) (_ *workspace.Workspace, err error) {
	if p.loop.Protocol, err = c.dialect.protocol(); err != nil {
		return nil, err
	}
	if p.file, err = c.saving.file(); err != nil {
		return nil, err
	}
	folder, err := c.work.open(user)
	if err != nil {
		return nil, err
	}
	p.stdout, p.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if note != "" {
		say(p.stderr, "%s", note)
	}
	p.loop.Tools, p.loop.MaxSteps, p.loop.Retries = c.work.tools(folder, user), c.maxSteps, c.retries
	p.timeout, p.asJSON = c.timeout, c.asJSON
	if c.native {
		p.chatter = chatter(p.loop.LLM, p.loop.Tools)
	}
	return folder, nil
}

// warn says before a run what bash may do.
func (c *runCommand) warn(stderr io.Writer) {
	runner, _ := runnerNamed(c.work.isolation)
	if allowed, _ := c.work.allowed(); allowed[workspace.Exec] && !isolates(runner) {
		say(stderr, "warning: commands run as you, unconfined: they can read, change and send whatever you can")
	}
}
