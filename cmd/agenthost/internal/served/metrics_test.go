//go:build !no_serve

package served_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/telemetry"
)

// draining is an engine that performs nothing, and drains until the test lets it stop.
type draining struct{ began, let chan struct{} }

func (d draining) Close(context.Context) {
	close(d.began)
	<-d.let
}

func TestOperatorsReadHealthAndQueue(t *testing.T) {
	t.Parallel()
	serve, err := config.Parse("serve.yaml", []byte("metrics: {listen: \"127.0.0.1:0\"}"), config.Options{})
	require.NoError(t, err)
	address, err := threadstore.Parse("sqlite:" + filepath.Join(t.TempDir(), "agents.db"))
	require.NoError(t, err)
	kept, err := storage.Open(t.Context(), address)
	require.NoError(t, err)
	agent, err := host.New(host.Config{Name: "helper", Model: scripted.NewTurns(scripted.Say("hi")), Checkpointer: kept.Threads})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	recorded, err := telemetry.Open(t.Context(), telemetry.Config{Prometheus: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, recorded.Close()) })
	slow := draining{make(chan struct{}), make(chan struct{})}
	running, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"helper": {Agent: agent, Name: "helper", Threads: kept.Threads}}, Runs: kept.Runs, Serve: serve,
		Start: func(engine.Config) (server.Engine, error) { return slow, nil },
	})
	require.NoError(t, err)
	var log bytes.Buffer
	end, err := served.Metrics(t.Context(), serve, running, recorded, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	at := regexp.MustCompile(`at=(http://[^/]+)/metrics`).FindStringSubmatch(log.String())
	require.NotNil(t, at, log.String())
	get := func(path string) (status int, text string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at[1]+path, http.NoBody)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode, string(body)
	}
	holds := func(path string, status int, says string) {
		t.Helper()
		got, text := get(path)
		require.Equal(t, status, got, text)
		require.Contains(t, text, says)
	}

	holds("/healthz", http.StatusOK, "ok")
	holds("/readyz", http.StatusOK, "ok")
	holds("/threads", http.StatusNotFound, "not found")
	holds("/metrics", http.StatusOK, `agenthost_runs_queued{gen_ai_agent_name="helper"} 0`)
	holds("/metrics", http.StatusOK, `agenthost_interrupts_waiting{gen_ai_agent_name="helper"} 0`)
	holds("/metrics", http.StatusOK, `agenthost_streams 0`)
	for _, thread := range []string{"a", "b", "b"} { // the second run of a thread waits for the first one, and for no process
		r := &runs.Run{ID: thread + time.Now().Format("150405.000000000"), Thread: thread, Agent: "helper", Assistant: "a", Task: runs.Document(`{}`)}
		require.NoError(t, kept.Runs.Submit(t.Context(), r, true, 0, nil))
	}
	holds("/metrics", http.StatusOK, `agenthost_runs_queued{gen_ai_agent_name="helper"} 2`)

	closed := make(chan struct{})
	go func() {
		defer close(closed)
		running.Close(context.Background())
	}()
	<-slow.began
	holds("/readyz", http.StatusServiceUnavailable, "the server is not ready")
	holds("/healthz", http.StatusOK, "ok")
	close(slow.let)
	<-closed
	end()
	_, err = http.Get(at[1] + "/healthz") //nolint:bodyclose,noctx // it fails
	require.Error(t, err)
	require.NoError(t, kept.Close())
}

func TestWithoutItsDatabaseAProcessIsNotReady(t *testing.T) {
	t.Parallel()
	address, err := threadstore.Parse("sqlite:" + filepath.Join(t.TempDir(), "agents.db"))
	require.NoError(t, err)
	kept, err := storage.Open(t.Context(), address)
	require.NoError(t, err)
	agent, err := host.New(host.Config{Name: "helper", Model: scripted.NewTurns(scripted.Say("hi")), Checkpointer: kept.Threads})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	stopped := draining{make(chan struct{}), make(chan struct{})}
	close(stopped.let)
	running, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"helper": {Agent: agent, Name: "helper", Threads: kept.Threads}}, Runs: kept.Runs,
		Start: func(engine.Config) (server.Engine, error) { return stopped, nil },
	})
	require.NoError(t, err)
	t.Cleanup(func() { running.Close(context.Background()) })
	require.NoError(t, kept.Close())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody)
	answer := httptest.NewRecorder()
	running.Health().ServeHTTP(answer, r)
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
	require.Contains(t, answer.Body.String(), "the server is not ready")
}
