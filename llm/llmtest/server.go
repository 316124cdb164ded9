package llmtest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/actdone/actdone/llm/script"
)

// A Server serves a script to the client under test, over HTTP: see
// [script.Server] for what it does with a request. It begins to listen when it is
// first asked for its address, on the loopback network or, after InMemory, in
// memory. It is closed at the end of the test.
type Server struct {
	*script.Server

	t        testing.TB
	http     http.Server
	handlers sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil until it listens
	base     string
	client   *http.Client
}

// NewServer returns a server that plays p. What p reports at the end of the test
// is also what clients asked over HTTP, and why requests were refused. It ends the
// test if the script holds what no server can send.
func NewServer(t testing.TB, p *Player) *Server {
	t.Helper()
	return serve(t, p.Player)
}

// serve returns a server that plays p, closed at the end of the test.
func serve(t testing.TB, p *script.Player) *Server {
	t.Helper()
	plays, err := script.NewServer(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Server: plays, t: t}
	s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handlers.Add(1)
		defer s.handlers.Done()
		s.ServeHTTP(w, r)
	})
	t.Cleanup(s.close)
	return s
}

// URL returns the address of the server, without a path.
func (s *Server) URL() string {
	s.t.Helper()
	s.start()
	return s.base
}

// BaseURL returns the address that clients of the API are given: it ends in
// "/v1".
func (s *Server) BaseURL() string {
	s.t.Helper()
	return s.URL() + "/v1"
}

// Client returns a client that reaches the server, always the same one. A server
// in memory is reached by no other.
func (s *Server) Client() *http.Client {
	s.t.Helper()
	s.start()
	return s.client
}

// InMemory makes the server listen in memory, for fake time: in a [Bubble] the
// delays of a script cost nothing. Call it before the others. It returns s.
func (s *Server) InMemory() *Server {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.t.Fatal("llmtest: InMemory after the server was asked for its address or its client")
	}
	pipes := newPipeListener()
	s.listen(pipes, pipes.dial)
	return s
}

// start begins to listen, once.
func (s *Server) start() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return
	}
	listener, err := script.Listen("127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.listen(listener, nil)
}

func (s *Server) listen(l net.Listener, dial func(context.Context, string, string) (net.Conn, error)) {
	s.listener, s.base = l, "http://"+l.Addr().String()
	s.client = &http.Client{Transport: &http.Transport{DialContext: dial}}
	s.handlers.Go(func() { _ = s.http.Serve(l) }) // it ends when the server is closed
}

// close ends the server and waits for what it still does.
func (s *Server) close() {
	s.mu.Lock()
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
	s.mu.Unlock()
	_ = s.http.Close() // the listener is loopback's or memory's
	s.handlers.Wait()
}

// Bubble runs f in a bubble of fake time ([synctest.Test]): timers of a script,
// its server and the code under test fire as soon as all of them wait. It ends
// when the goroutines begun in it have ended. A server in it must be InMemory,
// and made in it.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
