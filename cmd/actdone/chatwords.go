package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/react"
)

// chatHelp says what can be typed in a session.
const chatHelp = `  q, exit      leave; so do the end of input and, on a terminal, an empty line
               and Ctrl-C
  /steps       all steps so far
  /save FILE   write them to a new file; without FILE, to that of --save
  /tools       what the model can use
  /help        this
All else is a question. Ctrl-C during a run stops it and keeps the session.
`

// command does what a line says that begins with a slash.
func (c *chat) command(word, rest string) {
	switch word {
	case "/steps":
		c.showSteps()
	case "/save":
		if err := c.save(rest); err != nil {
			c.tell(err)
		}
	case "/tools":
		for _, t := range c.play.loop.Tools {
			fmt.Fprintf(c.play.stderr, "%s (%s)\n    %s\n", t.Name, takes[t.Lines], t.Usage)
		}
	case "/help":
		fmt.Fprint(c.play.stderr, chatHelp)
	default:
		say(c.play.stderr, "there is no %s%s; /help says what there is. A question that begins with / needs a word before it",
			word, didYouMean(similarWords(word)))
	}
}

// similarWords returns the slash commands with a name like the given one.
func similarWords(word string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range []string{"steps", "save", "tools", "help"} {
		names.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	found := names.SuggestionsFor(strings.TrimPrefix(word, "/"))
	for i := range found {
		found[i] = "/" + found[i]
	}
	return found
}

// showSteps shows all steps as run does.
func (c *chat) showSteps() {
	steps := &show{w: c.play.stderr, colour: coloured(c.play.stderr)}
	task, open := "", false
	for _, step := range c.steps {
		if !open || step.Task != task {
			steps.task(step.Task)
		}
		steps.step(step)
		if task, open = step.Task, step.Move.Kind != react.Done; !open {
			steps.put(margin, "", shortened(step.Move.Answer, actLines)+"\n")
		}
	}
	if len(c.steps) == 0 {
		say(c.play.stderr, "no steps yet")
	}
}

// save writes the steps to a file of that name, or to that of --save.
func (c *chat) save(name string) error {
	file := c.play.file
	if name != "" {
		var err error
		if file, err = newStepFile(name, c.known...); err != nil {
			return err
		}
	}
	if file == nil {
		return errors.New("/save: which file?")
	}
	if err := file.write(c.steps); err != nil {
		return err
	}
	c.known = append(c.known, file)
	say(c.play.stderr, "%s saved to %s", count(len(c.steps), "step"), file.path)
	return nil
}
