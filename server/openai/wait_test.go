package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/openai"
)

// waiting is the door alone, whose heartbeats are fast, with an agent that works until it may end.
type waiting struct {
	url     string
	service *runs.Service
	began   chan struct{}
	let     chan error
	stop    context.CancelFunc // the server stops
}

func setupWaiting(t *testing.T) *waiting {
	t.Helper()
	w := &waiting{began: make(chan struct{}, 10), let: make(chan error)}
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^block$", Call: []scripted.RuleCall{{Tool: "block", Args: doc{}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "The tool said: $1"},
	)
	require.NoError(t, err)
	threads := memory.New()
	agent, err := host.New(host.Config{Name: "agent", Model: rules, Checkpointer: threads, Tools: []host.Tool{
		tool.Func("block", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
			w.began <- struct{}{}
			select {
			case err := <-w.let:
				return "done", err
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		}),
	}})
	require.NoError(t, err)
	serve, err := config.Parse("serve.yaml", []byte("{}"), config.Options{})
	require.NoError(t, err)
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads}}, Runs: runsmemory.New(runsmemory.Options{}), Serve: serve, Version: "test",
	})
	require.NoError(t, err)
	w.service = s.Service()
	closing, stop := context.WithCancel(context.Background())
	w.stop = stop
	handler := openai.New(door.Config{
		Service: w.service, Heartbeat: 20 * time.Millisecond, Closing: closing,
	})
	listening := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(rw, r.WithContext(auth.WithPrincipal(r.Context(), auth.Principal{Scopes: []auth.Scope{auth.ScopeAdmin}})))
	}))
	w.url = listening.URL
	t.Cleanup(func() {
		stop()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		listening.Close()
		s.Close(ctx)
		require.NoError(t, agent.Close())
	})
	return w
}

// post sends a request through a connection that is cut off when nothing comes for a while, as proxies do it.
func (w *waiting) post(t *testing.T, path string, body doc, idle time.Duration) (status int, text string, err error) {
	t.Helper()
	dialer := &net.Dialer{}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		return &impatient{conn, idle}, err
	}}
	encoded, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+path, strings.NewReader(string(encoded)))
	require.NoError(t, err)
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { require.NoError(t, response.Body.Close()) }()
	all, err := io.ReadAll(response.Body)
	return response.StatusCode, string(all), err
}

// impatient is a connection that fails when nothing comes for a while.
type impatient struct {
	net.Conn

	idle time.Duration
}

func (c *impatient) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// An answer without a stream outlives a proxy that cuts idle connections off.
func TestAWaitKeepsItsConnection(t *testing.T) {
	t.Parallel()
	for path, member := range map[string]string{"/v1/chat/completions": "choices", "/v1/responses": "output"} {
		w := setupWaiting(t)
		go func() {
			<-w.began
			<-time.After(3 * time.Second)
			w.let <- nil
		}()
		status, text, err := w.post(t, path, user("block", "input", "block"), time.Second)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		require.True(t, strings.HasPrefix(text, "\n\n"), "%.40q", text)
		var out doc
		require.NoError(t, json.Unmarshal([]byte(text), &out))
		require.Contains(t, out, member)
		require.Contains(t, text, "The tool said: done")
	}
}

// An error after a heartbeat is in the body, since the status was sent.
func TestAnErrorAfterAHeartbeat(t *testing.T) {
	t.Parallel()
	w := setupWaiting(t)
	go func() {
		<-w.began
		<-time.After(time.Second)
		w.stop()
	}()
	status, text, err := w.post(t, "/v1/chat/completions", user("block"), patience)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.True(t, strings.HasPrefix(text, "\n"), "%.40q", text)
	var out doc
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	require.Equal(t, "stopping", at(out, "error", "code"))
	require.NotContains(t, out, "choices", "nobody takes it for an answer")
}
