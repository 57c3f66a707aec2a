package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// ErrClosed says that the connection is closed, so that the peer cannot be reached.
var ErrClosed = errors.New("the client has closed the connection")

// Conn is a connection. Its methods may be called from several goroutines at once.
type Conn struct {
	limits Limits
	out    chan []byte   // lines to write, in order
	done   chan struct{} // closed when the connection is
	close  func()
	ended  chan struct{}  // closed when nothing is written any more
	going  sync.WaitGroup // requests in progress

	mu       sync.Mutex
	last     uint64                             // id of the last call
	calls    map[uint64]chan *message           // calls that wait for an answer, by id
	requests map[string]context.CancelCauseFunc // requests in progress, by id
}

// Limits bound what a peer can use.
type Limits struct {
	Message  int // bytes of a message
	Requests int // requests in progress
}

// queued is how many messages wait for a peer that reads slowly, before senders wait.
const queued = 64

// New returns a connection. Serve reads from it and writes to it.
func New(limits Limits) *Conn {
	c := &Conn{
		limits: limits, out: make(chan []byte, queued), done: make(chan struct{}), ended: make(chan struct{}),
		calls: map[uint64]chan *message{}, requests: map[string]context.CancelCauseFunc{},
	}
	c.close = sync.OnceFunc(func() { close(c.done) })
	return c
}

// Close ends the connection: calls fail with ErrClosed, and what is sent is dropped.
func (c *Conn) Close() { c.close() }

// Done is closed when the connection is.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Wait waits for the requests in progress.
func (c *Conn) Wait() { c.going.Wait() }

// Written is closed when the connection is closed and everything sent before was written. A peer that does not read delays it for ever.
func (c *Conn) Written() <-chan struct{} { return c.ended }

// write writes messages until the connection is closed or the stream fails, which closes it. Messages queued before Close are written.
func (c *Conn) write(w io.Writer) {
	defer close(c.ended)
	defer c.Close()
	for {
		select {
		case line := <-c.out:
			if _, err := w.Write(line); err != nil {
				return
			}
		case <-c.done:
			for {
				select {
				case line := <-c.out:
					if _, err := w.Write(line); err != nil {
						return
					}
				default:
					return
				}
			}
		}
	}
}

// send queues a message. It waits while the peer does not read.
func (c *Conn) send(ctx context.Context, m *message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	select {
	case <-c.done:
		return ErrClosed
	default:
	}
	select {
	case c.out <- append(line, '\n'):
		return nil
	case <-c.done:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
