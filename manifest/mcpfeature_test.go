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
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
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

func TestOAuthThatIsWrong(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"command: [x], oauth: {}":                                      "it only applies to a url",
		"url: 'https://x/mcp', headers: {authorization: x}, oauth: {}": "the headers have Authorization already",
		"url: 'http://mcp.example.com', oauth: {}":                     "a login needs a URL that begins with https://",
		"url: 'https://x/mcp', oauth: {client_secret: abcdefgh}":       "it needs a client_id",
		"url: 'https://x/mcp', oauth: {redirect_port: 70000}":          "redirect_port",
		"url: 'https://x/mcp', oauth: {scopes: ['a b']}":               "is not a scope",
		"url: 'https://x/mcp', oauth: {clientid: a}":                   "client_id",
	} {
		_, err := loadMCP(t, "tools: [{mcp: {"+server+"}}]\n", manifest.Options{InMemory: true})
		require.ErrorContains(t, err, want, server)
		require.NotContains(t, err.Error(), "abcdefgh")
	}
	m, err := loadMCP(t, "tools: [{mcp: {url: 'https://x.example/mcp', oauth: {client_id: a}}}]\n", manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, "this program keeps no logins")
	require.NoError(t, agent.Close())
}

func TestTheClientOfALogin(t *testing.T) {
	t.Parallel()
	var servers []mcp.Config
	m, err := loadMCP(t, "tools:\n  - mcp: {url: 'https://x.example/mcp', oauth: {client_id: a, client_secret: secret-of-mine, issuer: 'https://y', scopes: [s], redirect_port: 9}}\n"+
		"  - mcp: {url: 'http://y.example/mcp'}\n", manifest.Options{
		InMemory: true, Logins: &oauth.Memory{}, Unstarted: func(server mcp.Config) { servers = append(servers, server) },
	})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	source, ok := servers[0].Auth.(*oauth.Source)
	require.True(t, ok)
	require.Equal(t, &oauth.Client{
		Server: "https://x.example/mcp", Store: &oauth.Memory{}, ClientID: "a", ClientSecret: "secret-of-mine", Issuer: "https://y",
		Scopes: []string{"s"}, RedirectPort: 9,
	}, source.Client())
	require.Nil(t, servers[1].Auth, "a token is not sent without TLS")
}
