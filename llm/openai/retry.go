package openai

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/actdone/actdone/llm"
)

// firstWait is the wait before the second try. It doubles from try to try.
const firstWait = 500 * time.Millisecond

// send sends a request until there is a reply, or an error that another try does
// not mend.
func (c *Client) send(ctx context.Context, r request) (llm.Message, error) {
	if err := ctx.Err(); err != nil {
		return llm.Message{}, err
	}
	s, err := c.settings()
	if err != nil {
		return llm.Message{}, err
	}
	trace := llm.ContextTrace(ctx)
	for try := 1; ; try++ {
		a := attempt{client: c, settings: s, request: r, trace: trace}
		reply, err := a.run(ctx)
		if err == nil {
			return reply, nil
		}
		if err = ended(ctx, s.scrub(err)); ctx.Err() != nil || a.arrived {
			return llm.Message{}, err
		}
		wait := time.Duration(0)
		if a.adapt(err) {
			try--
		} else if wait = c.again(ctx, s, try, err); wait < 0 {
			return llm.Message{}, err
		}
		trace.Retry(err)
		if !sleep(ctx, wait) {
			return llm.Message{}, ended(ctx, err)
		}
	}
}

// ended adds the end of ctx to an error that it caused.
func ended(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// retryable reports whether the same request may succeed later.
func retryable(err error) bool {
	if lost, ok := errors.AsType[*llm.ConnectionError](err); ok {
		return !unreachable(lost.Err)
	}
	if cut, ok := errors.AsType[*llm.TruncatedError](err); ok {
		return cut.Reason == noFinish || cut.Reason == broke
	}
	status, ok := errors.AsType[*llm.StatusError](err)
	if !ok {
		return false
	}
	switch status.Code {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status.Code >= 500
}

// again returns how long to wait before the next try, or less than zero if there
// is to be none: it could not help, it would be one too many, or the wait longer
// than allowed or than the deadline of ctx leaves.
func (c *Client) again(ctx context.Context, s *settings, try int, last error) time.Duration {
	if try >= s.tries || !retryable(last) {
		return -1
	}
	d := min(c.backoff(try), s.maxWait)
	if status, ok := errors.AsType[*llm.StatusError](last); ok && status.RetryAfter > 0 {
		d = status.RetryAfter
	}
	if deadline, ok := ctx.Deadline(); d > s.maxWait || ok && time.Until(deadline) <= d {
		return -1
	}
	return d
}

// sleep waits for d. It reports false if ctx has ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// backoff returns the wait after a try, between a half and the whole of a time
// that doubles.
func (c *Client) backoff(try int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.random == nil {
		seed := c.Seed
		if seed == 0 {
			seed = rand.Uint64()
		}
		c.random = rand.New(rand.NewPCG(seed, 0))
	}
	whole := firstWait << min(try-1, 16)
	return whole/2 + time.Duration(c.random.Int64N(int64(whole/2)))
}

// retryAfter reads the header that says how long to wait: seconds or a date
// (RFC 9110, section 10.2.3), or OpenAI's milliseconds.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return duration(ms / 1000)
	}
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return duration(seconds)
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// duration is a number of seconds that a server wrote, which may be anything.
func duration(seconds float64) time.Duration {
	if !(seconds > 0) { // also NaN
		return 0
	}
	return time.Duration(min(seconds, 1e9) * float64(time.Second))
}
