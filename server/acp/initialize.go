package acp

import (
	"cmp"
	"context"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// initialize builds the agent for what the client offers.
func (s *Server) initialize(params *protocol.InitializeRequest) (perform, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the connection is initialized already")
	}
	s.client = &params.ClientCapabilities
	return func(ctx context.Context) (*rpc.Answer, error) {
		base, err := s.build(ctx, nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.base, s.failed = base, err; err != nil {
			s.leave(err)
			return nil, err
		}
		return &rpc.Answer{Result: s.introduce()}, nil
	}, nil
}

// introduce says what the agent can do.
func (s *Server) introduce() *protocol.InitializeResponse {
	takes := func(support func(*model.Info) model.Support) bool {
		for _, info := range s.base.models() {
			if support(&info) != model.SupportNo {
				return true
			}
		}
		return false
	}
	name := cmp.Or(s.base.config.Name, "agenthost")
	return &protocol.InitializeResponse{
		ProtocolVersion: protocol.Version, // a client of another version leaves
		AgentCapabilities: protocol.AgentCapabilities{
			LoadSession: true,
			PromptCapabilities: protocol.PromptCapabilities{
				Image:           takes(func(i *model.Info) model.Support { return i.Images }),
				Audio:           takes(func(i *model.Info) model.Support { return i.Audio }),
				EmbeddedContext: true,
			},
			MCPCapabilities: protocol.MCPCapabilities{HTTP: s.takesServers(), SSE: s.takesServers()},
		},
		AuthMethods: []struct{}{},
		AgentInfo:   protocol.Implementation{Name: name, Version: s.config.Version},
	}
}
