// Package async_test runs the example against LangGraph's own server.
package async_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
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
	d := setup(t, testservers.LangGraph(t, "server"))
	result := d.say(t, "delegate count the stars")
	require.Equal(t, "I have handed it on. Ask me later.", result.Text())
	d.join(t, result)
	require.Equal(t, "The worker says: I did this: count the stars", d.say(t, "any news?").Text())
}

func TestAsyncSubagentsWithoutAServer(t *testing.T) {
	t.Parallel()
	d := setup(t, "http://127.0.0.1:1")
	require.Contains(t, d.say(t, "delegate count the stars").Text(), "I could not hand it on. Failed to launch async subagent 'worker': the server cannot be reached")
}
