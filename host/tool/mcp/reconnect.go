package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

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
	s.noteChange(present) // the new connection may offer other tools
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

// same returns why a tool is no longer what it was when the run began, or nil if it is unchanged.
func (s *Server) same(t *tool, present *session) error {
	if t.feature != nil {
		if !t.feature.offered(capabilities(present.client)) {
			return fmt.Errorf("the MCP server %q no longer has %s", s.config.Name, t.feature.key)
		}
		return nil
	}
	offered := present.offers()
	at := slices.IndexFunc(offered, func(o serverTool) bool { return o.own == t.own })
	switch {
	case at < 0:
		return fmt.Errorf("the MCP server %q has changed its tools, and no longer has this one", s.config.Name)
	case offered[at].refused != nil || !offered[at].parameters.Equal(t.spec.Parameters):
		return fmt.Errorf("the MCP server %q has changed its tools, and this one now takes other arguments than you know; "+
			"a new run of the agent can use it", s.config.Name)
	}
	return nil
}
