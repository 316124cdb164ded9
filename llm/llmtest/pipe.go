package llmtest

import (
	"context"
	"net"
	"sync"
)

// A pipeListener is a listener whose connections are in memory (net.Pipe), so
// that a server and its clients can live in a bubble of fake time.
type pipeListener struct {
	made   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{made: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.made:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept. Connections stay.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns an address that nothing can be reached at.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return pipeHost }

// pipeHost stands in the address of a server in memory.
const pipeHost = "model.test"

// dial makes a connection to the listener, whatever the address.
func (l *pipeListener) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	var err error
	select {
	case l.made <- server:
		return client, nil
	case <-l.closed:
		err = &net.OpError{Op: "dial", Net: network, Addr: pipeAddr{}, Err: net.ErrClosed}
	case <-ctx.Done():
		err = ctx.Err()
	}
	_, _ = client.Close(), server.Close()
	return nil, err
}
