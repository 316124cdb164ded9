package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools/workspace"
)

// A chat is a session: questions, each a run that goes on from the steps of those
// before.
type chat struct {
	play   play // of each question, but for its task and prior steps
	steps  []react.Step
	folder *workspace.Workspace

	model     string // what to call it
	note      string // for the user, at the start
	where     string // the folder
	questions questions
	check     func() error // what is wrong at the end; may be nil
	failed    int          // questions without an answer
	known     []*stepFile  // hold nothing but the first of the steps
	piped     bool         // nobody types the questions, so an empty line means nothing
}

// questions come from a user.
type questions interface {
	// next waits for a question. Its error is the end of them.
	next(ctx context.Context) (string, error)
}

// scriptedChat returns the play of a script in a session, and what compares the
// session with the script when it is over.
func scriptedChat(s *script.Script, dir string) (play, func() error) {
	p := scripted(s, "", dir)
	player := p.loop.LLM.(player)
	player.Regrow = true // after a run that was stopped, its last ask is not repeated
	var told error
	p.judge = func(_ context.Context, _ react.Result, err error) []error {
		told = errors.Join(told, err)
		return []error{err}
	}
	return p, func() error { return fail(player.Untold(told)...) }
}

// open sets where the questions come from and how the steps are shown. The user
// is nil if there is none at a terminal.
func (c *chat) open(user *user, stdin io.Reader, dir string) {
	c.where = dir
	c.known = append(c.known, c.play.file)
	if absolute, err := filepath.Abs(dir); err == nil {
		c.where = absolute
	}
	c.play.steps = &chatShow{w: c.play.stderr, colour: coloured(c.play.stderr)}
	in := &input{from: stdin}
	c.piped = user == nil
	if user != nil {
		in, user.span = user.in, "session"
	}
	c.questions = c.asker(user, in, stdin)
}

// asker returns what asks the user for questions.
func (c *chat) asker(user *user, in *input, stdin io.Reader) questions {
	terminal, _ := stdin.(*os.File)
	switch {
	case user == nil:
		return &lines{in: in}
	case !obeysEscapes(c.play.stderr):
		return &lines{in: in, prompt: prompt, out: c.play.stderr}
	}
	e := newEditor(in, terminal, c.play.stderr)
	for _, step := range c.steps {
		e.recall.Add(step.Task)
	}
	return e
}

// run takes questions until there are no more.
func (c *chat) run(ctx context.Context) error {
	terminated, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	c.greet()
	for terminated.Err() == nil {
		question, ok := c.next(terminated)
		if !ok {
			break
		}
		if word, rest, _ := strings.Cut(question, " "); strings.HasPrefix(word, "/") {
			c.command(word, strings.TrimSpace(rest))
			continue
		}
		c.ask(terminated, question)
	}
	return c.end()
}

// greet says where the session works and what commands can do there.
func (c *chat) greet() {
	say(c.play.stderr, "working in %s, with %s", c.where, c.model)
	say(c.play.stderr, "isolation: %s", c.folder.Isolation())
	if n := len(c.steps); n > 0 {
		say(c.play.stderr, "going on from %s", count(n, "step"))
	}
	if question := unfinished(c.steps); question != "" {
		say(c.play.stderr, "there is no answer yet to the last question: %s", oneLine(question))
	}
	if c.piped {
		say(c.play.stderr, "each line is a question; q, exit and the end of input leave")
		return
	}
	say(c.play.stderr, "/help says what can be typed; an empty line leaves")
}

// next returns the next question, unless the user leaves.
func (c *chat) next(ctx context.Context) (string, bool) {
	asking, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	question, err := c.questions.next(asking)
	for c.piped && err == nil && strings.TrimSpace(question) == "" {
		question, err = c.questions.next(asking)
	}
	question = strings.TrimSpace(question)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil && asking.Err() == nil:
		say(c.play.stderr, "read a question: %v", err)
		c.failed++
	case question == "", question == "q", question == "exit", asking.Err() != nil:
	default:
		return question, true // the last line may end without a newline
	}
	return "", false
}

// ask has the model work on a question, and keeps the steps whatever the end.
func (c *chat) ask(ctx context.Context, question string) {
	p := c.play
	p.task, p.prior = question, c.steps
	p.loop.MaxSteps += asked(c.steps, question)
	if p.meter != nil {
		p.meter = &meter{}
	}
	result, err := p.turn(ctx)
	c.steps = result.Steps
	if err = alsoFailed(err, p.file.write(c.steps)); err != nil {
		c.failed++
		c.tell(err)
	}
}

// asked returns how often the model has been asked a question that it has not
// answered and that is to be asked again. It gets a whole run all the same.
func asked(steps []react.Step, question string) int {
	if unfinished(steps) != question {
		return 0
	}
	return steps[len(steps)-1].Ask
}

func (c *chat) tell(err error) {
	if f, ok := err.(*failure); ok {
		for _, err := range f.errs {
			say(c.play.stderr, "%v", err)
		}
		return
	}
	say(c.play.stderr, "%v", err)
}

// end says what is left to say.
func (c *chat) end() error {
	c.play.changed = c.folder.Changed
	c.play.changes()
	var err error
	if c.check != nil {
		err = c.check()
	}
	if c.failed > 0 {
		err = alsoFailed(err, fmt.Errorf("%s without an answer", count(c.failed, "question")))
	}
	return err
}
