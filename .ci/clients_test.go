package ci

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/internal/clienttest"
)

// patience is how long a request may take.
const patience = 20 * time.Second

// A client makes one ask, in which messages are added to what it has asked before,
// and says what came of it.
type client interface {
	ask(ctx context.Context, stream bool) clienttest.Turn
	goOn(turn clienttest.Turn) // adds the reply, and what follows it
}

// converse asks a number of times.
func converse(t *testing.T, c client, stream bool, asks int) []clienttest.Turn {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var turns []clienttest.Turn
	for len(turns) < asks {
		turn := c.ask(ctx, stream)
		turns = append(turns, turn)
		if turn.Error == nil && (turn.Text != "" || len(turn.Calls) > 0) {
			c.goOn(turn)
		}
	}
	return turns
}

// each serves all cases, for whole replies and for streams, to a client made by
// dial, of which want says what it makes of a case.
func each(t *testing.T, dial func(base string, retries int, h *http.Client) client, want func(c clienttest.Case, stream bool) []clienttest.Turn) {
	for _, c := range clienttest.Cases {
		for i, name := range []string{c.Name + "-plain", c.Name + "-stream"} {
			t.Run(name, func(t *testing.T) {
				base, check := c.Serve(t)
				transport := &http.Transport{}
				defer transport.CloseIdleConnections()
				model, want := dial(base, c.Retries, &http.Client{Transport: transport}), want(c, i == 1)
				clienttest.Equal(t, want, converse(t, model, i == 1, len(want)))
				assert.NoError(t, check())
			})
		}
	}
}
