package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// awaited closes heard when a text was written.
type awaited struct {
	text  string
	heard chan struct{}
	once  sync.Once
	all   bytes.Buffer
}

func (a *awaited) Write(p []byte) (int, error) {
	a.all.Write(p)
	if strings.Contains(a.all.String(), a.text) {
		a.once.Do(func() { close(a.heard) })
	}
	return len(p), nil
}

func TestTheCommandNamesTheMCPServersThatItWaitsFor(t *testing.T) {
	t.Parallel()
	told := &awaited{text: "· waiting for MCP servers: slow\n", heard: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that a client is gone
		select {
		case <-told.heard:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	b := setup(t, say+fmt.Sprintf("tools: [{mcp: {name: slow, url: '%s'}}]\n", server.URL))

	code := execute(t.Context(), []string{"run", "-f", b.path("agenthost.yaml"), "hi"},
		streams{in: strings.NewReader(""), out: &b.out, err: told, terminal: true})

	require.Equal(t, exitUsage, code)
	require.Contains(t, told.all.String(), told.text+"agenthost: ", "the server ended the wait")
}
