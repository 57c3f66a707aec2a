package acp

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// maxServers is how many MCP servers a session may have.
const maxServers = 32

// takesServers reports whether the client may pass MCP servers.
func (s *Server) takesServers() bool { return s.config.Tools == EditorAll && s.config.Review != nil }

// connect connects the MCP servers of the client's user. One that cannot be reached is left out, with a warning: the user has configured it for all
// agents. The servers are trusted as far as the client is, since it could start their commands itself; every call of their tools is asked about.
func (s *Server) connect(ctx context.Context, given []protocol.MCPServer, dir string) ([]*mcp.Server, error) {
	if len(given) == 0 {
		return nil, nil
	}
	if !s.takesServers() {
		s.config.Logger.Warn("the editor's MCP servers are not used, because --editor-tools does not allow it", "servers", len(given))
		return nil, nil
	}
	if len(given) > maxServers {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "mcpServers: there are more than %d", maxServers)
	}
	configs := make([]mcp.Config, len(given))
	for i := range given {
		config, err := s.serverConfig(&given[i], dir)
		if err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "mcpServers[%d]: %s", i, terminal.Text(err.Error()))
		}
		configs[i] = *config
	}
	connected := make([]*mcp.Server, len(configs))
	var connecting sync.WaitGroup
	for i := range configs {
		connecting.Go(func() {
			server, err := mcp.Connect(ctx, configs[i])
			if err != nil {
				s.config.Logger.Warn("an MCP server of the editor is left out", "server", terminal.Line(configs[i].Name), "error", err)
				return
			}
			connected[i] = server
		})
	}
	connecting.Wait()
	var servers []*mcp.Server
	for _, server := range connected {
		if server != nil {
			servers = append(servers, server)
		}
	}
	if err := ctx.Err(); err != nil {
		for _, server := range servers {
			server.Close()
		}
		return nil, context.Cause(ctx)
	}
	return servers, nil
}

// serverConfig returns the configuration of a server.
func (s *Server) serverConfig(given *protocol.MCPServer, dir string) (*mcp.Config, error) {
	config := &mcp.Config{Name: given.Name, Prefix: toolPrefix(given.Name), Logger: s.config.Logger}
	switch given.Type {
	case "", mcp.TransportStdio:
		config.Command, config.Env = append([]string{given.Command}, given.Args...), texts(given.Env)
		config.Dir = dir
	case "http", mcp.TransportSSE:
		config.URL, config.Headers = given.URL, texts(given.Headers)
		if given.Type == mcp.TransportSSE {
			config.TransportName = mcp.TransportSSE
		}
	default:
		return nil, fmt.Errorf("the type %q is not known", given.Type)
	}
	return config, config.Check()
}

func texts(named []protocol.NamedText) map[string]string {
	all := make(map[string]string, len(named))
	for _, n := range named {
		all[n.Name] = n.Value
	}
	return all
}

// maxPrefix is the length of the prefix of a server's tools.
const maxPrefix = 24

// toolPrefix makes a prefix for the names of a server's tools, which a provider accepts.
func toolPrefix(name string) string {
	fit := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			return r
		default:
			return '_'
		}
	}, name)
	return fit[:min(len(fit), maxPrefix)] + "_"
}
