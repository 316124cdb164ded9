package llm_test

import (
	"context"
	"fmt"

	"github.com/actdone/actdone/llm"
)

func ExampleScriptedLLM() {
	model := &llm.ScriptedLLM{Replies: []string{"ACT: list .", "DONE: two files"}}
	ctx := context.Background()

	first, _ := model.Ask(ctx, "TASK: count the files")
	second, _ := model.Ask(ctx, "TASK: count the files\n\nACT: list .\nOBS: a.go b.go")
	fmt.Println(first, "/", second)

	_, err := model.Ask(ctx, "TASK: count the files\n\nACT: list .\nOBS: a.go b.go\n\nDONE: two files")
	fmt.Println(err)
	fmt.Println(model.Check())
	// Output:
	// ACT: list . / DONE: two files
	// scripted: ask 3 has no reply
	// replies: 2, all used
	// added since the last ask: "\n\nDONE: two files"
	// hint: the agent asks more often than the script answers; add replies, or give each run a script of its own
	// <nil>
}

func ExampleWithTrace() {
	model := llm.AskFunc(func(ctx context.Context, prompt string) (string, error) {
		trace := llm.ContextTrace(ctx)
		trace.Delta("DONE: ")
		trace.Delta("42")
		trace.Usage(llm.Usage{Prompt: 7, Reply: 3})
		return "DONE: 42", nil
	})
	ctx := llm.WithTrace(context.Background(), &llm.Trace{
		Delta: func(text string) { fmt.Printf("%q ", text) },
		Usage: func(u llm.Usage) { fmt.Println(u.Prompt, "tokens") },
	})
	reply, _ := model.Ask(ctx, "What is six times seven?")
	fmt.Println(reply)
	// Output:
	// "DONE: " "42" 7 tokens
	// DONE: 42
}
