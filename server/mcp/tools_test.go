package mcp_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	mcpserver "github.com/agenthost/agenthost/server/mcp"
)

// toolSet is the tools of an agent, which change.
type toolSet struct {
	mu    sync.Mutex
	tools []host.Tool
	err   error
}

func (s *toolSet) set(tools ...host.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = tools
}

func (s *toolSet) refresh(context.Context) ([]host.Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools, s.err
}

func greet(name, description string) host.Tool {
	return tool.Func(name, description, func(context.Context, struct{}) (string, error) { return "hello from " + name, nil })
}

func listed(t *testing.T, c *sdk.ClientSession) []string {
	t.Helper()
	result, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var out []string
	for _, tool := range result.Tools {
		if tool.Name != "forecaster" {
			out = append(out, tool.Name+": "+tool.Description)
		}
	}
	return out
}

func TestClientsFollowChangedTools(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", ""} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			set := &toolSet{}
			set.set(greet("a", "one"), greet("b", "two"))
			b := serve(t, func(config *host.Config, served *mcpserver.Config) {
				config.Tools, served.Tools = set.tools, set.tools
				config.RefreshTools, served.RefreshTools = set.refresh, set.refresh
			})
			told := make(chan struct{}, 10)
			c := b.client(&sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { told <- struct{}{} }}, version)
			require.Equal(t, []string{"a: one", "b: two"}, listed(t, c))

			set.set(greet("a", "other"), greet("c", "three"), greet("forecaster", "the name of the server's own tool"))
			b.server.ToolsChanged()
			<-told
			require.Equal(t, []string{"a: other", "c: three"}, listed(t, c))
			require.Equal(t, "hello from c", textOf(t, call(t, c, "c", nil)))

			set.mu.Lock()
			set.tools, set.err = nil, errors.New("a server is gone")
			set.mu.Unlock()
			require.Equal(t, []string{"a: other", "c: three"}, listed(t, c), "they stay as they were")
		})
	}
}

// A client that lists the tools need not wait for a change to be announced.
func TestAListOfToolsIsThePresentOne(t *testing.T) {
	t.Parallel()
	set := &toolSet{}
	set.set(greet("a", "one"))
	b := serve(t, func(config *host.Config, served *mcpserver.Config) {
		config.Tools, served.Tools = set.tools, set.tools
		config.RefreshTools, served.RefreshTools = set.refresh, set.refresh
	})
	c := b.client(nil, "")
	set.set(greet("b", "two"))
	require.Equal(t, []string{"b: two"}, listed(t, c))
}
