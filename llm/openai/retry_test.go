package openai_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// A handler answers the n-th request in memory.
type handler func(r *http.Request, n int) (*http.Response, error)

// says answers with a status and headers (name, value).
func says(code int, header ...string) handler {
	return func(r *http.Request, _ int) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return response(r, code, h, "no"), nil
	}
}

// streams answers with a stream of texts, waits and an error.
func streams(body ...any) handler {
	return func(r *http.Request, _ int) (*http.Response, error) { return response(r, 200, nil, body...), nil }
}

func fails(err error) handler {
	return func(*http.Request, int) (*http.Response, error) { return nil, err }
}

// hangs never answers.
func hangs(r *http.Request, _ int) (*http.Response, error) { return nil, pause(r, 1000*time.Hour) }

// asked asks a model whose server answers with handlers in turn, the last one
// again and again. It returns how often it was asked, and how long it took.
func asked(t *testing.T, ctx context.Context, set func(*openai.Client), handlers ...handler) (o outcome) {
	t.Helper()
	model := inMemory(func(r *http.Request, n int) (*http.Response, error) {
		o.asks = n
		return handlers[min(n, len(handlers))-1](r, n)
	})
	if set != nil {
		set(model)
	}
	start := time.Now()
	o.reply, o.err = model.Ask(llm.WithTrace(ctx, o.trace()), "p")
	o.took = time.Since(start)
	return o
}

type outcome struct {
	heard
	reply string
	err   error
	asks  int
	took  time.Duration
}

// bubble runs a test on fake time.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

var good = streams(whole("ok"))

func TestRetry(t *testing.T) {
	reset := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		name  string
		first handler
		again bool // whether a second try follows
		err   error
	}{
		{"400", says(400), false, status(400, "no")},
		{"401", says(401), false, status(401, "no")},
		{"402", says(402), false, status(402, "no")},
		{"403", says(403), false, status(403, "no")},
		{"404", says(404), false, status(404, "no")},
		{"405", says(405), false, status(405, "no")},
		{"408", says(408), true, status(408, "no")},
		{"409", says(409), true, status(409, "no")},
		{"413", says(413), false, status(413, "no")},
		{"422", says(422), false, status(422, "no")},
		{"429", says(429), true, status(429, "no")},
		{"500", says(500), true, status(500, "no")},
		{"501", says(501), true, status(501, "no")},
		{"502", says(502), true, status(502, "no")},
		{"503", says(503), true, status(503, "no")},
		{"529", says(529), true, status(529, "no")},
		{"300", says(300), false, status(300, "no")},
		{"302", says(302), false, status(302, "no")},
		{"dial", fails(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}), false, syscall.ECONNREFUSED},
		{"untrusted", fails(&tls.CertificateVerificationError{Err: errors.ErrUnsupported}), false, errors.ErrUnsupported},
		{"no-tls", fails(tls.RecordHeaderError{Msg: "no"}), false, tls.RecordHeaderError{Msg: "no"}},
		{"https-to-http", fails(http.ErrSchemeMismatch), false, http.ErrSchemeMismatch},
		{"reset-before-headers", fails(reset), true, syscall.ECONNRESET},
		{"eof-before-headers", fails(io.EOF), true, io.EOF},
		{"reset-behind-headers", streams(reset), true, &llm.TruncatedError{Reason: "connection broke", Err: syscall.ECONNRESET}},
		{"reset-behind-comment", streams(": ping\n\n", io.ErrUnexpectedEOF), true, &llm.TruncatedError{Reason: "connection broke", Err: io.ErrUnexpectedEOF}},
		{"reset-behind-role", streams(delta(`"delta":{"role":"assistant","content":""}`), reset), true, &llm.TruncatedError{Reason: "connection broke", Err: io.ErrUnexpectedEOF}},
		{"reset-behind-reasoning", streams(reasoning("hm"), reset), false, &llm.TruncatedError{Reason: "connection broke", Err: syscall.ECONNRESET}},
		{"reset-behind-text", streams(chunk("DONE"), reset), false, &llm.TruncatedError{Text: "DONE", Reason: "connection broke", Err: syscall.ECONNRESET}},
		{"reset-behind-refusal", streams(delta(`"delta":{"refusal":"no"}`), reset), false, &llm.TruncatedError{Reason: "connection broke"}},
		{"empty-stream", streams(), true, &llm.TruncatedError{Reason: noFinish}},
		{"cut-behind-reasoning", streams(reasoning("hm")), false, &llm.TruncatedError{Reason: noFinish}},
		{"length-without-text", streams(finish("length"), end), false, &llm.TruncatedError{Reason: "length"}},
		{"no-text", streams(finish("stop"), end), false, llm.ErrNoReply},
		{"no-choices", streams(end), false, llm.ErrNoReply},
		{"html", streams("<html>"), false, &llm.DecodeError{Code: 200, Body: "<html>"}},
		{"error-503-in-stream", streams(`data: {"error":{"code":503,"message":"no"}}` + "\n\n"), true, status(503, "no")},
		{"error-503-behind-text", streams(chunk("x"), `data: {"error":{"code":503,"message":"no"}}`+"\n\n"), false, status(503, "no")},
		{"error-in-stream", streams(`data: {"error":"no"}` + "\n\n"), false, status(0, "no")},
		{"silence-before-headers", hangs, true, nil},
	} {
		bubble(t, test.name, func(t *testing.T) {
			o := asked(t, t.Context(), nil, test.first, good)
			if !test.again {
				assert.Equal(t, 1, o.asks)
				assert.Zero(t, o.took)
				assert.Empty(t, o.retries)
				assertError(t, test.err, o.err)
				return
			}
			assert.NoError(t, o.err)
			assert.Equal(t, "ok", o.reply)
			assert.Equal(t, 2, o.asks)
			if assert.Len(t, o.retries, 1) && test.err != nil {
				assertError(t, test.err, o.retries[0])
				assert.InDelta(t, 375*time.Millisecond, o.took, float64(126*time.Millisecond))
			}
		})
	}
}

func TestRetryBounds(t *testing.T) {
	tries := func(n int) func(*openai.Client) { return func(c *openai.Client) { c.Tries = n } }
	bubble(t, "tries", func(t *testing.T) {
		for set, want := range map[int]int{0: 4, 1: 1, 2: 2, 7: 7} {
			o := asked(t, t.Context(), tries(set), says(503))
			assertError(t, status(503, "no"), o.err)
			assert.Equal(t, want, o.asks)
			assert.Len(t, o.retries, want-1)
		}
	})
	bubble(t, "waits-double", func(t *testing.T) {
		var at []time.Time
		asked(t, t.Context(), tries(5), func(r *http.Request, n int) (*http.Response, error) {
			at = append(at, time.Now())
			return says(503)(r, n)
		})
		for i := 1; i < len(at); i++ {
			whole := 500 * time.Millisecond << (i - 1)
			assert.InDelta(t, whole*3/4, at[i].Sub(at[i-1]), float64(whole/4), "wait %d", i)
		}
	})
	bubble(t, "own-waits-are-capped", func(t *testing.T) {
		o := asked(t, t.Context(), func(c *openai.Client) { c.Tries, c.MaxWait = 5, 10*time.Millisecond }, says(503))
		assert.Equal(t, 5, o.asks)
		assert.Equal(t, 40*time.Millisecond, o.took)
	})
	bubble(t, "deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		o := asked(t, ctx, nil, says(503))
		assertError(t, status(503, "no"), o.err)
		assert.Equal(t, 1, o.asks)
		assert.Zero(t, o.took, "it does not wait for a try that cannot be")
	})
	bubble(t, "deadline-later", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		o := asked(t, ctx, tries(100), says(503))
		assertError(t, status(503, "no"), o.err)
		assert.Greater(t, o.asks, 1)
		assert.Less(t, o.took, 2*time.Second)
	})
}

func TestRetryAfter(t *testing.T) {
	for _, test := range []struct {
		name   string
		header []string
		took   time.Duration // zero: not waited for
	}{
		{"seconds", []string{"Retry-After", "20"}, 20 * time.Second},
		{"fraction", []string{"Retry-After", "7.5"}, 7500 * time.Millisecond},
		{"date", []string{"Retry-After", "Sat, 01 Jan 2000 00:00:30 GMT"}, 30 * time.Second},
		{"milliseconds", []string{"Retry-After-Ms", "1500", "Retry-After", "2"}, 1500 * time.Millisecond},
		{"no-milliseconds", []string{"Retry-After-Ms", "0", "Retry-After", "2"}, 2 * time.Second},
		{"longest", []string{"Retry-After", "60"}, time.Minute},
		{"too-long", []string{"Retry-After", "61"}, 0},
		{"far-too-long", []string{"Retry-After", "1e300"}, 0},
		{"infinite", []string{"Retry-After-Ms", "Inf"}, 0},
	} {
		bubble(t, test.name, func(t *testing.T) {
			o := asked(t, t.Context(), nil, says(429, test.header...), good)
			assert.Equal(t, test.took, o.took)
			if test.took == 0 {
				assert.Equal(t, 1, o.asks)
				e, ok := errors.AsType[*llm.StatusError](o.err)
				require.True(t, ok, "%v", o.err)
				assert.Greater(t, e.RetryAfter, time.Minute)
				return
			}
			assert.NoError(t, o.err)
			assert.Equal(t, 2, o.asks)
		})
	}
	for _, nonsense := range []string{"0", "-5", "soon", "NaN", "Fri, 31 Dec 1999 00:00:00 GMT"} {
		bubble(t, nonsense, func(t *testing.T) { // the client's own wait
			o := asked(t, t.Context(), nil, says(429, "Retry-After", nonsense), good)
			assert.NoError(t, o.err)
			assert.InDelta(t, 375*time.Millisecond, o.took, float64(126*time.Millisecond))
		})
	}
	bubble(t, "past-the-deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		o := asked(t, ctx, nil, says(429, "Retry-After", "20"), good)
		assertError(t, &llm.StatusError{Code: 429, Message: "no", RetryAfter: 20 * time.Second}, o.err)
		assert.Zero(t, o.took)
	})
	bubble(t, "max-wait", func(t *testing.T) {
		o := asked(t, t.Context(), func(c *openai.Client) { c.MaxWait = time.Hour }, says(503, "Retry-After", "3000"), good)
		assert.NoError(t, o.err)
		assert.Equal(t, 3000*time.Second, o.took)
	})
}

func TestJitter(t *testing.T) {
	took := func(seed uint64) (all time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			all = asked(t, t.Context(), func(c *openai.Client) { c.Seed = seed }, says(503)).took
		})
		return all
	}
	assert.Equal(t, took(7), took(7))
	assert.NotEqual(t, took(7), took(8))
	assert.NotEqual(t, took(0), took(0))
}

func TestDialError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	model := &openai.Client{BaseURL: "http://" + address + "/v1", Model: "m", Key: key}
	_, err = model.Ask(t.Context(), "p")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
	lost, ok := errors.AsType[*llm.ConnectionError](err)
	require.True(t, ok)
	assert.Equal(t, "http://"+address, lost.Host)
}

// TestCancel ends the context of an ask at different times.
func TestCancel(t *testing.T) {
	slow := []any{chunk("ACT: "), time.Hour, whole("list")}
	for _, test := range []struct {
		name    string
		set     func(*openai.Client)
		handler handler
		asks    int
		text    string // of the truncated reply; "-" if it is none
	}{
		{"in-wait", nil, says(429, "Retry-After", "30"), 1, "-"},
		{"in-second-wait", nil, func(r *http.Request, n int) (*http.Response, error) {
			return says(429, "Retry-After", []string{"1", "1", "50"}[n])(r, n)
		}, 2, "-"},
		{"before-headers", nil, hangs, 1, "-"},
		{"behind-headers", nil, streams(time.Hour), 1, ""},
		{"in-comments", nil, streams(": ping\n\n", time.Hour), 1, ""},
		{"in-stream", nil, streams(slow...), 1, "ACT: "},
		{"in-reasoning", nil, streams(reasoning("hm"), time.Hour), 1, ""},
		{"in-plain", plain, streams(`{"choices":[`, time.Hour), 1, ""},
		{"in-status", nil, func(r *http.Request, _ int) (*http.Response, error) {
			return response(r, 500, nil, "x", time.Hour), nil
		}, 1, "-"},
	} {
		for _, kind := range []string{"cancel", "deadline", "cause"} {
			bubble(t, test.name+"-"+kind, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				want := context.Canceled
				switch kind {
				case "cancel":
					time.AfterFunc(20*time.Second, func() { cancel(nil) })
				case "cause":
					time.AfterFunc(20*time.Second, func() { cancel(errors.New("the user left")) })
				case "deadline":
					if strings.Contains(test.name, "wait") {
						return // it is not waited for
					}
					want = context.DeadlineExceeded
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, 20*time.Second)
					defer stop()
				}
				o := asked(t, ctx, test.set, test.handler)
				assert.ErrorIs(t, o.err, want)
				assert.ErrorIs(t, o.err, ctx.Err())
				assert.Equal(t, 20*time.Second, o.took)
				assert.Equal(t, test.asks, o.asks)
				told := test.asks - 1
				if strings.Contains(test.name, "wait") {
					told++ // the next try was told before the wait for it
				}
				assert.Len(t, o.retries, told)
				cut, ok := errors.AsType[*llm.TruncatedError](o.err)
				assert.Equal(t, test.text != "-", ok, "%v", o.err)
				if ok {
					assert.Equal(t, test.text, cut.Text)
				}
			})
		}
	}
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o := asked(t, ctx, nil, good)
		assert.Equal(t, context.Canceled, o.err)
		assert.Zero(t, o.asks)
	})
}

func TestMaxSilence(t *testing.T) {
	minute := func(c *openai.Client) { c.Tries, c.MaxSilence = 2, time.Minute }
	bubble(t, "before-headers", func(t *testing.T) {
		o := asked(t, t.Context(), minute, hangs)
		assert.ErrorContains(t, o.err, "server sent nothing for 1m0s")
		assert.Equal(t, 2, o.asks)
		assert.InDelta(t, 2*time.Minute, o.took, float64(time.Second))
	})
	bubble(t, "default", func(t *testing.T) {
		o := asked(t, t.Context(), func(c *openai.Client) { c.Tries = 1 }, hangs)
		assert.ErrorContains(t, o.err, "server sent nothing for 5m0s")
		assert.Equal(t, 5*time.Minute, o.took)
	})
	bubble(t, "behind-headers", func(t *testing.T) {
		o := asked(t, t.Context(), minute, streams(time.Hour), good)
		assert.NoError(t, o.err)
		assert.Equal(t, 2, o.asks)
	})
	bubble(t, "in-stream", func(t *testing.T) {
		o := asked(t, t.Context(), minute, streams(chunk("ACT: "), time.Hour))
		assertError(t, &llm.TruncatedError{Text: "ACT: ", Reason: "server sent nothing for 1m0s"}, o.err)
		assert.Equal(t, 1, o.asks)
		assert.Equal(t, time.Minute, o.took)
	})
	bubble(t, "slow-is-not-silent", func(t *testing.T) {
		o := asked(t, t.Context(), minute, streams(50*time.Second, ": ping\n\n", 50*time.Second, chunk("a"),
			50*time.Second, ": ping\n\n", 50*time.Second, chunk("b"), 50*time.Second, finish("stop"), end))
		assert.NoError(t, o.err)
		assert.Equal(t, "ab", o.reply)
		assert.Equal(t, 250*time.Second, o.took)
	})
	bubble(t, "in-plain", func(t *testing.T) {
		o := asked(t, t.Context(), func(c *openai.Client) { minute(c); c.Plain = true }, streams(`{"choices":`, time.Hour), good)
		assert.NoError(t, o.err)
		assert.Equal(t, 2, o.asks)
	})
}
