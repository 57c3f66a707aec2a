package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// Several agents can keep their threads in one store, which takes the place of those that their manifests name.
func TestAgentsShareAStoreOfThreads(t *testing.T) {
	t.Parallel()
	threads := threadstore.InMemory()
	dir := t.TempDir()
	for i, text := range []string{"durability: step\n", "checkpoint: sqlite:own.db\n"} {
		file := filepath.Join(dir, "agenthost.yaml")
		require.NoError(t, os.WriteFile(file, []byte("apiVersion: agenthost/v1\nname: a\nmodel: {provider: scripted, turns: [{content: hi}, {content: ho}]}\n"+text), 0o600))
		m, err := manifest.Load(file, manifest.Options{Threads: threads})
		require.NoError(t, err)
		agent, err := m.Build(t.Context(), nil, nil)
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, 2*(i+1), result.Messages.Len(), "the second agent goes on with the thread of the first")
		require.NoError(t, agent.Close())
	}
	require.NoFileExists(t, filepath.Join(dir, "own.db"))
	_, err := threads.Load(t.Context(), "t", 0)
	require.NoError(t, err, "the store stays open")
	require.NoError(t, threads.Close())
}
