// Command agentloop is the smallest agent whose model calls functions: one loop,
// and bash. It works on one task in this folder:
//
//	export OPENAI_API_KEY=... OPENAI_MODEL=gpt-5-mini
//	go run ./examples/agentloop "create hello.py that prints Hello, World!"
//
// The loop is there twice: written out in loop.go, and as [react.Native], which
// does the same and besides keeps the history valid whatever happens, refuses
// replies that were cut, survives tools that panic, shortens long outputs,
// traces, and goes on from saved steps. Commands are isolated with bubblewrap.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
	"github.com/actdone/actdone/tools/workspace"
)

// native is the same agent with package react.
func native(model llm.Chatter, bash tools.Tool) react.Native {
	return react.Native{LLM: model, Tools: []tools.Tool{bash}}
}

// bashOf returns the tool bash of a folder.
func bashOf(folder *workspace.Workspace) (tools.Tool, error) {
	list := folder.Tools()
	i := slices.IndexFunc(list, func(t tools.Tool) bool { return t.Name == "bash" })
	if i < 0 {
		return tools.Tool{}, errors.New("the folder has no bash")
	}
	return list[i], nil
}

func run(ctx context.Context, task string) (string, error) {
	folder, err := workspace.Open(workspace.Config{Dir: ".", Approver: workspace.AllowAll{}, Runner: workspace.Bubblewrap{}})
	if err != nil {
		return "", err
	}
	defer folder.Close()
	bash, err := bashOf(folder)
	if err != nil {
		return "", err
	}
	result, err := native(&openai.Client{}, bash).Run(ctx, task)
	return result.Answer, err
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal(`usage: agentloop "TASK"`)
	}
	answer, err := run(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}
