// Command hello is the smallest real program: a model, a tool, a task. Here a
// script plays the model; put any llm.Asker in its place.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

var settings = map[string]string{"host": "0.0.0.0", "port": "8080"}

// agent answers questions about the settings.
func agent(model llm.Asker) react.Loop {
	setting := tools.Tool{
		Name:  "setting",
		Usage: "NAME: the value of a setting",
		Call: func(_ context.Context, name string) (string, error) {
			if value, ok := settings[name]; ok {
				return value, nil
			}
			return "", fmt.Errorf("no setting %q; there are host and port", name)
		},
	}
	return react.Loop{LLM: model, Tools: []tools.Tool{setting}}
}

func main() {
	model := &llm.ScriptedLLM{Replies: []string{
		"The settings should say.\nACT: setting port",
		"DONE: the server listens on 8080",
	}}
	result, err := agent(model).Run(context.Background(), "Which port does the server use?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Answer)
}
