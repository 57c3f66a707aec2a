package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sseTransport connects to an address over HTTP+SSE, the transport of the protocol version 2024-11-05:
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports. A GET opens a stream of the server's messages, whose first
// event names the address that takes the client's. The transport cannot resume a stream: when it ends, the session ends, and the next
// call begins another one.
//
// Unlike the SDK's own, it reads a message only when the last one was taken, and lives longer than the context of Connect.
type sseTransport struct {
	*web

	address *url.URL
}

func (s *Server) newSSE() *sseTransport {
	w := s.newWeb()
	return &sseTransport{w, w.carrier.address}
}

// Connect opens the stream and reads the address for messages.
func (t *sseTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	inside, stop := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, stop)
	c := &sseConnection{client: t.client, life: inside, stop: stop, messages: make(chan jsonrpc.Message), over: make(chan struct{})}
	err := c.open(t.address)
	if !release() && err == nil { // ctx ended meanwhile, and the stream with it
		c.close()
		err = ctx.Err()
	}
	if err != nil {
		stop()
		return nil, err
	}
	go c.read()
	return c, nil
}

// sseConnection is one stream with the address that belongs to it.
type sseConnection struct {
	client *http.Client
	life   context.Context //nolint:containedctx // of the stream
	stop   context.CancelFunc
	post   *url.URL
	events *sseEvents

	messages chan jsonrpc.Message
	over     chan struct{} // closed when reading has ended
	fault    error         // why reading ended; valid once over is closed

	once sync.Once
	body io.Closer
}

func (c *sseConnection) open(address *url.URL) error {
	req, err := http.NewRequestWithContext(c.life, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	response, err := c.client.Do(req)
	if err != nil {
		return err
	}
	c.body = response.Body
	c.events = &sseEvents{in: bufio.NewReaderSize(response.Body, 64<<10)}
	if err = sseStatus(response); err == nil {
		c.post, err = c.endpoint(response.Request.URL)
	}
	if err != nil {
		_ = response.Body.Close() // it was only read
	}
	return err
}

// endpoint reads the first event: the address that takes messages. The carrier refuses addresses of other servers.
func (c *sseConnection) endpoint(address *url.URL) (*url.URL, error) {
	kind, data, err := c.events.next()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the server's stream ended before it named the address for messages: %w", err)
	case kind != "endpoint":
		return nil, errors.New("the server's stream does not begin with the address for messages")
	}
	post, err := address.Parse(string(data))
	if err != nil || !sameOrigin(post, address) || post.User != nil {
		return nil, errors.New("the server's stream names an address of another server for messages, or none")
	}
	return post, nil
}

func sseStatus(response *http.Response) error {
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("the server answers %s", response.Status)
	}
	return nil
}

// read reads messages until the stream ends.
func (c *sseConnection) read() {
	defer close(c.over)
	defer c.close()
	for {
		kind, data, err := c.events.next()
		if err == nil && kind != "" && kind != "message" { // such as a ping
			continue
		}
		var message jsonrpc.Message
		if err == nil {
			message, err = jsonrpc.DecodeMessage(data)
		}
		if err != nil {
			c.fault = err
			return
		}
		select {
		case c.messages <- message:
		case <-c.life.Done():
			c.fault = io.EOF
			return
		}
	}
}

// Read returns the next message.
func (c *sseConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-c.messages:
		return message, nil
	case <-c.over:
		return nil, c.fault
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends a message. Its answer comes over the stream.
func (c *sseConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	if c.life.Err() != nil {
		return unsent{io.ErrClosedPipe}
	}
	inside, stop := context.WithCancel(ctx)
	defer stop()
	forget := context.AfterFunc(c.life, stop)
	defer forget()
	req, err := http.NewRequestWithContext(inside, http.MethodPost, c.post.String(), bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()                    // it was only read
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 4096)) // for the next request on the same connection
	return sseStatus(response)
}

func (c *sseConnection) close() {
	c.once.Do(func() {
		c.stop()
		_ = c.body.Close() // it was only read
	})
}

// Close ends the stream.
func (c *sseConnection) Close() error {
	c.close()
	<-c.over
	return nil
}

// SessionID returns "": the address for messages identifies the session.
func (*sseConnection) SessionID() string { return "" }

// sseEvents reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. Lines end with LF or
// CR LF.
type sseEvents struct{ in *bufio.Reader }

// next reads the next event that has data, of at most maxMessage bytes.
func (e *sseEvents) next() (kind string, data []byte, err error) {
	some := false
	for {
		line, err := readLine(e.in)
		if err != nil { // an event without the empty line after it may be incomplete
			return "", nil, err
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 {
			if some {
				return kind, data, nil
			}
			kind = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			kind = string(value)
		case "data":
			if some {
				data = append(data, '\n')
			}
			data, some = append(data, value...), true
			if len(data) > maxMessage {
				return "", nil, fmt.Errorf("the server sent a message of more than %d bytes", maxMessage)
			}
		}
	}
}
