package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// perform performs a request.
type perform = func(ctx context.Context) (*rpc.Answer, error)

// method reads the parameters of a request, and returns what performs it. It must return soon.
type method func(s *Server, params json.RawMessage) (perform, error)

// methods are the methods of the protocol.
var methods = map[string]method{
	protocol.Initialize:       with((*Server).initialize),
	protocol.Authenticate:     (*Server).noLogin,
	protocol.Logout:           (*Server).noLogin,
	protocol.SessionNew:       with((*Server).newSession),
	protocol.SessionLoad:      with((*Server).loadSession),
	protocol.SessionResume:    with((*Server).resumeSession),
	protocol.SessionFork:      with((*Server).forkSession),
	protocol.SessionList:      with((*Server).listSessions),
	protocol.SessionPrompt:    with((*Server).prompt),
	protocol.SessionCancel:    with((*Server).cancel),
	protocol.SessionSetMode:   with((*Server).setMode),
	protocol.SessionSetOption: with((*Server).setOption),
	protocol.SessionClose:     with((*Server).closeSession),
	protocol.SessionDelete:    with((*Server).deleteSession),
}

// with reads parameters as their type.
func with[P any](do func(s *Server, params *P) (perform, error)) method {
	return func(s *Server, raw json.RawMessage) (perform, error) {
		var params P
		if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "params must be an object")
		}
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "params: %v", err)
		}
		return do(s, &params)
	}
}

// handle begins a request.
func (s *Server) handle(r *rpc.Request) (perform, error) {
	known, ok := methods[r.Method]
	if !ok {
		return nil, rpc.Errorf(rpc.CodeNoMethod, "there is no method %q", terminal.Line(r.Method))
	}
	s.mu.Lock()
	ready := s.base != nil
	s.mu.Unlock()
	if !ready && r.Method != protocol.Initialize {
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the first request must be %s; wait for its answer", protocol.Initialize)
	}
	if (r.Method == protocol.SessionCancel) != r.Notification {
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "%s must be a request, and only %s a notification", r.Method, protocol.SessionCancel)
	}
	do, err := known(s, r.Params)
	if err != nil || do == nil {
		return nil, explain(err)
	}
	return func(ctx context.Context) (*rpc.Answer, error) {
		answer, err := do(ctx)
		return answer, explain(err)
	}, nil
}

// noLogin refuses a login: there is none.
func (*Server) noLogin(json.RawMessage) (perform, error) {
	return nil, rpc.Errorf(rpc.CodeInvalidRequest, "there is no login: whoever starts the command may use the agent")
}

// explain returns an error with the code of the protocol, and a text that controls no terminal.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if coded, ok := errors.AsType[*rpc.Error](err); ok {
		return coded
	}
	code := rpc.CodeInternal
	switch {
	case errors.Is(err, checkpoint.ErrNoThread):
		code = protocol.CodeNoResource
	case errors.Is(err, checkpoint.ErrThreadName):
		code = rpc.CodeInvalidParams
	case errors.Is(err, checkpoint.ErrBusy):
		code = rpc.CodeBusy
	}
	return rpc.Errorf(code, "%s", terminal.Text(err.Error()))
}
