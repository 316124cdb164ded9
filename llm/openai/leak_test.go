package openai_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// A pipes is a listener whose connections are in memory, so that a real server
// and a real transport can live in a bubble.
type pipes struct {
	made   chan net.Conn
	closed chan struct{}
	once   sync.Once
	dialed atomic.Int32
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	p.dialed.Add(1)
	select {
	case p.made <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// watched starts a server in a bubble. Its busy tells how many connections are
// in use, and stop ends it all: what runs then has leaked.
func watched(handle answer) (model *openai.Client, p *pipes, busy func() int, stop func()) {
	p = &pipes{made: make(chan net.Conn), closed: make(chan struct{})}
	var states sync.Map
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			handle(w, r, 1)
		}),
		ConnState: func(c net.Conn, s http.ConnState) { states.Store(c, s) },
	}
	go func() { _ = server.Serve(p) }()
	transport := &http.Transport{DialContext: p.dial}
	model = &openai.Client{BaseURL: "http://server.test/v1", Model: "m", Tries: 2, HTTP: &http.Client{Transport: transport}}
	busy = func() (n int) {
		synctest.Wait()
		states.Range(func(_, s any) bool {
			if s != http.StateIdle && s != http.StateClosed {
				n++
			}
			return true
		})
		return n
	}
	return model, p, busy, func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	}
}

// stalls answers with events and then neither goes on nor ends.
func stalls(events ...string) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		stream(events...)(w, r, n)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

func silent(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }

// TestLeak asks a real server through a real transport. The bubble fails if a
// goroutine is left.
func TestLeak(t *testing.T) {
	for name, handle := range map[string]answer{
		"success":           stream(whole("ok")),
		"success-and-more":  stream(whole("ok"), whole("more")),
		"success-and-stall": stalls(whole("ok")),
		"plain-json":        raw(200, "application/json", `{"choices":[{"message":{"content":"ok"}}]}`),
		"cut":               stream(chunk("ok")),
		"empty":             stream(),
		"reset":             broken(chunk("ok")),
		"reset-at-once":     broken(),
		"stall":             stalls(chunk("ok")),
		"stall-at-once":     stalls(),
		"stall-in-json":     stalls(`{"choices"`),
		"silent":            silent,
		"error-frame":       stalls(chunk("ok"), `data: {"error":"no"}`+"\n\n"),
		"broken-event":      stalls("data: {\n\ndata: x\n\n"),
		"html":              raw(200, "text/html", "<html>"),
		"empty-body":        raw(200, "application/json", ""),
		"200-error":         raw(200, "application/json", `{"error":"no"}`),
		"401":               raw(401, "application/json", `{"error":"no"}`),
		"503":               raw(503, "text/html", "<html>"),
		"307":               raw(307, "text/plain", "", "Location", "http://other.test/"),
		"no-choices":        stream(end),
		"filter":            stalls(chunk("ok"), finish("content_filter"), end),
		"length":            stalls(chunk("ok"), finish("length"), end),
	} {
		bubble(t, name, func(t *testing.T) {
			model, _, busy, stop := watched(handle)
			defer stop()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			start := time.Now()
			for range 3 {
				reply, err := model.Ask(ctx, "p")
				assert.NotEqual(t, reply == "", err == nil)
				assert.Zero(t, busy())
			}
			if name == "success-and-stall" {
				assert.Less(t, time.Since(start), 10*time.Second, "what follows the end mark is not waited for")
			}
		})
	}
	bubble(t, "cancel", func(t *testing.T) {
		model, _, busy, stop := watched(stalls(chunk("ok")))
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := model.Ask(llm.WithTrace(ctx, &llm.Trace{Delta: func(string) { cancel() }}), "p")
		assert.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, busy())
	})
	bubble(t, "panic", func(t *testing.T) {
		model, _, busy, stop := watched(stalls(chunk("ok")))
		defer stop()
		assert.Panics(t, func() {
			_, _ = model.Ask(llm.WithTrace(t.Context(), &llm.Trace{Delta: func(string) { panic("watcher") }}), "p")
		})
		assert.Zero(t, busy())
	})
}

// TestReuse holds that the next ask uses the connection of the last.
func TestReuse(t *testing.T) {
	for name, handle := range map[string]answer{
		"stream": func(w http.ResponseWriter, r *http.Request, n int) {
			stream(chunk("ok"), finish("stop"))(w, r, n)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, end)
			_ = http.NewResponseController(w).Flush()
		},
		"plain": raw(200, "application/json", `{"choices":[{"message":{"content":"ok"}}]}`),
		"400":   raw(400, "application/json", `{"error":"no"}`),
	} {
		bubble(t, name, func(t *testing.T) {
			model, p, _, stop := watched(handle)
			defer stop()
			for range 5 {
				_, _ = model.Ask(t.Context(), "p")
				synctest.Wait()
			}
			assert.EqualValues(t, 1, p.dialed.Load())
		})
	}
}

// TestLeakMany asks many at once, each in its own way.
func TestLeakMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model, _, busy, stop := watched(func(w http.ResponseWriter, r *http.Request, n int) {
			ways := []answer{stream(whole("ok")), stalls(chunk("ok")), broken(), raw(503, "text/plain", "no"), silent, stream(chunk("ok"))}
			way := int(time.Now().UnixNano()) // which differs, as all asks begin at times of their own
			ways[way%len(ways)](w, r, n)
		})
		defer stop()
		var group sync.WaitGroup
		for i := range 200 {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				time.Sleep(time.Duration(i))
				reply, err := model.Ask(ctx, fmt.Sprint("p", i))
				assert.Equal(t, reply == "ok", err == nil)
			})
		}
		group.Wait()
		assert.Zero(t, busy())
	})
}
