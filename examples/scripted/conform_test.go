package scripted

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/openai"
)

// A counter counts the asks of another Asker.
type counter struct {
	llm.Asker
	asks atomic.Int64
}

func (c *counter) Ask(ctx context.Context, prompt string) (string, error) {
	c.asks.Add(1)
	return c.Asker.Ask(ctx, prompt)
}

func TestClient(t *testing.T) {
	llmtest.TestAsker(t, func(t *testing.T, ep llmtest.Endpoint) llm.Asker {
		return &openai.Client{BaseURL: ep.BaseURL, Key: openai.Secret(ep.Key), Model: ep.Model, HTTP: ep.Client, Plain: ep.Plain}
	})
}

func TestCounter(t *testing.T) {
	llmtest.TestWrapper(t, func(a llm.Asker) llm.Asker { return &counter{Asker: a} })
}

func TestCounterCounts(t *testing.T) {
	c := &counter{Asker: llmtest.Script(t, "DONE: a", "DONE: b")}
	for range 2 {
		_, err := c.Ask(t.Context(), "p")
		assert.NoError(t, err)
	}
	assert.EqualValues(t, 2, c.asks.Load())
}
