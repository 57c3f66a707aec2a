package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host"
)

// Server is a server that is connected, or will be connected again when one of its tools is called. Its methods are safe for
// concurrent use. Close it after the agents that use its tools.
type Server struct {
	config  Config
	secrets secrets
	tools   []*tool

	connecting chan struct{} // held while connecting or closing
	closing    sync.WaitGroup

	mu       sync.Mutex
	present  *session // nil: not connected
	closed   bool
	failures int       // lost connections and failed attempts since a call last succeeded
	failed   time.Time // time of the last failure
}

// Connect starts or reaches a server and lists its tools. The error is a [*ServerError].
func Connect(ctx context.Context, config Config) (*Server, error) {
	if err := config.Check(); err != nil {
		return nil, &ServerError{config.ServerName(), err}
	}
	s := &Server{config: config.withDefaults(), secrets: config.secrets(), connecting: make(chan struct{}, 1)}
	present, err := s.dial(ctx)
	if err != nil {
		return nil, &ServerError{s.config.Name, err}
	}
	s.present = present
	if s.tools, err = s.choose(present.offered); err != nil {
		s.Close()
		return nil, &ServerError{s.config.Name, err}
	}
	return s, nil
}

// Name returns the server's name in errors and logs.
func (s *Server) Name() string { return s.config.Name }

// Tools returns the tools of the server that the configuration lets through, in the server's order.
func (s *Server) Tools() []host.Tool {
	tools := make([]host.Tool, len(s.tools))
	for i, t := range s.tools {
		tools[i] = t
	}
	return tools
}

// Close closes the connection. It waits briefly for the server to end, and then stops it. Calls in progress fail.
func (s *Server) Close() {
	s.connecting <- struct{}{}
	defer func() { <-s.connecting }()
	s.mu.Lock()
	s.closed = true
	present := s.present
	s.present = nil
	s.mu.Unlock()
	if present != nil {
		present.close()
	}
	s.closing.Wait()
}

// Join combines the tools of several servers. If two have the same name, the error names both servers.
func Join(servers ...*Server) ([]host.Tool, error) {
	var tools []host.Tool
	owners := map[string]string{}
	for _, s := range servers {
		for _, t := range s.Tools() {
			name := t.Spec().Name
			if owner, taken := owners[name]; taken {
				err := fmt.Errorf("the tool %q has the same name as a tool of the MCP server %q; give one of the servers a prefix", name, owner)
				return nil, &ServerError{s.Name(), err}
			}
			owners[name] = s.Name()
			tools = append(tools, t)
		}
	}
	return tools, nil
}

// errUnavailable reports a server that could not be reached a moment ago.
var errUnavailable = errors.New("the server is not available")

// connected returns the connection, and connects again if there is none. It tries once, and not too soon after a failure.
func (s *Server) connected(ctx context.Context) (*session, error) {
	select {
	case s.connecting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.connecting }()
	s.mu.Lock()
	present, closed, wait := s.present, s.closed, s.wait()
	s.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case present != nil:
		return present, nil
	case wait > 0:
		return nil, fmt.Errorf("%w, and will be tried again in %v", errUnavailable, wait.Round(time.Second))
	}
	s.config.Logger.Info("connecting anew")
	present, err := s.dial(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			s.noteFailure()
		}
		return nil, err
	}
	s.present = present
	return present, nil
}

// Attempts to connect wait between these bounds. The wait doubles from one attempt to the next.
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// wait returns how long to delay the next attempt to connect. After the first lost connection it does not wait.
func (s *Server) wait() time.Duration {
	if s.failures < 2 {
		return 0
	}
	wait := min(firstWait<<min(s.failures-2, 10), longestWait)
	return wait - s.config.Clock().Sub(s.failed)
}

func (s *Server) noteFailure() {
	s.failures++
	s.failed = s.config.Clock()
}

// lost discards a broken connection.
func (s *Server) lost(broken *session, reason error) {
	s.mu.Lock()
	if s.present != broken {
		s.mu.Unlock()
		return
	}
	s.present = nil
	s.noteFailure()
	s.mu.Unlock()
	s.config.Logger.Warn("the connection was lost", "reason", s.secrets.line(reason.Error()))
	s.closing.Go(broken.close)
}

// works records that a call was answered.
func (s *Server) works() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = 0
}

// same returns why a tool is no longer what it was when the agent was built, or nil if it is unchanged.
func (s *Server) same(t *tool, present *session) error {
	at := slices.IndexFunc(present.offered, func(o serverTool) bool { return o.own == t.own })
	switch {
	case at < 0:
		return fmt.Errorf("the MCP server %q was connected again, and no longer has this tool", s.config.Name)
	case present.offered[at].refused != nil || !present.offered[at].parameters.Equal(t.spec.Parameters):
		return fmt.Errorf("the MCP server %q was connected again, and the tool now takes other arguments than you know; "+
			"it can be used after a restart of the agent", s.config.Name)
	}
	return nil
}
