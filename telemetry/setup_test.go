//go:build !no_otel

package telemetry_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/telemetry"
	"github.com/agenthost/agenthost/test/otlpserver"
)

// environment returns variables as a program finds them.
func environment(pairs ...string) func(name string) (string, bool) {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

const captureContent = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

// recording is telemetry whose receiver can be asked.
type recording struct {
	*telemetry.Telemetry
	*otlpserver.Server

	t *testing.T
}

func record(t *testing.T, variables ...string) *recording {
	t.Helper()
	server := otlpserver.Start(t)
	opened, err := telemetry.Open(t.Context(), telemetry.Exactly(telemetry.Config{
		Endpoint: server.URL, LookupEnv: environment(variables...), Prometheus: true, Version: "1.2.3",
	}))
	require.NoError(t, err)
	return &recording{Telemetry: opened, Server: server, t: t}
}

// done sends the rest.
func (r *recording) done() {
	r.t.Helper()
	require.NoError(r.t, r.Close())
}

// spending is a turn that says something and costs tokens.
func spending(turn scripted.Turn) scripted.Turn {
	turn.Message.Usage = &abi.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 30, TotalTokens: 120}
	turn.Message.Meta = wire.Map{{Key: "stop_reason", Value: wire.String("stop")}}
	return turn
}

func (r *recording) agent(c host.Config) *host.Agent {
	r.t.Helper()
	c.Tracer = r.Tracer()
	if c.Seed == nil {
		c.Seed = func() uint64 { return 7 }
	}
	agent, err := host.New(c)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, agent.Close()) })
	return agent
}

func say(text string) host.Input { return host.Input{Messages: []abi.Message{abi.Human(text)}} }

// freeAddress returns an address of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}
