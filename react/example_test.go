package react_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// weather is a tool of the examples.
var weather = tools.Tool{
	Name:  "weather",
	Usage: "CITY: today's weather",
	Call: func(_ context.Context, city string) (string, error) {
		if city != "Oslo" {
			return "", fmt.Errorf("no station in %s; try Oslo", city)
		}
		return "rain, 4 degrees", nil
	},
}

func ExampleLoop_Run() {
	model := &llm.ScriptedLLM{Replies: []string{
		"I look it up.\nACT: weather Bergen",
		"ACT: weather Oslo",
		"DONE: take an umbrella",
	}}
	loop := react.Loop{LLM: model, Tools: []tools.Tool{weather}}
	result, err := loop.Run(context.Background(), "Do I need an umbrella?")
	fmt.Println(result.Answer, err)
	fmt.Println(strings.TrimPrefix(model.Prompts[2], model.Prompts[0]+"\n\n"))
	// Output:
	// take an umbrella <nil>
	// I look it up.
	// ACT: weather Bergen
	// OBS: error: no station in Bergen; try Oslo
	//
	// ACT: weather Oslo
	// OBS: rain, 4 degrees
}

func ExampleLoop_Steps() {
	loop := react.Loop{
		LLM:      &llm.ScriptedLLM{Replies: []string{"ACT: weather Oslo", "Let me think."}},
		Tools:    []tools.Tool{weather},
		MaxSteps: 5,
	}
	for step, err := range loop.Steps(context.Background(), "Do I need an umbrella?") {
		if err != nil {
			fmt.Println(err, errors.Is(err, react.ErrNoMove))
			break
		}
		fmt.Printf("%d %q %q\n", step.Ask, step.Reply, step.Observation)
	}
	// Output:
	// 1 "ACT: weather Oslo" "rain, 4 degrees"
	// 2 "Let me think." "error: nothing was run: reply has neither ACT: nor DONE: at the start of a line; write ACT: and a tool, or DONE: and the answer"
	// step 2: reply has neither ACT: nor DONE: at the start of a line: "Let me think." true
}

// A run that ended at a limit goes on with the steps it returned.
func ExampleLoop_Run_continue() {
	loop := react.Loop{Tools: []tools.Tool{weather}, MaxSteps: 1}
	loop.LLM = &llm.ScriptedLLM{Replies: []string{"ACT: weather Oslo"}}
	result, err := loop.Run(context.Background(), "Do I need an umbrella?")
	fmt.Println(err)

	loop.MaxSteps = 5
	loop.LLM = &llm.ScriptedLLM{Replies: []string{"DONE: yes"}}
	result, err = loop.Run(context.Background(), "Do I need an umbrella?", result.Steps...)
	fmt.Println(result.Answer, result.Asks, err)
	// Output:
	// step limit reached: no answer after 1 ask; raise the limit to get further
	// yes 2 <nil>
}

func ExampleParse() {
	list := []tools.Tool{{Name: "bash", Lines: tools.Block}}
	move, err := react.Parse("Let me see.\nACT: bash ls -la\nOBS: made up", list)
	fmt.Printf("%s %q %v\n", move.Tool, move.Input, err)

	_, err = react.Parse("ACT: bash cd build\nrm -r out", list)
	refused, _ := errors.AsType[*react.ProtocolError](err)
	fmt.Println(refused.Err)
	fmt.Println(refused.Cure)
	// Output:
	// bash "ls -la" <nil>
	// reply leaves open what the input of ACT: is
	// ACT: bash takes one line, or several in a ``` fence under it; nothing may follow, but "rm -r out" does
}

// A Transcript is driven by hand, without a Loop's way of asking and acting.
func ExampleTranscript() {
	loop := react.Loop{Tools: []tools.Tool{{Name: "weather", Usage: "CITY: today's weather"}}}
	t, err := loop.Transcript("Do I need an umbrella?")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, reply := range []string{"ACT: weather Oslo", "DONE: yes"} {
		if _, err := t.Prompt(); err != nil {
			fmt.Println(err)
			return
		}
		move, err := t.Reply(reply, nil)
		fmt.Println(move.Kind, move.Tool, move.Input, move.Answer, err)
		if move.Kind == react.Act {
			err = t.Observe("rain, 4 degrees", nil)
		}
	}
	fmt.Println(len(t.Steps()), "steps")
	// Output:
	// act weather Oslo  <nil>
	// done   yes <nil>
	// 2 steps
}
