// Command customtool gives an agent tools of its own: one that looks up a line,
// and one with arguments, of which the last is a text of several lines. It prints
// the steps as they happen.
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A shop is what the tools work on.
type shop struct {
	crates map[string]int
	notes  map[string]string
}

// stock takes one line, a fruit. What it returns as an error is shown to the
// model, so it says what the model can do next.
func (s *shop) stock(_ context.Context, fruit string) (string, error) {
	n, ok := s.crates[fruit]
	if !ok {
		known := slices.Sorted(maps.Keys(s.crates))
		return "", fmt.Errorf("no fruit %q; there are %s", fruit, strings.Join(known, ", "))
	}
	return fmt.Sprintf("%d crates", n), nil
}

// A memo is what note takes: a name on the first line and a text under it. Both
// can also come as a JSON object.
type memo struct {
	To   string `json:"to" jsonschema:"who is to read it"`
	Text string `json:"text" tool:"body"`
}

// note is called only if all arguments are there.
func (s *shop) note(_ context.Context, m memo) (string, error) {
	s.notes[m.To] = m.Text
	return "saved", nil
}

func (s *shop) tools() ([]tools.Tool, error) {
	stock := tools.Tool{Name: "stock", Usage: "FRUIT: how many crates there are", Call: s.stock}
	note, err := tools.Typed("note", "leave a note", s.note)
	return []tools.Tool{stock, note}, err
}

// model stands in for a language model.
var model = &llm.ScriptedLLM{Replies: []string{
	"ACT: stock apple",
	"The plural, then.\nACT: stock apples",
	"ACT: note buyer\n```\nApples: 12 crates.\nNo order needed.\n```",
	"DONE: There are 12 crates of apples; the buyer has a note.",
}}

func main() {
	s := &shop{crates: map[string]int{"apples": 12, "pears": 3}, notes: map[string]string{}}
	list, err := s.tools()
	if err != nil {
		log.Fatal(err)
	}
	agent := react.Loop{LLM: model, Tools: list}
	for step, err := range agent.Steps(context.Background(), "Are there enough apples? Tell the buyer.") {
		if err != nil {
			log.Fatal(err)
		}
		switch step.Move.Kind {
		case react.Act:
			fmt.Printf("%s %q: %s\n", step.Move.Tool, step.Move.Input, step.Observation)
		case react.Done:
			fmt.Println(step.Move.Answer)
		}
	}
	fmt.Printf("note for the buyer: %q\n", s.notes["buyer"])
}
