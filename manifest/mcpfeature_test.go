package manifest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

// serveSDK serves an MCP server over streamable HTTP.
func serveSDK(t *testing.T, server *sdk.Server) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(s.Close)
	return s
}

func buildMCP(t *testing.T, tools string) *manifest.Agent {
	t.Helper()
	m, err := loadMCP(t, tools, manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

func TestResourcesAndPromptsOfAServer(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	server.AddResource(&sdk.Resource{URI: "n://a", Name: "a"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "n://a", Text: "tea"}}}, nil
	})
	server.AddPrompt(&sdk.Prompt{Name: "p"}, nil)
	web := serveSDK(t, server)
	agent := buildMCP(t, fmt.Sprintf("tools: [{mcp: {name: fs, url: '%s', resources: true, prompts: true}}]\n"+
		"middleware: [human_in_the_loop: {interrupt_on: {fs_get_prompt: true}}]\n", web.URL))
	require.Len(t, agent.Servers, 1)
	prompts, err := agent.Servers[0].Prompts(t.Context())
	require.NoError(t, err)
	require.Equal(t, "p", prompts[0].Name)
}
