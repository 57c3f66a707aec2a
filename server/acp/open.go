package acp

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// newSession begins a session. Its thread appears with the first prompt.
func (s *Server) newSession(params *protocol.SessionRequest) (perform, error) {
	return func(ctx context.Context) (*rpc.Answer, error) {
		params.SessionID = s.config.NewThread()
		return s.open(ctx, params, true, nil)
	}, nil
}

// loadSession opens a thread, and shows the client what is in it.
func (s *Server) loadSession(params *protocol.SessionRequest) (perform, error) {
	return func(ctx context.Context) (*rpc.Answer, error) {
		return s.open(ctx, params, false, func(open *session, at *host.Snapshot) error {
			open.mu.Lock()
			defer open.mu.Unlock()
			return open.updates.History(at, func(u *protocol.Update) error { return open.tell(ctx, u) })
		})
	}, nil
}

// resumeSession opens a thread whose content the client has.
func (s *Server) resumeSession(params *protocol.SessionRequest) (perform, error) {
	return func(ctx context.Context) (*rpc.Answer, error) {
		return s.open(ctx, params, false, func(open *session, at *host.Snapshot) error {
			open.mu.Lock()
			defer open.mu.Unlock()
			return open.updates.History(at, func(*protocol.Update) error { return nil }) // it learns the ids of calls
		})
	}, nil
}

// forkSession copies a thread as it is, and opens the copy.
func (s *Server) forkSession(params *protocol.SessionRequest) (perform, error) {
	return func(ctx context.Context) (*rpc.Answer, error) {
		into := s.config.NewThread()
		if err := s.threads().Fork(ctx, params.SessionID, 0, into); err != nil {
			return nil, err
		}
		params.SessionID = into
		answer, err := s.open(ctx, params, true, nil)
		if err != nil {
			err = errors.Join(err, s.base.Forget(context.WithoutCancel(ctx), into))
		}
		return answer, err
	}, nil
}

// open opens a session. The answer names it if it is new; the thread of another one must exist, and show gets its content.
func (s *Server) open(
	ctx context.Context, params *protocol.SessionRequest, isNew bool, show func(*session, *host.Snapshot) error,
) (_ *rpc.Answer, err error) {
	dirs, err := directories(params)
	if err != nil {
		return nil, err
	}
	if !isNew {
		if err := s.reopens(params.SessionID); err != nil {
			return nil, err
		}
	}
	if err := s.reserve(); err != nil {
		return nil, err
	}
	defer s.release()
	open := &session{server: s, id: params.SessionID, dirs: dirs, agent: s.base, mode: modeAsk, titled: !isNew}
	if open.own, err = s.connect(ctx, params.MCPServers, dirs[0]); err != nil {
		return nil, err
	}
	if open.own != nil {
		if open.agent, err = s.build(ctx, open.own); err != nil {
			for _, server := range open.own {
				server.Close()
			}
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, open.close())
		}
	}()
	open.updates.Editor = open.editorCall
	open.updates.Window = open.window()
	if show != nil {
		at, err := open.agent.State(ctx, open.id, 0)
		if err != nil {
			return nil, err
		}
		if err := show(open, at); err != nil {
			return nil, err
		}
	}
	if err := s.add(open); err != nil {
		return nil, err
	}
	answer := &protocol.SessionResponse{Modes: open.modes(), ConfigOptions: open.options()}
	if isNew {
		answer.SessionID = open.id
	}
	return &rpc.Answer{Result: answer, Then: open.announceCommands}, nil
}

// reopens refuses a session that works, and closes one that is open already.
func (s *Server) reopens(id string) error {
	if err := checkpoint.CheckName(id); err != nil {
		return err
	}
	open, err := s.session(id)
	if err != nil {
		return nil //nolint:nilerr // it is not open
	}
	open.mu.Lock()
	busy := open.turn != nil
	open.mu.Unlock()
	if busy {
		return rpc.Errorf(rpc.CodeBusy, "a prompt is in progress in the session; cancel it first")
	}
	return s.drop(open)
}

// reserve makes room for a session.
func (s *Server) reserve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions)+s.opening >= maxSessions {
		return rpc.Errorf(rpc.CodeBusy, "there are %d open sessions; close one with %s", maxSessions, protocol.SessionClose)
	}
	s.opening++
	return nil
}

// release gives back what reserve took.
func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
}

// add adds an open session.
func (s *Server) add(open *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[open.id] != nil {
		return rpc.Errorf(rpc.CodeBusy, "the session was opened twice at once")
	}
	s.sessions[open.id] = open
	return nil
}

// titleOf returns a title for a thread: how its first message begins.
func titleOf(at *host.Snapshot) string {
	for i := range at.Messages.Len() {
		if m := at.Messages.At(i); m.Role == abi.RoleHuman {
			if title := shortTitle(m.Content.Text()); title != "" {
				return title
			}
		}
	}
	return ""
}
