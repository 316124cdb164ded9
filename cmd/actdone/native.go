package main

import (
	"slices"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// chatter returns what a run with --native asks: the server itself; the player of
// a script that calls functions; or, around a script of text, what makes calls
// of its acts.
func chatter(model llm.Asker, list []tools.Tool) llm.Chatter {
	switch m := model.(type) {
	case *openai.Client:
		return m
	case player:
		if caller, ok := any(m.Player).(llm.Chatter); ok && callsFunctions(m.Script) {
			return caller
		}
	}
	return react.AsChatter(model, list)
}

// callsFunctions reports whether the model of the script calls functions: it says
// so, or a reply does.
func callsFunctions(s *script.Script) bool {
	return s.API == "chat" || slices.ContainsFunc(s.Lanes, func(lane *script.Lane) bool {
		return slices.ContainsFunc(lane.Steps, func(step *script.Step) bool { return len(step.Calls) > 0 })
	})
}
