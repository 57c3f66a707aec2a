package server

import (
	"net/http"

	"github.com/agenthost/agenthost/server/a2a"
	"github.com/agenthost/agenthost/server/agui"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/mcp"
	"github.com/agenthost/agenthost/server/openai"
)

// mount is a door, and the path with which its own paths begin.
type mount struct {
	path string // as net/http has it
	door interface {
		http.Handler
		Route(r *http.Request) string
		IsOpen(r *http.Request) bool
	}
	form detail.Form // of errors that occur before a request reaches the door; nil: LangGraph's
}

// openDoors makes the doors beside LangGraph's, and says below which paths each of them is.
func (s *Server) openDoors(shared door.Config) {
	s.door.Service, shared.Service = s.service, s.service
	s.a2a = a2a.New(a2a.Config{
		Config: shared, Store: s.config.Store, CheckWebhook: s.webhooks.Check, Ended: s.told.ended, Older: s.config.OlderA2A,
		Secured: s.config.Serve.Auth != nil && s.config.Serve.Auth.Anonymous == nil,
	})
	s.mcp = mcp.NewDoor(mcp.DoorConfig{
		Config: shared, SessionsPerOwner: s.config.Serve.Limits.StreamsPerOwner, Sessions: s.config.Serve.Limits.Streams, Login: loginOf(s.config.Serve),
	})
	s.mounts = []mount{
		{path: "/", door: s.door},
		{path: agui.Path, door: agui.New(shared)},
		{path: openai.Path, door: openai.New(shared), form: openai.Explain},
		{path: a2a.Path, door: s.a2a},
		{path: a2a.CardPath, door: s.a2a},
	}
	for _, path := range s.mcp.Paths() {
		s.mounts = append(s.mounts, mount{path: path, door: s.mcp})
	}
}

// loginOf returns who issues tokens for the server; nil if it takes none.
func loginOf(c *config.Config) *mcp.Login {
	issuer, prefix := c.TokenIssuer()
	if issuer == "" {
		return nil
	}
	return &mcp.Login{Issuer: issuer, ScopePrefix: prefix}
}
