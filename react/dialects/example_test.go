package dialects_test

import (
	"context"
	"fmt"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/dialects"
	"github.com/actdone/actdone/tools"
)

// stock is a tool for the examples.
func stock(name string, lines tools.Lines) tools.Tool {
	return tools.Tool{Name: name, Lines: lines, Usage: "NAME: how many crates there are",
		Call: func(context.Context, string) (string, error) { return "12 crates", nil }}
}

// show runs the replies in a dialect and prints what was added to the prompt.
func show(p react.Protocol, tool tools.Tool, replies ...string) {
	model := &llm.ScriptedLLM{Replies: replies}
	loop := react.Loop{LLM: model, Tools: []tools.Tool{tool}, Protocol: p, Instructions: "…", Example: react.NoExample}
	result, err := loop.Run(context.Background(), "How many apples are there?")
	prompt := model.Prompts[len(model.Prompts)-1]
	fmt.Println(prompt[len(p.Instructions(loop.Tools, "…", react.NoExample))+2:])
	fmt.Println("answer:", result.Answer, err)
}

func ExampleClassic() {
	show(dialects.Classic{}, stock("stock", tools.One),
		" I look it up.\nAction: stock\nAction Input: apples\nObservation: 99 crates",
		"I now know the final answer\nFinal Answer: 12 crates")
	// Output:
	// Question: How many apples are there?
	// Thought: I look it up.
	// Action: stock
	// Action Input: apples
	// Observation: 12 crates
	// answer: 12 crates <nil>
}

func ExampleBracket() {
	show(dialects.Bracket{}, stock("Stock", tools.One),
		" I look it up.\nAction 1: Stock[apples (red)]\nObservation 1: 99 crates\nThought 2: So it is 99.",
		"Thought 2: That is it.\nAction 2: Finish[12 crates]")
	// Output:
	// Question: How many apples are there?
	// Thought 1: I look it up.
	// Action 1: Stock[apples (red)]
	// Observation 1: 12 crates
	// Thought 2:
	// answer: 12 crates <nil>
}

// A model that was recorded writing only acts, with names of its own.
func ExampleBracket_actOnly() {
	show(dialects.Bracket{ActOnly: true, Plain: true, End: "answer"}, stock("stock", tools.One),
		"stock[apples]", "\nAction: answer[12 crates]")
	// Output:
	// Question: How many apples are there?
	// Action: stock[apples]
	// Observation: 12 crates
	// Action:
	// answer: 12 crates <nil>
}

func ExampleFenced() {
	show(dialects.Fenced{}, stock("bash", tools.Block),
		"I count them.\n```bash\ngrep -c apples crates.txt\n```",
		"```bash\nsubmit\n12 crates\n```")
	// Output:
	// Task: How many apples are there?
	//
	// Thought: I count them.
	// ```bash
	// grep -c apples crates.txt
	// ```
	// Observation: 12 crates
	// answer: 12 crates <nil>
}

// A move that lacks its closing bracket is not run, unless a recorded run is
// being replayed.
func ExampleBracket_lenient() {
	list := []tools.Tool{stock("think", tools.One)}
	reply := "Thought 1: x\nAction 1: think[the apples are"
	_, err := dialects.Bracket{}.Parse(reply, list)
	fmt.Println(err)
	move, err := dialects.Bracket{Lenient: true}.Parse(reply, list)
	fmt.Println(move.Tool, move.Input, err)
	// Output:
	// the input has no closing bracket: "Thought 1: x\nAction 1: think[the apples are"
	// think the apples are <nil>
}
