package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/host"
	threads "github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
)

func TestTheExample(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGENTHOST_TEMPORAL") == "" {
		t.Skip("AGENTHOST_TEMPORAL is not set; make fleet-faults installs a server and sets it")
	}
	path, err := filepath.Abs("../../../.bin/servers/temporal/temporal")
	require.NoError(t, err)
	server, err := testsuite.StartDevServer(t.Context(), testsuite.DevServerOptions{
		ExistingPath: path, LogLevel: "never", Stdout: io.Discard,
		ClientOptions: &client.Options{Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	kept := threads.New()
	agents := map[string]runs.Agent{}
	for name, says := range map[string]string{"helper": "The order is complete.", "chatty": strings.Repeat("x", temporal.MaxAnswer+1)} {
		agent, err := host.New(host.Config{Name: name, Model: scripted.NewTurns(scripted.Say(says)), Checkpointer: kept})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
		agents[name] = runs.Agent{Agent: agent, Name: name, Threads: kept}
	}
	w, err := temporal.StartWorker(t.Context(), temporal.Config{Client: server.Client(), Queue: "agents"},
		engine.Config{Store: memory.New(memory.Options{}), Agents: agents})
	require.NoError(t, err)
	t.Cleanup(func() { w.Close(context.Background()) })

	var out bytes.Buffer
	flags := []string{"--address", server.FrontendHostPort(), "--queue", "agents"}
	require.NoError(t, run(t.Context(), append(flags, "--order", "17"), &out))
	require.Equal(t, "success: The order is complete.\n", out.String())
	require.ErrorContains(t, run(t.Context(), append(flags, "--order", "18", "--agent", "chatty"), &out), "so let the agent write what is long to a file or a store")
	require.ErrorContains(t, run(t.Context(), append(flags, "--order", "19", "--agent", "nobody"), &out), `have no agent "nobody"`)
	require.EqualError(t, run(t.Context(), flags, &out), "--order: the id of the order is missing")
}
