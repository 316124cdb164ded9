package tools

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrTimeout is found in the error of a tool that [Timeout] has given up on.
var ErrTimeout = errors.New("timeout")

// grace is how long a tool whose time is up may take to hand in what it has.
const grace = 250 * time.Millisecond

// Timeout returns t with a deadline that holds also for a tool that does not
// listen to its context. Each call runs in a goroutine of its own. When d has
// passed, or the caller's context ends, the tool's context is cancelled; a tool
// that listens has a quarter of a second to return what it has, any other is
// abandoned: its goroutine goes on until it returns by itself, and what it
// returns then is dropped.
//
// A tool that is still busy then, or returns no more than the error of its
// context, is reported with an error that wraps [ErrTimeout], or with ctx.Err()
// if the caller's context has ended; any other result or error is returned as it
// is. A tool that calls runtime.Goexit gives an error too,
// where without Timeout it would end the goroutine of the run.
//
// A d of zero or less means that t is returned as it is.
func Timeout(t Tool, d time.Duration) Tool {
	if d <= 0 || t.Call == nil {
		return t
	}
	inner := t
	t.Call = func(ctx context.Context, input string) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		own, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		finished := start(own, inner, input)
		r, ok := wait(own, finished)
		switch {
		case ok && (own.Err() == nil || r.err != own.Err() && r.err != context.Cause(own)):
			return r.output, r.err
		case ctx.Err() != nil:
			return r.output, ctx.Err()
		}
		return r.output, fmt.Errorf("%s gave no result within %v: %w", inner.Name, d, ErrTimeout)
	}
	return t
}

type returned struct {
	output string
	err    error
}

// wait returns what the tool returned, or false if it is still busy when the
// grace after the end of ctx is over.
func wait(ctx context.Context, finished <-chan returned) (returned, bool) {
	select {
	case r := <-finished:
		return r, true
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case r := <-finished:
		return r, true
	case <-late.C:
		return returned{}, false
	}
}

// start calls t in a goroutine and sends what comes of it, once. The channel
// has room for it, so an abandoned goroutine can end.
func start(ctx context.Context, t Tool, input string) <-chan returned {
	finished := make(chan returned, 1)
	go func() {
		r := returned{err: fmt.Errorf("%s ended its goroutine without a result", t.Name)}
		defer func() { finished <- r }()
		r.output, r.err = t.Do(ctx, input)
	}()
	return finished
}
