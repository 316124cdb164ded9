// Command hello is the smallest real program: a loop, one tool, a task. A
// script plays the model; put any llm.Asker in its place.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func main() {
	model := &llm.ScriptedLLM{Replies: []string{
		"I need the name of this machine.\nACT: hostname",
		"DONE: Hello from where you are!",
	}}
	hostname := tools.Tool{
		Name:  "hostname",
		Usage: "the name of this machine",
		Call: func(context.Context, string) (string, error) {
			return os.Hostname()
		},
	}
	agent := react.Loop{LLM: model, Tools: []tools.Tool{hostname}}
	result, err := agent.Run(context.Background(), "Say hello.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Answer)
}
