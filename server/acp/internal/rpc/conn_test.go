package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the other side of a connection.
type peer struct {
	t    *testing.T
	conn *rpc.Conn
	in   io.WriteCloser
	out  *bufio.Reader
	over chan error
}

// connect serves a connection whose methods are echo, fail, hang and ask, which calls the peer.
func connect(t *testing.T, limits rpc.Limits) *peer {
	t.Helper()
	ours, theirs := io.Pipe()
	back, out := io.Pipe()
	p := &peer{t: t, conn: rpc.New(limits), in: theirs, out: bufio.NewReader(back), over: make(chan error, 1)}
	go func() { p.over <- p.conn.Serve(t.Context(), ours, out, p.handle) }()
	t.Cleanup(func() {
		_ = theirs.Close()
		_ = back.Close()
		p.conn.Close()
		p.conn.Wait()
		<-p.conn.Written()
	})
	return p
}

func (p *peer) handle(r *rpc.Request) (func(context.Context) (*rpc.Answer, error), error) {
	switch r.Method {
	case "echo":
		return func(context.Context) (*rpc.Answer, error) { return &rpc.Answer{Result: r.Params}, nil }, nil
	case "hang":
		return func(ctx context.Context) (*rpc.Answer, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}, nil
	case "ask":
		return func(ctx context.Context) (*rpc.Answer, error) {
			var said string
			err := p.conn.Call(ctx, "question", map[string]int{"n": 1}, &said)
			return &rpc.Answer{Result: said}, err
		}, nil
	}
	return nil, rpc.Errorf(rpc.CodeNoMethod, "there is no method %q", r.Method)
}

func (p *peer) say(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

func (p *peer) hear() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(p.t, err)
	return strings.TrimSpace(line)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	p := connect(t, rpc.Limits{Message: 200, Requests: 1})
	for _, test := range [][2]string{
		{`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{`{"jsonrpc":"2.0","id":"x","method":"nothing"}`, `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"there is no method \"nothing\""}}`},
		{`{`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON; send one message in each line"}}`},
		{`[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported; send one message in each line"}}`},
		{`{"id":{},"method":"echo"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id of a request must be a number or a text of at most 256 bytes"}}`},
		{`{"id":7}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has neither a method nor a result"}}`},
		{strings.Repeat(" ", 500), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has more than 200 bytes"}}`},
	} {
		p.say(test[0])
		require.Equal(t, test[1], p.hear(), test[0])
	}
	p.say(`{"id":1,"method":7}`)
	require.Contains(t, p.hear(), `"code":-32600`)
	p.say(`{"id":99,"result":1}` + "\n\n" + `{"method":"echo"}` + "\n" + `{"id":2,"method":"echo","params":3}`) // only the last one is answered
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"result":3}`, p.hear())
}

func TestARequestIsCancelledAndCounted(t *testing.T) {
	t.Parallel()
	p := connect(t, rpc.Limits{Message: 1000, Requests: 1})
	p.say(`{"id":1,"method":"hang"}`)
	p.say(`{"id":1,"method":"hang"}`)
	require.Contains(t, p.hear(), "a request with this id is in progress")
	p.say(`{"id":2,"method":"echo"}`)
	require.Contains(t, p.hear(), "more than 1 requests are in progress")
	p.say(`{"method":"$/cancel_request","params":{"requestId":1}}`)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the request was cancelled"}}`, p.hear())
	p.say(`{"id":3,"method":"echo"}`)
	require.Contains(t, p.hear(), `"id":3`)
}

func TestCalls(t *testing.T) {
	t.Parallel()
	p := connect(t, rpc.Limits{Message: 1000, Requests: 9})
	for _, test := range [][2]string{
		{`"result":"yes"`, `"result":"yes"`},
		{`"result":5`, `the client's answer is not what the protocol says`},
		{`"error":{"code":3,"message":"no"}`, `"code":-32603,"message":"no (code 3)"`},
	} {
		p.say(`{"id":1,"method":"ask"}`)
		var asked struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		require.NoError(t, json.Unmarshal([]byte(p.hear()), &asked))
		require.Equal(t, "question", asked.Method)
		p.say(`{"id":` + string(asked.ID) + `,` + test[0] + `}`)
		require.Contains(t, p.hear(), test[1])
	}
	p.say(`{"id":1,"method":"ask"}`)
	require.Contains(t, p.hear(), "question")
	p.say(`{"method":"$/cancel_request","params":{"requestId":1}}`)
	require.Equal(t, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":4}}`, p.hear())
	require.Contains(t, p.hear(), "the request was cancelled")
}

func TestACallFailsWhenTheConnectionIsClosed(t *testing.T) {
	t.Parallel()
	p := connect(t, rpc.Limits{Message: 1000, Requests: 9})
	failed := make(chan error, 1)
	go func() { failed <- p.conn.Call(t.Context(), "question", nil, nil) }()
	require.Contains(t, p.hear(), "question")
	require.NoError(t, p.in.Close())
	require.NoError(t, <-p.over)
	p.conn.Close()
	require.ErrorIs(t, <-failed, rpc.ErrClosed)
	require.ErrorIs(t, p.conn.Notify(t.Context(), "x", nil), rpc.ErrClosed)
}

func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"echo","params":{}}`))
	f.Add([]byte("{\"id\":null,\"method\":\"echo\"}\n[1]\n{\"result\":1,\"id\":1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := rpc.New(rpc.Limits{Message: 64, Requests: 2})
		err := c.Serve(t.Context(), strings.NewReader(string(text)), io.Discard, func(r *rpc.Request) (func(context.Context) (*rpc.Answer, error), error) {
			return func(context.Context) (*rpc.Answer, error) { return &rpc.Answer{Result: r.Params}, nil }, nil
		})
		require.NoError(t, err)
		c.Wait()
		c.Close()
		<-c.Written()
	})
}
