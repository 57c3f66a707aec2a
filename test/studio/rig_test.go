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

	t      *testing.T
	url    string
	gate   *gate
	cut    func()      // breaks all connections
	down   atomic.Bool // no request is answered
	config server.Config
	server atomic.Pointer[server.Server]
}

// setup starts a server and opens the page. yaml is the serve.yaml of the server.
func setup(t *testing.T, yaml string, more ...host.Middleware) *rig {
	t.Helper()
	chromium(t) // before the agent is made in vain
	r := newServer(t, yaml, append(usual(t), more...)...)
	r.page = open(t, r.url)
	return r
}

// newServer starts a server.
func newServer(t *testing.T, yaml string, middleware ...host.Middleware) *rig {
	t.Helper()
	r := &rig{t: t, gate: newGate()}
	serve, err := config.Parse("serve.yaml", []byte(yaml), config.Options{})
	require.NoError(t, err)
	r.config = server.Config{
		Agents: map[string]runs.Agent{"helper": newAgent(t, r.gate, middleware...)}, Runs: runsmemory.New(runsmemory.Options{}), Serve: serve, Version: "test",
		Store: semantic.WithoutIndex(storememory.New()),
	}
	r.begin()
	listening := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if r.down.Load() {
			panic(http.ErrAbortHandler)
		}
		r.server.Load().Handler().ServeHTTP(w, request)
	}))
	listening.Config.ErrorLog = nil
	listening.Start()
	r.url, r.cut = listening.URL, listening.CloseClientConnections
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.server.Load().Close(ctx)
		listening.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}

func (r *rig) begin() {
	r.t.Helper()
	s, err := server.New(r.config)
	require.NoError(r.t, err)
	r.server.Store(s)
}

// replace lets the server end in the middle of what it does, and puts another one with the same database in its place.
func (r *rig) replace() {
	r.t.Helper()
	r.down.Store(true)
	r.cut()
	now, cancel := context.WithCancel(context.Background())
	cancel()
	r.server.Load().Close(now)
	r.begin()
	r.down.Store(false)
}
