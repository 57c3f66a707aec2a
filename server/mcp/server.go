package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Config describes a server.
type Config struct {
	Name        string      // name of the server and of the tool that runs the agent; "": agent
	Description string      // description of that tool; "": a generic text
	Version     string      // "": unknown
	Tools       []host.Tool // the agent's tools that clients may call directly; nil: none
	// RefreshTools returns the tools that clients may call now, as the agent's host.Config.RefreshTools does. It is called before a
	// client lists the tools, and after ToolsChanged. nil: the tools stay as they are.
	RefreshTools func(context.Context) ([]host.Tool, error)
	Threads      checkpoint.Store // the agent's Checkpointer
	// Resume describes how a person can continue a thread whose question a client could not answer, such as a command line. It
	// returns "" if the thread cannot be continued. nil: no thread can be continued. A prompt does not abandon a run that waits for an
	// answer and can be continued: it is refused.
	Resume func(thread string) string
	Logger *slog.Logger // nil: nothing is logged
}

// Server serves an agent over MCP. Its methods are safe for concurrent use.
type Server struct {
	agent  *host.Agent
	config Config
	server *sdk.Server
	own    map[string]abi.ToolSpec // the offered tools of the agent, by name

	changed    chan struct{}
	refreshing chan struct{} // held while own changes
	following  sync.WaitGroup

	life context.Context //nolint:containedctx // of the server; all runs end with it
	end  context.CancelFunc
	runs sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	waiting map[string]*task // runs that wait for a client's answer, by token
	order   []string         // their tokens, oldest first
}

// New makes a server for an agent whose configuration was passed to [Prepare]. Close it before the agent.
func New(agent *host.Agent, config Config) (*Server, error) {
	if config.Threads == nil {
		return nil, errors.New("mcpserver: Config.Threads is missing; it is the agent's Checkpointer, which Prepare sets")
	}
	if config.Name == "" {
		config.Name = "agent"
	}
	config.Name = toolName(config.Name)
	if config.Version == "" {
		config.Version = "unknown"
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{agent: agent, config: config, own: map[string]abi.ToolSpec{}, waiting: map[string]*task{}}
	s.changed, s.refreshing = make(chan struct{}, 1), make(chan struct{}, 1)
	s.life, s.end = context.WithCancel(context.Background())
	s.server = sdk.NewServer(&sdk.Implementation{Name: config.Name, Version: config.Version}, &sdk.ServerOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: &sdk.ServerCapabilities{},
	})
	s.server.AddTool(s.agentTool(), s.handle(s.promptTask))
	seen := map[string]bool{}
	for _, t := range config.Tools {
		name := t.Spec().Name
		err := s.addTool(t)
		if _, twice := seen[name]; twice && err == nil {
			err = fmt.Errorf("mcpserver: the agent has two tools with the name %q", name)
		}
		if err != nil {
			s.end()
			return nil, err
		}
		seen[name] = true
	}
	s.server.AddReceivingMiddleware(s.refreshesLists)
	s.following.Go(s.follow)
	return s, nil
}

// maxName is the maximum length of a tool's name.
const maxName = 64

// toolName makes a name that all clients accept.
func toolName(name string) string {
	fit := make([]byte, 0, len(name))
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			fit = append(fit, byte(r))
		default:
			fit = append(fit, '_')
		}
	}
	return string(fit[:min(len(fit), maxName)])
}

// agentTool is the tool that runs the agent.
func (s *Server) agentTool() *sdk.Tool {
	description := s.config.Description
	if description == "" {
		description = runsAgent(s.config.Name)
	}
	return &sdk.Tool{Name: s.config.Name, Description: description, InputSchema: promptSchema}
}

// Serve serves one client over two streams until the client is done or the context ends. Unfinished requests are then
// cancelled.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	inside, stop := context.WithCancel(ctx)
	defer stop()
	forget := context.AfterFunc(s.life, stop)
	defer forget()
	transport := &keptTransport{Transport: &sdk.IOTransport{Reader: io.NopCloser(in), Writer: openStream{out}}}
	session, err := s.server.Connect(inside, transport, nil)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = session.Wait()
	}()
	select {
	case <-ended:
		if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) { // the client left without waiting for the last answer
			return nil
		}
		return err
	case <-inside.Done():
	}
	s.end() // the SDK waits for pending work
	_ = transport.connection.Close()
	<-ended
	return ctx.Err()
}

// keptTransport keeps its connection. Closing that ends a session for certain; the session's own Close waits for ever for a subscription
// that has arrived but is not registered yet.
type keptTransport struct {
	sdk.Transport

	connection sdk.Connection // nil before Connect
}

func (t *keptTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	connection, err := t.Transport.Connect(ctx)
	t.connection = connection
	return connection, err
}

// openStream is a stream that Close leaves open.
type openStream struct{ io.Writer }

func (openStream) Close() error { return nil }

// Handler serves clients over streamable HTTP. It rejects requests from web pages of other origins and, if it listens only on
// the local machine, requests for other hosts: the SDK does that unless DisableLocalhostProtection is set.
func (s *Server) Handler() http.Handler {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.server }, &sdk.StreamableHTTPOptions{
		Logger: slog.New(slog.DiscardHandler), SessionTimeout: sessionTimeout, PropagateRequestCancellation: true,
	})
	return http.NewCrossOriginProtection().Handler(handler)
}

// Close cancels all runs and ends all sessions. It discards waiting runs of unnamed threads.
func (s *Server) Close() {
	s.end()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.runs.Wait()
	s.following.Wait()
	for session := range s.server.Sessions() {
		_ = session.Close() // its client may be gone
	}
	s.mu.Lock()
	waiting := s.waiting
	s.waiting, s.order = map[string]*task{}, nil
	s.mu.Unlock()
	for _, t := range waiting {
		s.forget(t)
	}
}

// enter begins a call; false if the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.runs.Add(1)
	}
	return !s.closed
}

// hold keeps a run that waits for a client's answer and returns its token. If there are too many, the oldest is discarded.
func (s *Server) hold(t *task) string {
	token := rand.Text()
	s.mu.Lock()
	s.waiting[token] = t
	s.order = append(s.order, token)
	var over *task
	if len(s.order) > maxWaiting {
		over = s.waiting[s.order[0]]
		delete(s.waiting, s.order[0])
		s.order = s.order[1:]
	}
	s.mu.Unlock()
	if over != nil {
		s.forget(over)
	}
	return token
}

// maxWaiting is how many runs may wait for answers from clients.
const maxWaiting = 256

// take removes and returns a waiting run.
func (s *Server) take(token string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.waiting[token]
	delete(s.waiting, token)
	for i := range s.order {
		if s.order[i] == token {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			break
		}
	}
	return t
}

// forget deletes a thread that nobody knows by name.
func (s *Server) forget(t *task) {
	if !t.passing {
		return
	}
	err := s.config.Threads.Delete(context.Background(), t.thread)
	if err != nil && !errors.Is(err, checkpoint.ErrNoThread) {
		s.config.Logger.Warn("the thread of a call could not be removed", "thread", terminal.Line(t.thread), "error", err)
	}
}
