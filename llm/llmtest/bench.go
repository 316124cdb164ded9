package llmtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// soon is how long an ask may go on after its context has ended, and long how long
// it may go on at all: time is fake.
const (
	soon = time.Second
	long = 24 * time.Hour
)

// An end is what came of an ask.
type end struct {
	reply   string
	err     error
	late    bool // it had not returned in time
	took    time.Duration
	deltas  []string
	retries int
	usage   []llm.Usage
}

// ask asks a, and gives up if it does not return. The check waits for it all the
// same, at its end.
func (r *report) ask(ctx context.Context, a llm.Asker, prompt string) end {
	var mu sync.Mutex
	var heard end
	ctx = llm.WithTrace(ctx, &llm.Trace{
		Delta: func(text string) { mu.Lock(); defer mu.Unlock(); heard.deltas = append(heard.deltas, text) },
		Retry: func(error) { mu.Lock(); defer mu.Unlock(); heard.retries++; heard.deltas = nil },
		Usage: func(u llm.Usage) { mu.Lock(); defer mu.Unlock(); heard.usage = append(heard.usage, u) },
	})
	start, done := time.Now(), make(chan end, 1)
	r.asks.Go(func() {
		var e end
		defer func() {
			if v := recover(); v != nil {
				e.err = fmt.Errorf("panic: %v", v)
			}
			done <- e
		}()
		e.reply, e.err = a.Ask(ctx, prompt)
	})
	e := wait(ctx, done)
	mu.Lock()
	defer mu.Unlock()
	e.took, e.deltas, e.retries, e.usage = time.Since(start), heard.deltas, heard.retries, heard.usage
	return e
}

// wait waits for an end until it is too late.
func wait(ctx context.Context, done <-chan end) end {
	select {
	case e := <-done:
		return e
	case <-time.After(long):
		return end{late: true, err: errors.New("it did not return")}
	case <-ctx.Done():
	}
	select {
	case e := <-done:
		return e
	case <-time.After(soon):
		return end{late: true, err: fmt.Errorf("it did not return within %v after its context had ended", soon)}
	}
}

// wants reports an ask that did not end with a reply.
func (r *report) wants(e end, reply string) {
	switch {
	case e.err != nil:
		r.errorf("the ask failed: %v", e.err)
	case e.reply != reply:
		r.errorf("the reply is %s, want %s", shorten(e.reply), shorten(reply))
	}
}

// wantsEnded reports an ask that did not end as its context did.
func (r *report) wantsEnded(e end, cause error) {
	switch {
	case e.late:
		r.errorf("%v", e.err)
	case !errors.Is(e.err, cause):
		r.errorf("the error is %v; want one for which errors.Is(err, %v) holds", e.err, cause)
	}
}

// shorten returns a text as messages show it.
func shorten(text string) string {
	const most = 200
	if len(text) > most {
		return fmt.Sprintf("%q… (%d bytes)", text[:most], len(text))
	}
	return fmt.Sprintf("%q", text)
}

// A bench is an Asker under test before a server.
type bench struct {
	*report
	*Server
	asker llm.Asker

	mu       sync.Mutex
	requests []http.Header // as they came
}

// testKey is the key that the Asker under test is given.
const testKey = "sk-test-4f9c2ab17d3e8056"

// An askerTest tests an Asker that talks HTTP.
type askerTest struct {
	new func(t *testing.T, ep Endpoint) llm.Asker
}

// A setup is how a bench is made. The zero value is that of most.
type setup struct {
	plain  bool
	script *script.Script                  // in place of a text
	wrap   func(http.Handler) http.Handler // round the server
}

// bench makes a bench whose server plays a script file's text.
func (a askerTest) bench(r *report, text string, how setup) *bench {
	s := how.script
	if s == nil {
		s = parseText(text)
	}
	s.Name = "the script of the test"
	player := &script.Player{Script: s, Regrow: true}
	r.players = append(r.players, player)
	b := &bench{report: r, Server: serve(r.t, player)}
	handler := b.http.Handler
	if how.wrap != nil {
		handler = how.wrap(handler)
	}
	b.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.requests = append(b.requests, r.Header.Clone())
		b.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
	b.InMemory()
	b.asker = a.new(r.t, Endpoint{BaseURL: b.BaseURL(), Key: testKey, Model: "test-model", Client: b.Client(), Plain: how.plain})
	return b
}

// parseText returns a script of the suite. Where it does not say otherwise it is
// about prompts.
func parseText(text string) *script.Script {
	if !strings.HasPrefix(text, "-- script --") {
		text = "-- script --\napi text\n" + text
	}
	s, err := script.Parse("conformance.txtar", []byte(text))
	if err != nil {
		panic(err) // unreachable: the suite's scripts are right
	}
	return s
}

// ask asks the Asker under test.
func (b *bench) ask(prompt string) end { return b.report.ask(b.report.t.Context(), b.asker, prompt) }

// askFor asks with a deadline.
func (b *bench) askFor(d time.Duration, prompt string) end {
	ctx, cancel := context.WithTimeout(b.report.t.Context(), d)
	defer cancel()
	return b.report.ask(ctx, b.asker, prompt)
}

// askUntil asks, and cancels after d.
func (b *bench) askUntil(d time.Duration, prompt string) end {
	ctx, cancel := context.WithCancel(b.report.t.Context())
	defer cancel()
	timer := time.AfterFunc(d, cancel)
	defer timer.Stop()
	return b.report.ask(ctx, b.asker, prompt)
}

// asked returns the requests that came.
func (b *bench) asked() []http.Header {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]http.Header(nil), b.requests...)
}

// prompts returns the prompts that came.
func (b *bench) prompts() []string {
	var all []string
	for _, call := range b.Calls() {
		all = append(all, call.Prompt)
	}
	return all
}

// wantsPrompts reports prompts that differ from the wanted ones.
func (b *bench) wantsPrompts(want ...string) {
	got := b.prompts()
	if len(got) != len(want) {
		b.errorf("the server was asked %d times, want %d", len(got), len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			b.errorf("the server was asked %s, want %s", shorten(got[i]), shorten(want[i]))
		}
	}
}
