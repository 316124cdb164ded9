package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

const showLong = `Show prints what a loop makes of the replies of a script: thoughts, acts, the
answer, replies that it refuses and why. Observations are shown where the script
holds them (added sections). For example:

    $ actdone script show count.txtar
    TASK: How many Go files are here?

     1. expect: contains How many Go files
        I will look.
        ACT: bash ls *.go | wc -l
        OBS: 2

     2. DONE: 2
    answer: 2

Nothing is run. "actdone run --script" plays a script.`

func newScriptShow() *cobra.Command {
	var d dialect
	cmd := &cobra.Command{
		Use:   "show FILE...",
		Short: "Print the conversations of scripts as a loop reads them",
		Long:  showLong,
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			protocol, err := d.protocol()
			if err != nil {
				return err
			}
			return showScripts(cmd, protocol, args)
		},
	}
	d.flags(cmd)
	return cmd
}

func showScripts(cmd *cobra.Command, protocol react.Protocol, args []string) error {
	var b strings.Builder
	v := scriptView{show: show{w: &b, colour: coloured(cmd.OutOrStdout())}, protocol: protocol}
	return forScripts(cmd, args, func(_ *scriptFile, s *script.Script) error {
		b.Reset()
		v.script(s, len(args) > 1)
		_, err := io.WriteString(cmd.OutOrStdout(), b.String())
		return err
	})
}

// A scriptView prints scripts.
type scriptView struct {
	show
	protocol react.Protocol
	chat     bool // whether its replies are those of a model that calls functions
	files    int  // printed so far
}

// script prints a script, with its name if there are others.
func (v *scriptView) script(s *script.Script, named bool) {
	if v.files++; v.files > 1 {
		fmt.Fprintln(v.w)
	}
	if named {
		v.line("file", s.Name)
	}
	if s.Title != "" {
		v.line("title", s.Title)
	}
	if s.Task.Line > 0 {
		v.task(s.Task.Text)
	}
	v.chat = callsFunctions(s)
	for _, lane := range s.Lanes {
		v.lane(lane)
	}
	v.ends(s)
}

// line prints what the script says beside the conversation.
func (v *scriptView) line(label, text string) {
	v.put("", "", v.styled(dim, label+": "+shortened(text, actLines)))
}

// lane prints a conversation.
func (v *scriptView) lane(lane *script.Lane) {
	if lane.Line > 0 {
		v.line("lane", lane.Name)
		for _, check := range lane.When.List {
			v.line("when", check.String())
		}
	}
	ask := 1
	for i, step := range lane.Steps {
		lead := number(ask)
		for _, check := range step.Expect.List {
			v.put(lead, "", v.styled(dim, "expect: "+visible(check.String())))
			lead = margin
		}
		if acts := v.answer(lead, step); acts {
			v.observation(lane.Steps[i+1:])
		}
		if note := noteOf(step); note != "" {
			v.put(margin, "", v.styled(dim, note))
		}
		if i+1 < len(lane.Steps) {
			fmt.Fprintln(v.w)
		}
		ask += max(step.Times, 1)
	}
}

// answer prints what answers an ask, and reports whether it is an act.
func (v *scriptView) answer(lead string, step *script.Step) bool {
	switch {
	case step.Fault != nil:
		v.fault(lead, step.Fault)
		return false
	case len(step.Calls) > 0:
		v.calls(lead, step)
		return true
	case v.chat:
		v.put(lead, "DONE:", under(shortened(step.Reply.Text, actLines)))
		return false
	}
	m, err := v.protocol.Parse(step.Reply.Text, builtin)
	if err != nil {
		v.put(lead, "REFUSED:", under(shortened(step.Reply.Text, actLines)))
		v.put(margin, "", visible(refusal(err)))
		return true
	}
	v.moved(lead, m)
	return m.Kind == react.Act
}

// fault prints a fault and its text.
func (v *scriptView) fault(lead string, f *script.Fault) {
	text := strings.TrimPrefix(f.String(), "fault ")
	if f.RetryAfter > 0 {
		text += " retry-after=" + f.RetryAfter.String()
	}
	if f.Text != "" {
		text += "\n" + shortened(f.Text, actLines)
	}
	v.put(lead, "FAULT:", text)
}

// moved prints a move, a DONE with its answer.
func (v *scriptView) moved(lead string, m react.Move) {
	if m.Thought != "" {
		v.put(lead, "", v.styled(dim, shortened(m.Thought, actLines)))
		lead = margin
	}
	if m.Kind == react.Done {
		v.put(lead, "DONE:", under(shortened(m.Answer, actLines)))
		return
	}
	input := under(shortened(m.Input, actLines))
	if input != "" && input[0] != '\n' {
		input = " " + input
	}
	v.put(lead, "ACT:", visible(m.Tool)+input)
}

// calls prints a message that calls functions.
func (v *scriptView) calls(lead string, step *script.Step) {
	if step.Reply.Text != "" {
		v.put(lead, "", v.styled(dim, shortened(step.Reply.Text, actLines)))
		lead = margin
	}
	for _, call := range step.Calls {
		v.put(lead, "CALL:", visible(call.Name)+" "+shortened(call.Arguments, actLines))
		lead = margin
	}
}

// refusal returns why a loop refuses a reply.
func refusal(err error) string {
	if refused, ok := errors.AsType[*react.ProtocolError](err); ok {
		return "(" + refused.Err.Error() + ")"
	}
	return "(" + err.Error() + ")"
}

// observation prints what the script says of the observation before the next
// steps.
func (v *scriptView) observation(next []*script.Step) {
	if len(next) == 0 {
		return
	}
	label := "OBS:"
	if v.chat {
		label = "[tool "
	}
	added := "\n" + next[0].Added.Text
	i := strings.Index(added, "\n"+label)
	if i < 0 {
		v.put(margin, "OBS:", v.styled(dim, "(not in the script)"))
		return
	}
	text := shortened(added[i+1:], actLines)
	if text, ok := strings.CutPrefix(text, "OBS:"); ok {
		v.put(margin, "OBS:", strings.TrimPrefix(text, " "))
		return
	}
	v.put(margin, "", text)
}

// noteOf says what is odd about how a step answers.
func noteOf(step *script.Step) string {
	var notes []string
	if step.Times > 1 {
		notes = append(notes, count(step.Times, "time"))
	}
	if step.Delay > 0 {
		notes = append(notes, "after "+step.Delay.String())
	}
	if step.Finish == "length" || step.Finish == "content_filter" {
		notes = append(notes, "cut: "+step.Finish)
	}
	if len(notes) == 0 {
		return ""
	}
	return "(" + strings.Join(notes, ", ") + ")"
}

// ends prints what must come of the run.
func (v *scriptView) ends(s *script.Script) {
	if s.Answer.Line > 0 {
		v.line("answer", s.Answer.Text)
	}
	for _, check := range s.Error.List {
		v.line("error", check.String())
	}
	for _, f := range s.After {
		v.line("after", f.Path)
	}
}
