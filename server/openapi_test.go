package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/a2a"
	"github.com/agenthost/agenthost/server/agui"
	"github.com/agenthost/agenthost/server/langgraph"
	"github.com/agenthost/agenthost/server/mcp"
	"github.com/agenthost/agenthost/server/openai"
	"github.com/agenthost/agenthost/test/apicheck"
)

// Every route is described, and nothing else is.
func TestTheDescriptionHasAllRoutes(t *testing.T) {
	t.Parallel()
	var described []string
	for path, item := range apicheck.Load(t).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+strings.ReplaceAll(path, "_id}", "}"))
		}
	}
	routes := []string{"GET /", "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /studio/studio.js", "GET /studio/studio.css"}
	routes = append(routes, mcp.Patterns()...)
	routes = append(routes, openai.Patterns()...)
	routes = append(routes, agui.Patterns()...)
	for _, pattern := range langgraph.Patterns() {
		if pattern == "GET /runs/{run}/{what}" { // patterns of net/http that would contradict each other
			routes = append(routes, "GET /runs/{run}/join", "GET /runs/{run}/stream", "GET /runs/crons/{cron}")
			continue
		}
		routes = append(routes, pattern)
	}
	for _, pattern := range a2a.Patterns() {
		routes = append(routes, strings.TrimSuffix(pattern, "{$}"))
	}
	slices.Sort(described)
	slices.Sort(routes)
	require.Equal(t, routes, described)
}

// make generate writes the file in docs.
func TestTheDescriptionInDocs(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile(filepath.Join("..", "docs", "openapi.json"))
	require.NoError(t, err)
	present, err := server.OpenAPI()
	require.NoError(t, err)
	require.Equal(t, string(committed), string(present)+"\n", "run make generate")
}
