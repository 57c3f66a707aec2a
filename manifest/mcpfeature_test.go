package manifest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
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

// A server asks the agent's named model, and the run pays.
func TestSamplingOfAServer(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	asked := &sdk.CreateMessageWithToolsParams{MaxTokens: 9, Messages: []*sdk.SamplingMessageV2{
		{Role: "user", Content: []sdk.Content{&sdk.TextContent{Text: "hi"}}},
	}}
	server.AddTool(&sdk.Tool{Name: "read", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			given, ok := req.Params.InputResponses["m"].(*sdk.CreateMessageWithToolsResult)
			if !ok {
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"m": asked}}, nil
			}
			return &sdk.CallToolResult{Content: given.Content}, nil
		})
	web := serveSDK(t, server)
	for _, test := range []struct{ sampling, want string }{
		{"{model: small, approve: false}", "from small"},
		{"{model: small, approve: false, max_requests: 1, max_tokens: 2k}", "from small"},
	} {
		agent := buildMCP(t, fmt.Sprintf("models: {small: {provider: scripted, turns: [{content: from small, usage: {input_tokens: 5}}]}}\n"+
			"tools: [{mcp: {prefix: fs_, url: '%s', sampling: %s}}]\n", web.URL, test.sampling))
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, test.want, result.Messages.At(2).Content.Text())
		require.Equal(t, uint64(5), result.Usage.InputTokens)
	}
	approved := buildMCP(t, fmt.Sprintf("checkpoint: memory\ntools: [{mcp: {prefix: fs_, url: '%s', sampling: {}}}]\n", web.URL))
	result, err := approved.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
}

func TestSamplingThatIsWrong(t *testing.T) {
	t.Parallel()
	for sampling, want := range map[string]string{
		"{model: smal}":     `unknown model "smal"`,
		"{max_requests: 0}": "max_requests",
		"{max_token: 1}":    "max_tokens",
		"true":              "sampling",
	} {
		m, err := loadMCP(t, "models: {small: {provider: scripted, turns: [{content: x}]}}\ntools: [{mcp: {url: 'http://x', sampling: "+sampling+"}}]\n",
			manifest.Options{InMemory: true})
		if err == nil {
			var agent *manifest.Agent
			agent, err = m.Build(t.Context(), nil, nil)
			require.NoError(t, agent.Close())
		}
		require.ErrorContains(t, err, want, sampling)
	}
}
