package llmtest_test

import (
	"context"
	"fmt"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func ExampleChaos() {
	list := tools.Tool{Name: "list", Usage: "[PATH]: lists a folder", Call: func(_ context.Context, path string) (string, error) {
		fmt.Println("list was called with", path)
		return "a.go", nil
	}}
	model := &llmtest.Chaos{
		LLM:  &llm.ScriptedLLM{Replies: []string{"ACT: list .", "ACT: list ..", "DONE: one file"}},
		Seed: 6,
	}
	loop := react.Loop{LLM: model, Tools: []tools.Tool{list}, Retries: 2, MaxSteps: 9}
	result, err := loop.Run(context.Background(), "Count the files")
	fmt.Println(result.Answer, err)
	for _, s := range model.Spoilt() {
		fmt.Printf("ask %d: %s: %q\n", s.Ask, s.Slip, s.Reply)
	}
	// Output:
	// list was called with .
	// list was called with ..
	// one file <nil>
	// ask 1: prose only: "I think I should look at the INVENTED files first."
	// ask 3: truncated: "ACT: list"
	// ask 4: truncated: "ACT: "
}
