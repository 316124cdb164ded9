package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/actdone/actdone/llm"
)

// wantsError reports an error that does not say what want says. Words that differ
// from client to client are not compared.
func (r *report) wantsError(e end, want error) {
	kind := fmt.Sprintf("%T: ", want)
	if want == llm.ErrNoReply {
		kind = "llm.ErrNoReply: "
	}
	switch {
	case e.err == nil:
		r.errorf("the ask returned %s; want %s%v", shorten(e.reply), kind, want)
	case !says(e.err, want):
		r.errorf("the error is %T: %v; want %s%v", e.err, e.err, kind, want)
	}
}

// says reports whether err says what want does.
func says(err, want error) bool {
	switch want := want.(type) {
	case *llm.TruncatedError:
		got, ok := errors.AsType[*llm.TruncatedError](err)
		return ok && got.Text == want.Text && (want.Err == nil || errors.Is(err, io.ErrUnexpectedEOF))
	case *llm.StatusError:
		got, ok := errors.AsType[*llm.StatusError](err)
		return ok && *got == *want
	case *llm.RefusedError:
		got, ok := errors.AsType[*llm.RefusedError](err)
		return ok && got.Text == want.Text
	case *llm.DecodeError:
		_, ok := errors.AsType[*llm.DecodeError](err)
		return ok
	}
	return errors.Is(err, want)
}

// contextChecks are about asks that end with their context.
func (a askerTest) contextChecks() []check {
	return []check{
		{"cancel-before", a.cancelBefore},
		{"fault-timeout", a.cancelHeaders},
		{"fault-hang", a.cancelStream},
		{"deadline", a.deadline},
		{"connection", a.connection},
	}
}

func (a askerTest) cancelBefore(r *report) {
	b := a.bench(r, "-- reply --\nfine\n", setup{})
	ctx, cancel := context.WithCancel(r.t.Context())
	cancel()
	r.wantsEnded(r.ask(ctx, b.asker, "go"), context.Canceled)
	if n := len(b.asked()); n > 0 {
		r.errorf("the server was asked though the context had ended before")
	}
}

// cancelHeaders: a server that does not answer.
func (a askerTest) cancelHeaders(r *report) {
	b := a.bench(r, "-- fault timeout times=20 --\n", setup{})
	r.wantsEnded(b.askUntil(10*time.Second, "go"), context.Canceled)
}

// cancelStream: a server that stops in the middle.
func (a askerTest) cancelStream(r *report) {
	b := a.bench(r, "-- fault hang after=2 times=20 --\none two three\n", setup{})
	r.wantsEnded(b.askUntil(10*time.Second, "go"), context.Canceled)
}

func (a askerTest) deadline(r *report) {
	b := a.bench(r, "-- fault timeout times=20 --\n", setup{})
	r.wantsEnded(b.askFor(10*time.Second, "go"), context.DeadlineExceeded)
}

// connection: a server that is not there.
func (a askerTest) connection(r *report) {
	b := a.bench(r, "-- reply --\nfine\n", setup{})
	b.close()
	e := b.ask("go")
	if _, ok := errors.AsType[*llm.ConnectionError](e.err); !ok {
		r.errorf("the error of a server that cannot be reached is %T: %v; want *llm.ConnectionError", e.err, e.err)
	}
}

// retryChecks are about asks that are sent again. No Asker must.
func (a askerTest) retryChecks() []check {
	return []check{
		{"no-retry", a.noRetry},
		{"retry-after", func(r *report) { a.retryAfter(r, nil) }},
		{"retry-after-date", func(r *report) { a.retryAfter(r, afterDate) }},
		{"retry-bounded", a.retryBounded},
		{"retry-deadline", a.retryDeadline},
		{"retry-told", a.retryTold},
	}
}

func (a askerTest) noRetry(r *report) {
	for _, code := range []int{401, 403, 404} {
		b := a.bench(r, fmt.Sprintf("-- fault status %d times=20 --\nno\n", code), setup{})
		b.ask("go")
		if n := len(b.asked()); n != 1 {
			r.errorf("after the status %d the server was asked %d times, want once", code, n)
		}
	}
}

// retryAfter: the wait that the server asks for is kept, or handed on.
func (a askerTest) retryAfter(r *report, wrap func(http.Handler) http.Handler) {
	const asked = 20 * time.Second
	b := a.bench(r, "-- fault status 429 retry-after=20s --\nslow down\n-- reply --\nfine\n", setup{wrap: wrap})
	e := b.ask("go")
	if len(b.asked()) == 1 {
		if status, ok := errors.AsType[*llm.StatusError](e.err); !ok || status.RetryAfter != asked {
			r.errorf("the error is %v; want *llm.StatusError with the server's RetryAfter of %v", e.err, asked)
		}
		return
	}
	r.wants(e, "fine")
	if e.took < asked {
		r.errorf("it asked again after %v; the server asked for %v", e.took, asked)
	}
}

// afterDate makes the header Retry-After a date.
func afterDate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&dateWriter{ResponseWriter: w}, r)
	})
}

type dateWriter struct{ http.ResponseWriter }

func (w *dateWriter) WriteHeader(code int) {
	if d, err := time.ParseDuration(w.Header().Get("Retry-After") + "s"); err == nil {
		w.Header().Set("Retry-After", time.Now().Add(d).UTC().Format(http.TimeFormat))
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *dateWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// mostTries is how often an ask may be sent.
const mostTries = 20

func (a askerTest) retryBounded(r *report) {
	b := a.bench(r, "-- fault status 500 times=1000 --\nout of order\n", setup{})
	e := b.ask("go")
	if n := len(b.asked()); n > mostTries {
		r.errorf("it asked %d times, want %d at most", n, mostTries)
	}
	if e.err == nil || e.late {
		r.errorf("the ask returned %q, %v; want an error", e.reply, e.err)
	}
}

func (a askerTest) retryDeadline(r *report) {
	for _, after := range []string{"", " retry-after=3600s"} {
		b := a.bench(r, "-- fault status 503"+after+" times=1000 --\nbusy\n", setup{})
		if e := b.askFor(5*time.Second, "go"); e.late || e.err == nil {
			r.errorf("an ask with a deadline: %v", e.err)
		}
	}
}

func (a askerTest) retryTold(r *report) {
	b := a.bench(r, "-- fault status 503 --\nbusy\n-- reply --\nfine\n", setup{})
	e := b.ask("go")
	if n := len(b.asked()); e.retries != n-1 {
		r.errorf("it asked %d times and told Trace.Retry of %d", n, e.retries)
	}
}
