package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
)

// caught holds that a mistake is found by its own subtest and no other.
func caught(t *testing.T, mistake string, found map[string]error) {
	t.Helper()
	if mistake != "" && found[mistake] == nil {
		t.Errorf("nothing is found")
	}
	for name, err := range found {
		if name != mistake {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Log(err)
		}
	}
}

// A badDouble is a double with one mistake, named as the subtest of TestDouble that
// catches it.
type badDouble struct {
	mistake string
	replies []string

	mu   sync.Mutex
	next int
}

func (d *badDouble) Ask(ctx context.Context, _ string) (string, error) {
	if ctx.Err() != nil {
		if d.mistake == "cancelled" {
			d.take()
		}
		return "", ctx.Err()
	}
	n := d.take()
	if d.mistake == "exhausted" {
		n %= len(d.replies)
	}
	if n >= len(d.replies) {
		return "", errors.New("no reply is left")
	}
	reply := d.replies[n]
	switch d.mistake {
	case "reply":
		reply = strings.TrimRight(reply, " \n\t")
	case "trace":
		llm.ContextTrace(ctx).Delta(strings.ReplaceAll(reply, " ", ""))
	}
	return reply, nil
}

// take counts an ask.
func (d *badDouble) take() int {
	d.mu.Lock()
	n := d.next
	if d.mistake == "concurrent" {
		d.mu.Unlock()
		time.Sleep(time.Millisecond)
		d.mu.Lock()
	}
	d.next = n + 1
	d.mu.Unlock()
	return n
}

func TestBadDoubles(t *testing.T) {
	for _, mistake := range []string{"", "trace", "cancelled", "exhausted", "concurrent", "reply"} {
		t.Run(mistake, func(t *testing.T) {
			caught(t, mistake, llmtest.CheckDouble(t, func(_ *testing.T, replies ...string) llm.Asker {
				return &badDouble{mistake: mistake, replies: replies}
			}))
		})
	}
}

// A badWrapper is a wrapper with one mistake, named as the subtest of TestWrapper
// that catches it.
type badWrapper struct {
	llm.Asker
	mistake string

	mu     sync.Mutex
	latest string
}

func (w *badWrapper) Ask(ctx context.Context, prompt string) (string, error) {
	reply, err := w.Asker.Ask(w.context(ctx), w.prompt(prompt))
	var status *llm.StatusError
	switch {
	case w.mistake == "asks" && err == nil:
		_, _ = w.Asker.Ask(llm.WithParts(llm.WithoutTrace(ctx), llm.ContextParts(ctx)), prompt)
	case w.mistake == "retry-told" && errors.As(err, &status):
		reply, err = w.Asker.Ask(ctx, prompt)
	case w.mistake == "deadline" && errors.Is(err, context.DeadlineExceeded):
		err = errors.New("too slow")
	case w.mistake == "reply":
		reply = strings.TrimSpace(reply)
	case w.mistake == kindOf(err):
		err = fmt.Errorf("ask: %v", err)
	}
	return reply, err
}

// kindOf returns the subtest that an error is from.
func kindOf(err error) string {
	switch err := err.(type) {
	case nil:
		return "none"
	case *llm.TruncatedError:
		if err.Reason == "length" {
			return "error-length"
		}
		return "error-truncated"
	case *llm.StatusError:
		return map[int]string{400: "error-status", 503: "error-server", 429: "error-limit"}[err.Code]
	case *llm.ConnectionError:
		return "error-connection"
	case *llm.DecodeError:
		return "error-decode"
	case *llm.RefusedError:
		return "error-refused"
	}
	switch {
	case err == llm.ErrNoReply:
		return "error-no-reply"
	case strings.Contains(err.Error(), "context"):
		return "none"
	}
	return "error-other"
}

// context returns what the inner Asker is given.
func (w *badWrapper) context(ctx context.Context) context.Context {
	_, limited := ctx.Deadline()
	trace := llm.ContextTrace(ctx)
	hidden := llm.WithParts(llm.WithoutTrace(ctx), llm.ContextParts(ctx))
	switch {
	case w.mistake == "parts":
		return llm.WithParts(ctx, nil)
	case w.mistake == "cancel-before" && ctx.Err() != nil, w.mistake == "cancel-during" && ctx.Err() == nil && !limited:
		return context.WithoutCancel(ctx)
	case w.mistake == "trace":
		trace.Usage = nil
		return llm.WithTrace(hidden, &trace)
	case w.mistake == "trace-retry":
		trace.Retry = nil
		return llm.WithTrace(hidden, &trace)
	}
	return ctx
}

func (w *badWrapper) prompt(prompt string) string {
	switch w.mistake {
	case "prompt":
		return strings.ToValidUTF8(strings.ReplaceAll(prompt, "\r\n", "\n"), "")
	case "concurrent":
		w.mu.Lock()
		w.latest = prompt
		w.mu.Unlock()
		time.Sleep(time.Millisecond)
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.latest
	}
	return prompt
}

func TestBadWrappers(t *testing.T) {
	for _, mistake := range []string{
		"", "prompt", "reply", "parts", "trace", "trace-retry", "asks", "retry-told", "cancel-before", "cancel-during", "deadline", "concurrent",
		"error-truncated", "error-length", "error-status", "error-server", "error-limit", "error-connection", "error-decode", "error-refused", "error-no-reply", "error-other",
	} {
		t.Run(mistake, func(t *testing.T) {
			caught(t, mistake, llmtest.CheckWrapper(t, func(a llm.Asker) llm.Asker {
				return &badWrapper{Asker: a, mistake: mistake}
			}))
		})
	}
}
