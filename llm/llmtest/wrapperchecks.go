package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actdone/actdone/llm"
)

// wrapperChecks returns the rules for an Asker that asks another.
func wrapperChecks(wrap func(llm.Asker) llm.Asker) []check {
	w := wrapperTest{wrap}
	checks := []check{
		{"prompt", w.prompt},
		{"reply", w.reply},
		{"parts", w.parts},
		{"trace", w.trace},
		{"trace-retry", w.traceRetry},
		{"asks", w.asks},
		{"retry-told", w.retryTold},
		{"cancel-before", w.cancelBefore},
		{"cancel-during", w.cancelDuring},
		{"deadline", w.deadline},
		{"concurrent", w.concurrent},
	}
	for name, err := range wrappedErrors() {
		checks = append(checks, check{name, func(r *report) { w.hands(r, err) }})
	}
	slices.SortStableFunc(checks[11:], func(a, b check) int { return strings.Compare(a.name, b.name) })
	return checks
}

// wrappedErrors are the errors that must come through, by subtest.
func wrappedErrors() map[string]error {
	return map[string]error{
		"error-truncated":  &llm.TruncatedError{Text: "ACT: rm", Reason: "connection broke", Err: io.ErrUnexpectedEOF},
		"error-length":     &llm.TruncatedError{Text: "ACT: rm", Reason: "length"},
		"error-status":     &llm.StatusError{Code: 400, Message: "no such model"},
		"error-server":     &llm.StatusError{Code: 503, Message: "busy"},
		"error-limit":      &llm.StatusError{Code: 429, Message: "slow down", RetryAfter: 3 * time.Second},
		"error-connection": &llm.ConnectionError{Host: "http://model.test", Err: errors.New("refused")},
		"error-decode":     &llm.DecodeError{Code: 200, Body: "<html>"},
		"error-refused":    &llm.RefusedError{Text: "I cannot", Reason: "refusal"},
		"error-no-reply":   llm.ErrNoReply,
		"error-other":      errors.New("another error"),
	}
}

// A wrapperTest tests an Asker that asks another.
type wrapperTest struct{ wrap func(llm.Asker) llm.Asker }

// An inner is the Asker that is wrapped. It keeps what it is asked.
type inner struct {
	answer func(ctx context.Context, prompt string) (string, error)

	mu      sync.Mutex
	prompts []string
	parts   [][]llm.Part
}

// Ask keeps the ask and answers it.
func (i *inner) Ask(ctx context.Context, prompt string) (string, error) {
	i.mu.Lock()
	i.prompts = append(i.prompts, prompt)
	i.parts = append(i.parts, llm.ContextParts(ctx))
	i.mu.Unlock()
	return i.answer(ctx, prompt)
}

func (i *inner) asks() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.prompts)
}

// always returns an inner that answers every prompt alike.
func always(reply string, err error) *inner {
	return &inner{answer: func(context.Context, string) (string, error) { return reply, err }}
}

// deaf returns an inner that answers when its context ends, or the test does.
func deaf(r *report) *inner {
	return &inner{answer: func(ctx context.Context, _ string) (string, error) {
		select {
		case <-ctx.Done():
		case <-r.t.Context().Done():
		}
		return "", ctx.Err()
	}}
}

func (w wrapperTest) prompt(r *report) {
	for _, prompt := range oddPrompts() {
		in := always("fine", nil)
		r.ask(r.t.Context(), w.wrap(in), prompt)
		for _, got := range in.prompts {
			if got != prompt {
				r.errorf("the inner Asker was asked %q, want %q", got, prompt)
			}
		}
	}
}

func (w wrapperTest) reply(r *report) {
	for _, reply := range oddReplies() {
		r.wants(r.ask(r.t.Context(), w.wrap(always(reply, nil)), "go"), reply)
	}
}

func (w wrapperTest) parts(r *report) {
	parts := []llm.Part{{Role: llm.System, Name: "instructions", End: 2}, {Role: llm.User, Name: "task", End: 4}}
	in := always("fine", nil)
	r.ask(llm.WithParts(r.t.Context(), parts), w.wrap(in), "abcd")
	for _, got := range in.parts {
		if !slices.Equal(got, parts) {
			r.errorf("the parts in the inner Asker's context are %v, want %v", got, parts)
		}
	}
}

// trace: what the inner Asker tells is heard, once.
func (w wrapperTest) trace(r *report) {
	e := r.ask(r.t.Context(), w.wrap(&inner{answer: func(ctx context.Context, _ string) (string, error) {
		trace := llm.ContextTrace(ctx)
		trace.Delta("fi")
		trace.Delta("ne")
		trace.Usage(llm.Usage{Prompt: 9, Reply: 2})
		return "fine", nil
	}}), "go")
	if got := strings.Join(e.deltas, ""); got != "fine" {
		r.errorf("Trace.Delta heard %q, want %q", got, "fine")
	}
	if want := []llm.Usage{{Prompt: 9, Reply: 2}}; !slices.Equal(e.usage, want) {
		r.errorf("Trace.Usage heard %+v, want %+v", e.usage, want)
	}
}

// traceRetry: a retry of the inner Asker's own is heard, and nothing that it made
// void.
func (w wrapperTest) traceRetry(r *report) {
	e := r.ask(r.t.Context(), w.wrap(&inner{answer: func(ctx context.Context, _ string) (string, error) {
		trace := llm.ContextTrace(ctx)
		trace.Delta("half")
		trace.Retry(io.ErrUnexpectedEOF)
		trace.Delta("fine")
		return "fine", nil
	}}), "go")
	if got := strings.Join(e.deltas, ""); got != "fine" || e.retries != 1 {
		r.errorf("since the last of %d retries Trace.Delta heard %q; want 1 and %q", e.retries, got, "fine")
	}
}

// asks: a reply ends it.
func (w wrapperTest) asks(r *report) {
	in := always("fine", nil)
	r.ask(r.t.Context(), w.wrap(in), "go")
	if n := in.asks(); n != 1 {
		r.errorf("for one reply the inner Asker was asked %d times", n)
	}
}

// retryTold: each further ask is told of before.
func (w wrapperTest) retryTold(r *report) {
	for name, err := range wrappedErrors() {
		in := always("", err)
		e := r.ask(r.t.Context(), w.wrap(in), "go")
		if n := in.asks(); n < 1 || n > mostTries || e.retries != n-1 {
			r.errorf("%s: the inner Asker was asked %d times and Trace.Retry told of %d further asks", strings.TrimPrefix(name, "error-"), n, e.retries)
		}
	}
}

// hands: an error comes through, whether or not it was asked again.
func (w wrapperTest) hands(r *report, err error) {
	e := r.ask(r.t.Context(), w.wrap(always("", err)), "go")
	if !errors.Is(e.err, err) {
		r.errorf("the error is %T: %v; want one for which errors.Is holds with the inner Asker's: %v", e.err, e.err, err)
	}
}

func (w wrapperTest) cancelBefore(r *report) {
	ctx, cancel := context.WithCancel(r.t.Context())
	cancel()
	r.wantsEnded(r.ask(ctx, w.wrap(&inner{answer: func(ctx context.Context, _ string) (string, error) {
		return "fine", ctx.Err()
	}}), "go"), context.Canceled)
}

func (w wrapperTest) cancelDuring(r *report) {
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	timer := time.AfterFunc(10*time.Second, cancel)
	defer timer.Stop()
	r.wantsEnded(r.ask(ctx, w.wrap(deaf(r)), "go"), context.Canceled)
}

func (w wrapperTest) deadline(r *report) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	r.wantsEnded(r.ask(ctx, w.wrap(deaf(r)), "go"), context.DeadlineExceeded)
}

// concurrent: a hundred asks at once, each with an answer of its own.
func (w wrapperTest) concurrent(r *report) {
	wrapped := w.wrap(&inner{answer: func(_ context.Context, prompt string) (string, error) {
		time.Sleep(time.Second)
		return "reply to " + prompt, nil
	}})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			prompt := fmt.Sprintf("ask %d.", i)
			r.wants(r.ask(r.t.Context(), wrapped, prompt), "reply to "+prompt)
		})
	}
	all.Wait()
}
