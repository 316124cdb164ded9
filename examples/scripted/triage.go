// Package scripted is an agent as a user of the library would write it, and,
// in its test, how to test one: with a scripted model, and no network.
package scripted

import (
	"context"
	"fmt"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// Tickets looks up the text of a ticket.
type Tickets func(id string) (string, error)

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
