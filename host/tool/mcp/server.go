package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/host"
)

// Server is a server that is connected, or will be connected again when one of its tools is called. Its methods are safe for
// concurrent use. Close it after the agents that use its tools.
type Server struct {
	config  Config
	secrets *secrets
	uses    uses
	roots   []*sdk.Root

	connecting chan struct{} // held while connecting or closing
	refreshing chan struct{} // held while refreshing the tools
	closing    sync.WaitGroup

	mu       sync.Mutex
	tools    []*tool
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
	if config.Sampling != nil && config.Sampling.Model == nil {
		return nil, &ServerError{config.ServerName(), errors.New("sampling: the model is missing")}
	}
	roots, err := config.readRoots()
	if err != nil {
		return nil, &ServerError{config.ServerName(), err}
	}
	s := &Server{roots: roots, config: config.withDefaults(), secrets: config.secrets(), connecting: make(chan struct{}, 1), refreshing: make(chan struct{}, 1)}
	present, err := s.dial(ctx)
	if err != nil {
		return nil, &ServerError{s.config.Name, err}
	}
	s.present = present
	if s.tools, err = s.choose(present.offers()); err == nil {
		s.tools, err = s.withFeatures(s.tools, present)
	}
	if err != nil {
		s.Close()
		return nil, &ServerError{s.config.Name, err}
	}
	return s, nil
}

// Name returns the server's name in errors and logs.
func (s *Server) Name() string { return s.config.Name }

// Tools returns the tools of the server that the configuration lets through, in the server's order. Only Refresh changes them.
func (s *Server) Tools() []host.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
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
