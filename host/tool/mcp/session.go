package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is one connection to a server.
type session struct {
	server *Server
	client *sdk.ClientSession
	link   link
	log    *quota
	turn   chan struct{} // held by the call in progress if calls run one at a time; nil otherwise

	over  chan struct{} // closed when the session ends
	close func()        // runs once

	changed atomic.Bool // the list of tools may differ from the one that the agent has

	mu      sync.Mutex
	offered []serverTool
	last    int // number of the last call
	calls   map[string]*call
	only    *call                  // the call that holds the turn
	asking  map[chan struct{}]bool // requests of the server that are handled; each is closed when it is done
}

// link is the transport to a server.
type link interface {
	sdk.Transport

	end()         // frees remaining resources
	fate() string // why it ended, if that is known
}

// otherLink is a connection that the embedder provides.
type otherLink struct {
	sdk.Transport

	connection sdk.Connection // nil before Connect
}

// Connect connects, and keeps the connection for end.
func (l *otherLink) Connect(ctx context.Context) (sdk.Connection, error) {
	connection, err := l.Transport.Connect(ctx)
	l.connection = connection
	return connection, err
}

func (l *otherLink) end() {
	if l.connection != nil {
		_ = l.connection.Close()
	}
}

func (*otherLink) fate() string { return "" }

func (s *Server) newLink(log *quota) (link, error) {
	switch {
	case len(s.config.Command) > 0:
		return &commandTransport{server: s, log: log}, nil
	case s.config.TransportName == TransportSSE:
		return s.newSSE(), nil
	case s.config.URL != "":
		return s.newHTTP(), nil
	default:
		transport, err := s.config.Transport()
		return &otherLink{Transport: transport}, err
	}
}

// errSlow is the cancellation cause when the connect timeout ends an attempt.
var errSlow = errors.New("the server did not answer")

// dial connects to the server and lists its tools.
func (s *Server) dial(ctx context.Context) (_ *session, err error) {
	inside, stop := context.WithTimeoutCause(ctx, s.config.ConnectTimeout, errSlow)
	defer stop()
	ss := &session{server: s, log: s.newQuota(), over: make(chan struct{}), calls: map[string]*call{}, asking: map[chan struct{}]bool{}}
	ss.close = sync.OnceFunc(ss.end)
	if ss.link, err = s.newLink(ss.log); err != nil {
		return nil, err
	}
	ss.client, err = guarded(func() (*sdk.ClientSession, error) { return ss.newClient().Connect(inside, ss.link, s.handshake()) })
	if err == nil {
		ss.offered, err = list(inside, ss.client)
	}
	if err == nil {
		if (s.config.Elicitation || s.config.Sampling != nil) && ss.client.InitializeResult().ProtocolVersion < statelessVersion {
			ss.turn = make(chan struct{}, 1)
		}
		if remote, ok := ss.link.(interface{ connected() }); ok {
			remote.connected()
		}
		return ss, nil
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(context.Cause(inside), errSlow):
		err = fmt.Errorf("%w within %v; raise connect_timeout if it needs more", errSlow, s.config.ConnectTimeout)
	default:
		err = ss.explained(err)
	}
	ss.close()
	return nil, err
}

// statelessVersion is the first protocol version in which a server asks questions in its results instead of sending requests.
const statelessVersion = "2026-07-28"

// lastSessionVersion is the last protocol version before statelessVersion.
const lastSessionVersion = "2025-11-25"

// handshake returns how the connection begins. Servers with the older transport know only the older handshake, and need not answer
// anything before it.
func (s *Server) handshake() *sdk.ClientSessionOptions {
	if s.config.TransportName == TransportSSE {
		return &sdk.ClientSessionOptions{ProtocolVersion: lastSessionVersion}
	}
	return nil
}

// newClient makes the client of the connection.
func (ss *session) newClient() *sdk.Client {
	options := &sdk.ClientOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: &sdk.ClientCapabilities{},
		MultiRoundTrip:              &sdk.MultiRoundTripOptions{Disabled: true},
		LoggingMessageHandler:       ss.logged,
		ProgressNotificationHandler: ss.progressed,
		ToolListChangedHandler:      ss.toolsChanged,
	}
	if ss.server.config.Elicitation {
		options.ElicitationHandler = ss.elicit
	}
	if ss.server.config.Sampling != nil {
		options.CreateMessageWithToolsHandler = ss.createMessage
		options.Capabilities.Sampling = &sdk.SamplingCapabilities{}
	}
	if len(ss.server.roots) > 0 {
		options.Capabilities.RootsV2 = &sdk.RootCapabilities{}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "agenthost", Version: version()}, options)
	client.AddRoots(ss.server.roots...)
	client.AddSendingMiddleware(hold)
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			return guarded(func() (sdk.Result, error) { return next(ctx, method, req) })
		}
	})
	return client
}

// version returns the module's version from the build information, or "unknown".
func version() string {
	const path = "github.com/agenthost/agenthost"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path == path && module.Version != "" {
			return module.Version
		}
	}
	return "devel"
}

// explained adds to an error how the server ended, with secrets removed.
func (ss *session) explained(err error) error {
	text := err.Error()
	if fate := ss.link.fate(); fate != "" {
		text = fate
	}
	return &safeError{ss.server.secrets.line(text), err}
}

// safeError is an error from the SDK or the server with a text that is safe to show.
type safeError struct {
	text string
	err  error
}

func (e *safeError) Error() string { return e.text }
func (e *safeError) Unwrap() error { return e.err }

// end closes the connection. The SDK waits for pending work, which ends when the link does.
func (ss *session) end() {
	ss.settle()
	close(ss.over)
	if ss.client != nil {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = ss.client.Close() // it may be broken
		}()
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		select {
		case <-ended:
		case <-ctx.Done():
			ss.link.end()
			<-ended
		}
	}
	ss.link.end()
}

// settling is how long a server gets to hear that a call has ended, before its session ends too.
const settling = 250 * time.Millisecond

// settle waits until the server has withdrawn the requests of calls that have ended, but not for long: over HTTP it may never say so. The
// SDK tells the server of the end of a call in the background. If the session ends before that has begun, the server waits for the answer,
// and that of the SDK does so for ever.
func (ss *session) settle() {
	ss.mu.Lock()
	asking := slices.Collect(maps.Keys(ss.asking))
	ss.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), settling)
	defer stop()
	for _, done := range asking {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// asked returns the call that a request of the server belongs to, or nil, and the function to call when the request is done.
func (ss *session) asked() (c *call, done func()) {
	request := make(chan struct{})
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.asking[request] = true
	return ss.only, func() {
		ss.mu.Lock()
		defer ss.mu.Unlock()
		delete(ss.asking, request)
		close(request)
	}
}

// offers returns the tools that the server listed last.
func (ss *session) offers() []serverTool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.offered
}

// begin registers a call.
func (ss *session) begin(c *call) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.last++
	c.token = "agenthost-" + strconv.Itoa(ss.last)
	ss.calls[c.token] = c
	if ss.turn != nil {
		ss.only = c
	}
}

// finish removes a call.
func (ss *session) finish(c *call) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.calls, c.token)
	if ss.only == c {
		ss.only = nil
	}
}
