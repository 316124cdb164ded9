// Package scripted is an agent as a user of the library would write it, and,
// in its tests, how to test one: with scripts in the place of a model, and no
// network.
package scripted

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// Tickets looks up the text of a ticket.
type Tickets func(id string) (string, error)

// In returns the tickets of a folder, a file each.
func In(dir string) Tickets {
	return func(id string) (string, error) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.Base(id)+".txt"))
		if err != nil {
			return "", fmt.Errorf("no ticket %s", id)
		}
		return string(text), nil
	}
}

// Triage asks model how urgent a ticket is. The model reads what it needs with
// one tool.
func Triage(ctx context.Context, model llm.Asker, tickets Tickets, id string) (string, error) {
	read := tools.Tool{
		Name:  "ticket",
		Usage: "ID: the text of a ticket",
		Call:  func(_ context.Context, id string) (string, error) { return tickets(id) },
	}
	agent := react.Loop{LLM: model, Tools: []tools.Tool{read}, MaxSteps: 5, Retries: 1}
	result, err := agent.Run(ctx, fmt.Sprintf("How urgent is ticket %s? Answer low or high.", id))
	if err != nil {
		return "", fmt.Errorf("triage %s: %w", id, err)
	}
	return result.Answer, nil
}
