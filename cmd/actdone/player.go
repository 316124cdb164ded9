package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
)

// A player plays a script on a folder and compares what comes of it with what
// the script says.
type player struct {
	*script.Player
	dir string
}

// scripted returns the play of a script on a folder. Its tools are not set.
func scripted(s *script.Script, task, dir string) play {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	p := player{&script.Player{Script: s, Dirs: []string{dir}}, dir}
	return play{task: task, loop: react.Loop{LLM: p}, judge: p.judge}
}

// judge returns what went wrong with the run or differs from the script.
func (p player) judge(_ context.Context, result react.Result, err error) []error {
	return p.Judge(p.dir, result.Answer, err)
}

// tellStale tells which replies were recorded for another prompt than they
// answered.
func (p player) tellStale(stderr io.Writer) {
	for _, call := range p.Calls() {
		if call.Stale {
			say(stderr, "note: the reply at %s was recorded for another prompt", call.At)
		}
	}
}
