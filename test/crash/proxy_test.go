//go:build unix

package crash_test

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy is a path to a server that can be cut. It then loses all data in transit.
type proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	links   map[*link]bool
	flights int // number of sends by clients since it was armed
	cut     cut
	isDown  bool // new connections are rejected
	silent  bool // no data passes, and neither side notices
	happens chan struct{}
}

// cut says where and how the path is cut.
type cut struct {
	at    int  // at this flight; 0: never
	late  bool // the server receives the data, but the client gets no answer
	hangs bool // existing connections pass no more data, and neither side notices
	down  bool // nobody can connect until the proxy is armed again
}

// link is one connection through the proxy.
type link struct {
	client, server net.Conn
	late           bool // the server's answer is lost, and so is the connection
	hangs          bool
}

func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// newProxy starts a proxy in front of the server of an address, and returns the address through the proxy.
func newProxy(t *testing.T, address string) (p *proxy, through string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	p = &proxy{target: u.Host, links: map[*link]bool{}, happens: make(chan struct{}, 1)}
	p.listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u.Host = p.listener.Addr().String()
	var links sync.WaitGroup
	links.Go(func() {
		for {
			client, err := p.listener.Accept()
			if err != nil {
				return
			}
			links.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		require.NoError(t, p.listener.Close())
		p.mu.Lock()
		for l := range p.links {
			l.close()
		}
		p.mu.Unlock()
		links.Wait()
	})
	return p, u.String()
}

// arm sets where the path is cut next. It closes hanging connections.
func (p *proxy) arm(c cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flights, p.cut, p.isDown, p.silent = 0, c, false, false
	for l := range p.links {
		if l.hangs {
			l.close()
		}
	}
	select {
	case <-p.happens:
	default:
	}
}

// hush lets no data pass until the proxy is armed.
func (p *proxy) hush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = true
	for l := range p.links {
		l.hangs = true
	}
}

func (p *proxy) serve(client net.Conn) {
	p.mu.Lock()
	down := p.isDown
	p.mu.Unlock()
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target)
	if err != nil || down {
		_ = client.Close()
		if err == nil {
			_ = server.Close()
		}
		return
	}
	l := &link{client: client, server: server}
	p.mu.Lock()
	p.links[l] = true
	l.hangs = p.silent
	p.mu.Unlock()
	var back sync.WaitGroup
	back.Go(func() { p.pass(l, l.server, l.client, func() bool { return !l.late }) })
	p.pass(l, l.client, l.server, func() bool { return p.flight(l) })
	back.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// pass copies bytes in one direction until an error occurs, and then ends the connection.
func (p *proxy) pass(l *link, from, to net.Conn, may func() bool) {
	defer l.close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		hangs := l.hangs
		passes := n > 0 && !hangs && may()
		hangs = l.hangs
		p.mu.Unlock()
		switch {
		case err != nil:
			return
		case hangs: // wait until it is closed
		case !passes:
			return
		default:
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
}

// flight records that the client sends data, and reports whether the server receives it.
func (p *proxy) flight(l *link) (passes bool) {
	p.flights++
	if p.flights != p.cut.at {
		return true
	}
	p.isDown = p.cut.down
	for other := range p.links {
		switch {
		case p.cut.hangs:
			other.hangs = true
		case p.cut.down && other != l:
			other.close()
		}
	}
	l.late = p.cut.late
	p.happens <- struct{}{}
	return p.cut.late
}
