package mcp_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp"
)

// asksForRoots is a tool that says the client's roots.
func asksForRoots(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	said := func(r *sdk.ListRootsResult) *sdk.CallToolResult {
		out := ""
		for _, root := range r.Roots {
			out += fmt.Sprintln(root.Name, root.URI)
		}
		return text(out)
	}
	if req.ProtocolVersion() < "2026-07-28" {
		roots, err := req.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		return said(roots), nil
	}
	if given, ok := req.Params.InputResponses["r"].(*sdk.ListRootsResult); ok {
		return said(given), nil
	}
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"r": &sdk.ListRootsParams{}}}, nil
}

func TestRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: []string{version}})
		server.AddTool(&sdk.Tool{Name: "ask", InputSchema: object(nil)}, asksForRoots)
		s := connect(t, mcp.Config{Transport: inProcess(t, server), Roots: []string{dir}})
		require.Equal(t, filepath.Base(dir)+" file://"+filepath.ToSlash(dir)+"\n", answered(t, s, "ask", nil), version)
		none := connect(t, mcp.Config{Transport: inProcess(t, server)})
		require.NotContains(t, calls(t, none, "ask", nil)[0].Content.Text(), "file:", version)
	}
}

func TestRootsMustBeDirectories(t *testing.T) {
	t.Parallel()
	for _, root := range []string{filepath.Join(t.TempDir(), "none"), "roots_test.go"} {
		_, err := mcp.Connect(t.Context(), mcp.Config{Transport: inProcess(t, library()), Roots: []string{root}})
		require.ErrorContains(t, err, "roots: ")
	}
}
