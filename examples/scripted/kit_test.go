package scripted

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
)

// tickets are those of the tests in code.
func tickets(id string) (string, error) {
	return map[string]string{"7": "The shop is down.", "9": "A typo on the front page."}[id], nil
}

func TestInCode(t *testing.T) {
	model := llmtest.Script(t, "ACT: ticket 7", "DONE: high")
	urgency, err := Triage(t.Context(), model, tickets, "7")
	require.NoError(t, err)
	assert.Equal(t, "high", urgency)
	llmtest.Prompt(t, model, 2, llmtest.Has("OBS: The shop is down."), llmtest.Lacks("error:"))
}

func TestBusyInCode(t *testing.T) {
	model := llmtest.Script(t, llmtest.Status(503))
	_, err := Triage(t.Context(), model, tickets, "7")
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 503, status.Code)
}

func TestPrompts(t *testing.T) {
	model := llmtest.Script(t, "ACT: ticket 7", "DONE: high")
	_, err := Triage(t.Context(), model, tickets, "7")
	require.NoError(t, err)
	llmtest.Golden(t, model) // testdata/golden/TestPrompts.txtar
}

func TestTwoAtOnce(t *testing.T) {
	llmtest.Bubble(t, func(t *testing.T) { // in which the 30 seconds of the script take no time
		model := llmtest.Open(t, "more/two")
		var all sync.WaitGroup
		for id, want := range map[string]string{"7": "high", "9": "low"} {
			all.Go(func() {
				urgency, err := Triage(t.Context(), model, tickets, id)
				assert.NoError(t, err)
				assert.Equal(t, want, urgency)
			})
		}
		all.Wait()
		llmtest.Asked(t, model.Lane("typo"), 2)
	})
}

func TestNothingSecret(t *testing.T) { llmtest.NoSecrets(t, "testdata") }

func TestOverHTTP(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Script(t, llmtest.Status(400)))
	model := &openai.Client{BaseURL: server.BaseURL(), HTTP: server.Client(), Model: "any"}
	_, err := Triage(t.Context(), model, tickets, "7")
	require.ErrorContains(t, err, "server answered 400")
}

func TestRecorded(t *testing.T) {
	model := llmtest.Open(t, "more/recorded")
	model.Live, model.LiveName = &openai.Client{}, os.Getenv("OPENAI_MODEL") // asked by -llm.record alone
	urgency, err := Triage(t.Context(), model, tickets, model.Script.Task.Text)
	require.NoError(t, err)
	assert.Equal(t, "low", urgency)
}

func TestActs(t *testing.T) {
	loop := react.Loop{LLM: llmtest.Script(t, "ACT: look", "DONE: nothing to see")}
	result, err := loop.Run(t.Context(), "Look round.")
	require.NoError(t, err)
	llmtest.Acted(t, result.Steps, "look", "")
	llmtest.Observed(t, result.Steps, "look", llmtest.Has("unknown tool look"))
}
