package studio_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	storememory "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
)

// rig is a server with an agent, and a page that shows it.
type rig struct {
	*page

	t    *testing.T
	url  string
	gate *gate
	cut  func()      // breaks all connections
	down atomic.Bool // no request is answered
}

// setup starts a server and opens the page. yaml is the serve.yaml of the server.
func setup(t *testing.T, yaml string, more ...host.Middleware) *rig {
	t.Helper()
	r := newServer(t, yaml, more...)
	r.page = open(t, r.url)
	return r
}

// newServer starts a server.
func newServer(t *testing.T, yaml string, more ...host.Middleware) *rig {
	t.Helper()
	r := &rig{t: t, gate: &gate{began: make(chan struct{}, 100), let: make(chan struct{}, 100)}}
	serve, err := config.Parse("serve.yaml", []byte(yaml), config.Options{})
	require.NoError(t, err)
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"helper": newAgent(t, r.gate, more...)}, Runs: runsmemory.New(runsmemory.Options{}), Serve: serve, Version: "test",
		Store: semantic.WithoutIndex(storememory.New()),
	})
	require.NoError(t, err)
	listening := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if r.down.Load() {
			panic(http.ErrAbortHandler)
		}
		s.Handler().ServeHTTP(w, request)
	}))
	listening.Config.ErrorLog = nil
	listening.Start()
	r.url, r.cut = listening.URL, listening.CloseClientConnections
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		listening.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}
