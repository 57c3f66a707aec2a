package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Refresh reads the list of tools again if the server has announced a change, or was connected again. [Server.Tools] then returns the
// new list, in which unchanged tools are the same values. It starts nothing: a server that is not connected keeps its tools. After an
// error, a [*ServerError], the tools stay as they were, and the next Refresh tries again. A call of a tool that the server no longer has,
// or that takes other arguments now, tells the model so. Refresh takes at most the connect timeout.
func (s *Server) Refresh(ctx context.Context) error {
	select {
	case s.refreshing <- struct{}{}:
	case <-ctx.Done():
		return &ServerError{s.config.Name, ctx.Err()}
	}
	defer func() { <-s.refreshing }()
	s.mu.Lock()
	present, closed := s.present, s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return &ServerError{s.config.Name, ErrClosed}
	case present == nil || !present.changed.Swap(false):
		return nil
	}
	if err := s.refresh(ctx, present); err != nil {
		present.changed.Store(true)
		return &ServerError{s.config.Name, err}
	}
	return nil
}

// refresh lists the tools and chooses among them.
func (s *Server) refresh(ctx context.Context, present *session) error {
	inside, stop := context.WithTimeoutCause(ctx, s.config.ConnectTimeout, errSlow)
	defer stop()
	offered, err := list(inside, present.client)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(inside), errSlow):
		return fmt.Errorf("%w within %v when its tools were listed again", errSlow, s.config.ConnectTimeout)
	default:
		explained := present.explained(err)
		if errors.Is(err, sdk.ErrConnectionClosed) {
			s.lost(present, err)
		}
		return explained
	}
	present.mu.Lock()
	present.offered = offered
	present.mu.Unlock()
	chosen, err := s.choose(offered)
	if err == nil {
		chosen, err = s.withFeatures(chosen, present)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range chosen {
		if at := slices.IndexFunc(s.tools, t.equal); at >= 0 {
			chosen[i] = s.tools[at]
		}
	}
	s.tools = chosen
	return nil
}

// equal reports whether two tools of a server are the same to a model.
func (t *tool) equal(other *tool) bool {
	return t.own == other.own && t.feature == other.feature && t.spec.Name == other.spec.Name && t.spec.Description == other.spec.Description &&
		t.spec.Idempotent == other.spec.Idempotent && t.spec.Parameters.Equal(other.spec.Parameters)
}
