package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

// A recording makes a script of a run: its task, what the model replied, and the
// answer. The folder is no part of it.
type recording struct {
	to     string // "" for none
	model  string
	again  string // the command that plays it
	player *script.Player
	stderr io.Writer
}

// flags adds the flag that fills r.
func (r *recording) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.to, "record", "", "write the run to a new script `file`, if it ends with an answer")
}

// begin reports what stands in the way of the recording, before anything is
// asked.
func (r *recording) begin(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("record"):
		return nil
	case cmd.Flags().Changed("continue"):
		return errors.New("--record writes a whole run, --continue goes on from the middle of one: give one of them")
	}
	if _, err := os.Lstat(r.to); err == nil {
		return fmt.Errorf("--record: %s is there already; name a new file", r.to)
	}
	file, err := r.create()
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	r.again = playing(cmd, r.to)
	return errors.Join(file.Close(), os.Remove(r.to))
}

// create makes the file, which must not be there.
func (r *recording) create() (*os.File, error) {
	return os.OpenFile(r.to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// tap puts r between a play and its model, which has the name.
func (r *recording) tap(p *play, model string) {
	if r.to == "" {
		return
	}
	s := &script.Script{Name: r.to, Lanes: []*script.Lane{{Name: "main"}}}
	s.Task = script.Section{Text: p.task, New: true}
	r.player = &script.Player{Script: s, Live: p.loop.LLM, Update: true, Regrow: true}
	r.model, r.stderr, p.loop.LLM = model, p.stderr, r.player
	if p.chatter != nil {
		s.API, p.chatter = "chat", r.player
	}
	p.record = r
}

// end writes the script of a run that ended with an answer, where ended is nil.
// What cannot be written there is kept in a temporary file. A nil r has nothing
// to write.
func (r *recording) end(result react.Result, ended error) error {
	if r == nil {
		return nil
	}
	s := r.player.Script
	r.player.Rewrite(false)
	r.sign(s, result.Asks)
	if len(s.Lanes[0].Steps) == 0 {
		return nil
	}
	if ended == nil {
		s.Answer = script.Section{Text: result.Answer, New: true}
	}
	leaks, hidden := hideSecrets(s)
	data, err := written(s)
	faults := errors.Join(append(leaks, r.player.Check(), err)...)
	switch {
	case ended != nil:
		return r.keep(data, nil)
	case faults != nil:
		return r.keep(data, faults)
	}
	if err := r.write(data); err != nil {
		return r.keep(data, err)
	}
	for _, name := range hidden {
		say(r.stderr, "note: the value of %s stands in the script as <secret %[1]s>", name)
	}
	say(r.stderr, "recorded %s in %s; to play it: %s", counted(len(s.Lanes[0].Steps), "reply", "replies"), r.to, r.again)
	return nil
}

// sign dates the steps, and drops the one of an ask that failed or was
// interrupted: asks is how many there were before.
func (r *recording) sign(s *script.Script, asks int) {
	lane := s.Lanes[0]
	lane.Steps = lane.Steps[:min(asks, len(lane.Steps))]
	lane.Steps = slices.DeleteFunc(lane.Steps, func(step *script.Step) bool { return step.HashOf == "" })
	today := time.Now().Format(time.DateOnly)
	for _, step := range lane.Steps {
		step.On, step.Model = today, r.model
	}
}

// written returns the script as a file that can be read again.
func written(s *script.Script) ([]byte, error) {
	data := s.Bytes()
	if _, err := script.Parse(s.Name, data); err != nil {
		return data, fmt.Errorf("a script cannot hold what the model replied: %w", err)
	}
	return data, nil
}

// write writes the file, unless there is one by now.
func (r *recording) write(data []byte) error {
	file, err := r.create()
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(r.to)
	}
	return err
}

// keep writes to a temporary file what is not written to the one that was named.
// Why is the reason; nil means that the run has no answer, which has been told.
func (r *recording) keep(data []byte, why error) error {
	file, err := os.CreateTemp("", "actdone-record-*.txtar")
	if err == nil {
		_, err = file.Write(data)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return errors.Join(why, err)
	}
	if why == nil {
		say(r.stderr, "nothing is recorded in %s, for the run has no answer; the replies so far are in %s", r.to, file.Name())
		return nil
	}
	return fmt.Errorf("nothing is recorded in %s; what there is, without secrets, is in %s: %w", r.to, file.Name(), why)
}

// hideSecrets takes secrets out of a script that was recorded. Those that were
// found by their shape are errors, for others of their kind may have been missed;
// of those found by their value, the names of the variables are returned.
func hideSecrets(s *script.Script) (leaks []error, hidden []string) {
	secrets := script.Environ()
	hide := func(where string, text *string) {
		for _, leak := range secrets.Find(*text) {
			switch {
			case leak.ByShape:
				leaks = append(leaks, fmt.Errorf("%s, line %d, column %d, looks like a secret (%s)", where, leak.Line, leak.Column, leak.Kind))
			case !slices.Contains(hidden, leak.Kind):
				hidden = append(hidden, leak.Kind)
			}
		}
		*text = secrets.Scrub(*text)
	}
	hide("the task", &s.Task.Text)
	for i, step := range s.Lanes[0].Steps {
		hide(fmt.Sprintf("the reply to ask %d", i+1), &step.Reply.Text)
		for j := range step.Calls {
			hide(fmt.Sprintf("the call of %s in the reply to ask %d", step.Calls[j].Name, i+1), &step.Calls[j].Arguments)
		}
	}
	hide("the answer", &s.Answer.Text)
	return leaks, hidden
}

// playFlags are the flags of a recorded run that matter when it is played.
var playFlags = []string{"dir", "allow", "isolation", "protocol", "max-steps", "retries"}

// playing returns the command that plays a script as the run goes that cmd is
// about.
func playing(cmd *cobra.Command, name string) string {
	words := []string{cmd.CommandPath(), "--script", quoted(name)}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(playFlags, f.Name) {
			words = append(words, "--"+f.Name, quoted(strings.Trim(f.Value.String(), "[]")))
		}
	})
	return strings.Join(words, " ")
}
