package acp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
	"github.com/agenthost/agenthost/server/acp/internal/updates"
)

// session is an open session: a thread, with what the client has set for it.
type session struct {
	server *Server
	id     string // the name of the thread
	dirs   []string
	agent  *built
	own    []*mcp.Server // the client's, for this session: the agent is then the session's, too

	mu       sync.Mutex
	gone     bool
	turn     *turn  // the prompt in progress; nil: none
	mode     string // an id of modes
	model    string // a name of the agent's models; "": its own
	titled   bool   // the client knows the title
	abandon  bool   // the next prompt may give up the run that waits
	asked    string // id of the question that the next prompt answers; "": none
	commands map[string]command
	updates  updates.Translator
}

// tell sends updates. Without a client there is nobody to tell.
func (s *session) tell(ctx context.Context, all ...*protocol.Update) error {
	for _, u := range all {
		if err := s.server.conn.Notify(ctx, protocol.SessionUpdate, protocol.Notification{SessionID: s.id, Update: u}); err != nil {
			return err
		}
	}
	return nil
}

// say tells the user something in the agent's place.
func (s *session) say(ctx context.Context, text string) error {
	return s.tell(ctx, protocol.Chunk(protocol.AgentChunk, "", text))
}

// translated translates with the session's translator.
func (s *session) translated(translate func(*updates.Translator) []*protocol.Update) []*protocol.Update {
	s.mu.Lock()
	defer s.mu.Unlock()
	return translate(&s.updates)
}

// callID returns the id by which the client knows a call of the model.
func (s *session) callID(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.updates.CallID(id)
}

// describe returns what the client is shown of a call.
func (s *session) describe(call *abi.ToolCall) (shown protocol.ToolCall, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown, title = s.updates.Describe(call)
	shown.ID = s.updates.CallID(call.ID)
	return shown, title
}

// session returns an open session.
func (s *Server) session(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.sessions[id]; open != nil {
		return open, nil
	}
	return nil, rpc.Errorf(protocol.CodeNoResource, "the session is not open; begin with %s or %s", protocol.SessionNew, protocol.SessionLoad)
}

// close ends what the session has for itself, once its turn has ended.
func (s *session) close() error {
	s.mu.Lock()
	s.gone = true
	current := s.turn
	s.mu.Unlock()
	if current != nil {
		current.cancel(errClosed)
		<-current.over
	}
	if s.own == nil {
		return nil
	}
	err := s.agent.close()
	for _, server := range s.own {
		server.Close()
	}
	return err
}

var errClosed = errors.New("the session was closed")

// closeSession closes a session. Its thread stays.
func (s *Server) closeSession(params *protocol.OfSession) (perform, error) {
	open, err := s.session(params.SessionID)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (*rpc.Answer, error) { return &rpc.Answer{}, s.drop(open) }, nil
}

// drop closes a session and forgets it.
func (s *Server) drop(open *session) error {
	s.mu.Lock()
	if s.sessions[open.id] == open {
		delete(s.sessions, open.id)
	}
	s.mu.Unlock()
	return open.close()
}

// deleteSession removes a thread. A session that was deleted already is not an error.
func (s *Server) deleteSession(params *protocol.OfSession) (perform, error) {
	return func(ctx context.Context) (*rpc.Answer, error) {
		if open, err := s.session(params.SessionID); err == nil {
			if err := s.drop(open); err != nil {
				return nil, err
			}
		}
		return &rpc.Answer{}, s.base.Forget(ctx, params.SessionID)
	}, nil
}

// moment returns a time in the protocol's form.
func moment(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
