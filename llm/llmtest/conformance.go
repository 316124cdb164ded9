package llmtest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// Conformance tests that an [llm.Asker] keeps its contract, each rule in a subtest
// in a [Bubble] of fake time. The zero value is ready; [TestAsker], [TestDouble]
// and [TestWrapper] are short for it.
type Conformance struct {
	// Without names subtests that the Asker is known to fail. One that it
	// passes all the same fails the test: the gap is closed.
	Without []string
}

// An Endpoint is the server that an Asker under test asks. It is in memory.
type Endpoint struct {
	BaseURL string       // of the API; ends in "/v1"
	Key     string       // to be sent as a bearer token, and shown to nobody
	Model   string       // to be named in requests
	Client  *http.Client // reaches the server; nothing else does
	Plain   bool         // whole replies are wanted in place of streams, of an Asker that can do both
}

// TestAsker tests an Asker that talks to an OpenAI-compatible server over HTTP:
//
//	func TestClient(t *testing.T) {
//		llmtest.TestAsker(t, func(t *testing.T, ep llmtest.Endpoint) llm.Asker {
//			return &openai.Client{BaseURL: ep.BaseURL, Key: openai.Secret(ep.Key), Model: ep.Model, HTTP: ep.Client, Plain: ep.Plain}
//		})
//	}
//
// It needs no network. The Asker must send its requests through ep.Client, wait
// with timers of package time and start no goroutine that it does not end; new is
// called in the bubble, for each server anew.
func TestAsker(t *testing.T, new func(t *testing.T, ep Endpoint) llm.Asker) {
	t.Helper()
	Conformance{}.TestAsker(t, new)
}

// TestDouble tests an Asker that answers with the given replies, in order, each
// once, and talks to no server.
func TestDouble(t *testing.T, new func(t *testing.T, replies ...string) llm.Asker) {
	t.Helper()
	Conformance{}.TestDouble(t, new)
}

// TestWrapper tests an Asker that asks another one: one that retries, counts,
// logs, limits. It must hand on prompts, replies, errors and contexts, and ask
// again only when it has said so ([llm.Trace].Retry).
func TestWrapper(t *testing.T, wrap func(llm.Asker) llm.Asker) {
	t.Helper()
	Conformance{}.TestWrapper(t, wrap)
}

// TestAsker is as the function of that name.
func (c Conformance) TestAsker(t *testing.T, new func(t *testing.T, ep Endpoint) llm.Asker) {
	t.Helper()
	c.run(t, askerChecks(new))
}

// TestDouble is as the function of that name.
func (c Conformance) TestDouble(t *testing.T, new func(t *testing.T, replies ...string) llm.Asker) {
	t.Helper()
	c.run(t, doubleChecks(new))
}

// TestWrapper is as the function of that name.
func (c Conformance) TestWrapper(t *testing.T, wrap func(llm.Asker) llm.Asker) {
	t.Helper()
	c.run(t, wrapperChecks(wrap))
}

// A check is a rule of the contract.
type check struct {
	name string
	run  func(r *report)
}

// A report collects what a check finds. It is safe for concurrent use.
type report struct {
	t    *testing.T
	asks sync.WaitGroup // under way

	mu     sync.Mutex
	faults []error

	players []*script.Player // of the servers
}

func (r *report) errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Errorf(format, args...))
}

// result runs the check in a bubble and returns what it finds.
func (c check) result(t *testing.T) error {
	t.Helper()
	r := &report{}
	Bubble(t, func(t *testing.T) {
		r.t = t
		t.Cleanup(r.asks.Wait) // the last thing: servers are closed
		c.run(r)
	})
	if len(r.faults) > 0 {
		r.faults = append(r.refused(), r.faults...)
	}
	if more := len(r.faults) - mostFaults; more > 0 {
		r.faults = append(r.faults[:mostFaults:mostFaults], fmt.Errorf("and %d more", more))
	}
	return errors.Join(r.faults...)
}

// refused returns why the first request was refused that was, which the Asker
// may not tell.
func (r *report) refused() []error {
	for _, player := range r.players {
		for _, fault := range player.Untold(nil) {
			if e, ok := errors.AsType[*script.RefusedError](fault); ok {
				return []error{fmt.Errorf("request %d was refused with status %d: %s", e.Request, e.Code, e.Reason)}
			}
		}
	}
	return nil
}

// mostFaults is how many faults of a check are shown.
const mostFaults = 5

// run runs each check as a subtest.
func (c Conformance) run(t *testing.T, checks []check) {
	t.Helper()
	c.names(t, checks)
	for _, one := range checks {
		t.Run(one.name, func(t *testing.T) {
			t.Helper()
			judge(t, one.result(t), slices.Contains(c.Without, one.name))
		})
	}
}

// names reports gaps that are no subtests.
func (c Conformance) names(t testing.TB, checks []check) {
	t.Helper()
	for _, name := range c.Without {
		if !slices.ContainsFunc(checks, func(one check) bool { return one.name == name }) {
			t.Errorf("llmtest: Without names %q, which is no subtest", name)
		}
	}
}

// judge says what a check has found. A known gap must have been found.
func judge(t testing.TB, err error, gap bool) {
	t.Helper()
	switch {
	case gap && err == nil:
		t.Errorf("this gap is closed; take it out of Without")
	case gap:
		t.Skipf("a known gap: %v", err)
	case err != nil:
		t.Errorf("%v", err)
	}
}
