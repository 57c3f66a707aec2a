package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func TestAChatSendsPromptsOfServers(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	server.AddPrompt(&sdk.Prompt{Name: "review", Description: "Reviews a file.", Arguments: []*sdk.PromptArgument{{Name: "file", Required: true}}},
		func(_ context.Context, asked *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + asked.Params.Arguments["file"]}},
			}}, nil
		})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\ntools: [{mcp: {name: fs, url: '"+web.URL+"'}}]\n")
	require.Equal(t, exitOK, b.says("/prompt\n/prompt fs:review file=\"a b.go\"\n"), &b.err)
	require.Contains(t, b.err.String(), "  fs:review file=…  Reviews a file.\n· sends: Review a b.go\n")
	require.Contains(t, b.out.String(), "Review a b.go")
	require.Equal(t, exitUsage, b.says("/prompt fs:revue\n"))
	require.Contains(t, b.err.String(), `there is no prompt "fs:revue"; did you mean fs:review?`)
}
