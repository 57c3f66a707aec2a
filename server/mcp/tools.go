package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
)

// addTool offers a tool of the agent, in place of one of the same name that was offered before.
func (s *Server) addTool(t host.Tool) (err error) {
	spec := t.Spec()
	if spec.Dynamic {
		return nil
	}
	if spec.Name == s.config.Name {
		return fmt.Errorf("mcpserver: the agent has the tool %q, which is the name of another tool of the server too; give the agent another name", spec.Name)
	}
	defer func() {
		if thrown := recover(); thrown != nil { // by the SDK
			err = fmt.Errorf("mcpserver: the tool %q cannot be offered: %v", spec.Name, thrown)
		}
	}()
	schema := spec.Parameters
	if schema.IsNil() {
		schema = wire.Map{{Key: "type", Value: wire.String("object")}}.Raw()
	}
	s.server.AddTool(&sdk.Tool{
		Name: spec.Name, Description: spec.Description, InputSchema: json.RawMessage(schema.JSON()),
		Annotations: &sdk.ToolAnnotations{IdempotentHint: spec.Idempotent},
	}, s.handle(s.callTask))
	s.own[spec.Name] = spec
	return nil
}

// ToolsChanged says that Config.RefreshTools may now return other tools. The server then tells its clients what has changed. It may be
// called at any time, and does not wait.
func (s *Server) ToolsChanged() {
	select {
	case s.changed <- struct{}{}:
	default: // the server has yet to follow an earlier change
	}
}

// follow offers the changed tools until the server is closed.
func (s *Server) follow() {
	for {
		select {
		case <-s.changed:
			s.refresh(s.life)
		case <-s.life.Done():
			return
		}
	}
}

// refresh offers the tools that Config.RefreshTools returns. The SDK tells the clients of a change.
func (s *Server) refresh(ctx context.Context) {
	if s.config.RefreshTools == nil {
		return
	}
	select {
	case s.refreshing <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-s.refreshing }()
	tools, err := s.config.RefreshTools(ctx)
	if err != nil && ctx.Err() == nil {
		s.config.Logger.Warn("the agent's tools could not be read again", "error", terminal.Line(err.Error()))
	}
	if tools == nil {
		return
	}
	present := map[string]bool{}
	for _, t := range tools {
		spec := t.Spec()
		present[spec.Name] = true
		if before, ok := s.own[spec.Name]; ok && sameSpec(before, spec) {
			continue
		}
		if err := s.addTool(t); err != nil {
			s.config.Logger.Warn("a tool is not offered", "tool", terminal.Line(spec.Name), "reason", terminal.Line(err.Error()))
		}
	}
	for name := range s.own {
		if !present[name] {
			s.server.RemoveTools(name)
			delete(s.own, name)
		}
	}
}

// sameSpec reports whether clients see the same of two tools.
func sameSpec(a, b abi.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Idempotent == b.Idempotent && a.Parameters.Equal(b.Parameters)
}

// refreshesLists lets a list of tools be the present one.
func (s *Server) refreshesLists(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "tools/list" {
			s.refresh(ctx)
		}
		return next(ctx, method, req)
	}
}
