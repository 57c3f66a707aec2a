// Package async_test runs the example against LangGraph's own server, and against one of agenthost.
package async_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/test/testservers"
)

// dispatcher is the example with a server at an address.
type dispatcher struct {
	*manifest.Agent

	address string
}

func setup(t *testing.T, address string) *dispatcher {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"agenthost.yaml", "rules.yaml"} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	m, err := manifest.Load(filepath.Join(dir, "agenthost.yaml"), manifest.Options{LookupEnv: func(name string) (string, bool) {
		return address, name == "WORKER_URL"
	}})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return &dispatcher{agent, address}
}

func (d *dispatcher) say(t *testing.T, text string) *host.Result {
	t.Helper()
	result, err := d.Run(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human(text)}})
	require.NoError(t, err)
	return result
}

// join waits until the server has done its work.
func (d *dispatcher) join(t *testing.T, result *host.Result) {
	t.Helper()
	var tasks map[string]struct {
		RunID string `msgpack:"run_id"`
	}
	require.NoError(t, host.Decode(result.State.Get("async_tasks"), &tasks))
	for id, task := range tasks {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.address+"/threads/"+id+"/runs/"+task.RunID+"/join", http.NoBody)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body) // the answer begins before the work is done
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
}

func TestAsyncSubagents(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T, begin <-chan struct{}) string{
		"LangGraph": func(t *testing.T, _ <-chan struct{}) string { t.Helper(); return testservers.LangGraph(t, "server") },
		"agenthost": serveWorker,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := make(chan struct{})
			d := setup(t, start(t, begin))
			result := d.say(t, "delegate count the stars")
			require.Equal(t, "I have handed it on. Ask me later.", result.Text())
			close(begin)
			d.join(t, result)
			require.Equal(t, "The worker says: I did this: count the stars", d.say(t, "any news?").Text())
		})
	}
}

// waiting is a model that does not answer before it may: otherwise the work is done before the dispatcher's next turn.
type waiting struct {
	model.Model

	begin <-chan struct{}
}

func (w *waiting) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	select {
	case <-w.begin:
		return w.Model.Generate(ctx, req)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// serveWorker serves worker.yaml as agenthost serve does, and returns the address. The worker works from begin on.
func serveWorker(t *testing.T, begin <-chan struct{}) string {
	t.Helper()
	m, err := manifest.Load("worker.yaml", manifest.Options{})
	require.NoError(t, err)
	threads := memory.New()
	worker, err := m.Build(t.Context(), nil, func(c *host.Config) { c.Checkpointer, c.Model = threads, &waiting{c.Model, begin} })
	require.NoError(t, err)
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"worker": {Agent: worker.Agent, Threads: threads}}, Runs: runsmemory.New(runsmemory.Options{}),
	})
	require.NoError(t, err)
	listening := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		listening.Close()
		require.NoError(t, worker.Close())
	})
	return listening.URL
}

func TestAsyncSubagentsWithoutAServer(t *testing.T) {
	t.Parallel()
	d := setup(t, "http://127.0.0.1:1")
	require.Contains(t, d.say(t, "delegate count the stars").Text(), "I could not hand it on. Failed to launch async subagent 'worker': the server cannot be reached")
}
