package clients_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutter stands between a client and a server. It cuts all connections when it gets a request as a handler.
type cutter struct {
	server string // HOST:PORT

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	ended bool
}

// startCutter starts a cutter in front of the server at an address, and returns its own address.
func startCutter(t *testing.T, server string) (c *cutter, address string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c = &cutter{server: strings.TrimPrefix(server, "http://"), conns: map[net.Conn]struct{}{}}
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			passing.Go(func() { c.pass(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		c.cut(true)
		passing.Wait()
	})
	return c, "http://" + listener.Addr().String()
}

// pass passes on what a client and the server send each other.
func (c *cutter) pass(client net.Conn) {
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", c.server)
	if err != nil {
		_ = client.Close()
		return
	}
	c.add(client, server)
	var both sync.WaitGroup
	for to, from := range map[net.Conn]net.Conn{server: client, client: server} {
		both.Go(func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		})
	}
	both.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, client)
	delete(c.conns, server)
}

// add notes connections, and closes them if no more are wanted.
func (c *cutter) add(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		c.conns[conn] = struct{}{}
		if c.ended {
			_ = conn.Close()
		}
	}
}

// cut cuts all connections, and also those to come if it is the end. It returns how many ends it has closed.
func (c *cutter) cut(end bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = c.ended || end
	for conn := range c.conns {
		_ = conn.Close()
	}
	return len(c.conns)
}

// ServeHTTP cuts all connections. It is an error if there are none.
func (c *cutter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if c.cut(false) == 0 {
		w.WriteHeader(http.StatusConflict)
	}
}
