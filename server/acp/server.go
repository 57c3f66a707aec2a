package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// Config describes a server.
type Config struct {
	// Build builds the agent. adjust changes its configuration, and must be called. Build is called when a client connects, and for each session
	// to which the client passes MCP servers.
	Build func(ctx context.Context, adjust func(*host.Config)) (*Agent, error)
	// Review returns a middleware that asks a person before each call of these tools, and honours standing approvals, as human_in_the_loop does.
	// nil: the agent gets no tool of the editor that would need it.
	Review func(tools []string) host.Middleware
	Tools  EditorTools // "": EditorAll
	// NewThread returns the name of a new thread.
	NewThread func() string
	Clock     func() time.Time
	Directory string // what the client is told of threads that belong to no directory; an absolute path
	Version   string // "": unknown
	Logger    *slog.Logger
	Grace     time.Duration // how long runs may take to stop when the client leaves or the context ends; 0: 5 seconds
}

// Agent is an agent that was built.
type Agent struct {
	*host.Agent

	Durable bool          // its threads outlast the process
	Servers []*mcp.Server // whose prompts are commands
	// Resume describes how a person can continue a thread whose question the client cannot show, such as a command line. It returns "" if the
	// thread cannot be continued elsewhere. nil: no thread can.
	Resume func(thread string) string
	Close  func() error
}

// EditorTools says which tools of the editor an agent gets.
type EditorTools string

// The values of [EditorTools].
const (
	EditorAll  EditorTools = "all"  // reading and writing files, running commands, and MCP servers
	EditorRead EditorTools = "read" // reading files
	EditorNone EditorTools = "none"
)

// The limits of a client.
const (
	maxMessage  = 32 << 20 // bytes: files of a prompt are in base64
	maxRequests = 64       // in progress
	maxSessions = 64       // open at once
)

const defaultGrace = 5 * time.Second

// Server serves one client.
type Server struct {
	config Config
	conn   *rpc.Conn

	life context.Context //nolint:containedctx // of all runs
	kill context.CancelCauseFunc
	stop context.Context //nolint:containedctx // it ends when the server begins to stop: nothing is asked any more
	halt context.CancelCauseFunc

	leave context.CancelCauseFunc // ends Serve

	mu       sync.Mutex
	client   *protocol.ClientCapabilities // nil: the client has not introduced itself
	base     *built                       // the agent of sessions without MCP servers
	failed   error                        // why it could not be built
	sessions map[string]*session
	opening  int // sessions that are being opened
}

// errStopping is why runs stop when the server does.
var errStopping = errors.New("agenthost is stopping")

// New returns a server.
func New(config Config) *Server {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Version == "" {
		config.Version = "unknown"
	}
	if config.Tools == "" {
		config.Tools = EditorAll
	}
	if config.Grace == 0 {
		config.Grace = defaultGrace
	}
	s := &Server{config: config, sessions: map[string]*session{}}
	s.conn = rpc.New(rpc.Limits{Message: maxMessage, Requests: maxRequests})
	s.life, s.kill = context.WithCancelCause(context.Background())
	s.stop, s.halt = context.WithCancelCause(context.Background())
	return s
}

// Serve serves the client until it leaves or the context ends. Runs then stop after their present step, or are cut off after Config.Grace; those
// with a thread in a database can be continued. Serve is called once. The error is that of the context or of the stream, or says why the agent
// cannot be built. A read of the stream that has begun may outlive Serve.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, s.leave = context.WithCancelCause(ctx)
	defer s.leave(nil)
	err := s.conn.Serve(ctx, in, out, s.handle)
	if errors.Is(err, rpc.ErrClosed) {
		err = nil // the client has left
	}
	s.halt(errStopping)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.conn.Wait()
	}()
	grace, cancel := context.WithTimeout(context.Background(), s.config.Grace)
	defer cancel()
	select {
	case <-done:
	case <-s.conn.Done(): // nobody can be told anything
		s.kill(errStopping)
	case <-grace.Done():
		s.kill(errStopping)
	}
	select {
	case <-done: // the client gets the last answers
	case <-s.life.Done():
	}
	s.conn.Close()
	s.kill(errStopping)
	<-done
	err = errors.Join(err, s.closeAll())
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	select {
	case <-s.conn.Written():
	case <-last.Done(): // the client does not read
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	return err
}

// closeAll closes all agents. Nothing uses them any more.
func (s *Server) closeAll() error {
	s.mu.Lock()
	sessions, base := s.sessions, s.base
	s.sessions, s.base = map[string]*session{}, nil
	s.mu.Unlock()
	var err error
	for _, open := range sessions {
		err = errors.Join(err, open.close())
	}
	if base != nil {
		err = errors.Join(err, base.close())
	}
	return err
}

// threads returns the store of the agent's threads.
func (s *Server) threads() checkpoint.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base.config.Checkpointer
}
