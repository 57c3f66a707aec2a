package langgraph_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	checkpoints "github.com/agenthost/agenthost/host/checkpoint/memory"
	values "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/test/apicheck"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server with the agents of the recordings, for the recording with a name.
func serve(t *testing.T, name string) *replay {
	t.Helper()
	threads, held := checkpoints.New(), newGate()
	agents := map[string]runs.Agent{}
	for _, name := range []string{"agent", "slow", "parent", "steps"} {
		agents[name] = runs.Agent{Agent: agentNamed(t, name, threads, held), Threads: threads}
	}
	text := `cors: {origins: ["*"]}`
	if strings.HasPrefix(name, "s24_auth") {
		text = "cors: {origins: [http://localhost:3000]}\nauth: {keys: [" + key("token-ada", "ada") + ", " + key("token-eve", "eve") + "]}"
	}
	serve, err := config.Parse("serve.yaml", []byte(text), config.Options{})
	require.NoError(t, err)
	s, err := server.New(server.Config{
		Agents: agents, Runs: memory.New(memory.Options{}), Serve: serve, Version: "test", Store: semantic.WithoutIndex(values.New()),
	})
	require.NoError(t, err)
	listening := httptest.NewServer(s.Handler())
	client := &http.Client{Transport: apicheck.Transport(t, &http.Transport{})}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		client.CloseIdleConnections()
		listening.Close()
	})
	return &replay{t: t, url: listening.URL, client: client, gate: held, bound: map[string]string{}}
}

// key is a key of serve.yaml. A key must be longer than the recorded ones, see [secret].
func key(token, owner string) string {
	sum := sha256.Sum256([]byte(secret(token)))
	return "{sha256: " + hex.EncodeToString(sum[:]) + ", owner: " + owner + ", scopes: [threads, runs, store]}"
}

func secret(token string) string { return token + "-0123456789" }

// agentNamed returns an agent that answers as the recorded graph of this name, as far as an agent can.
func agentNamed(t *testing.T, name string, threads *checkpoints.Store, held *gate) *host.Agent {
	t.Helper()
	config := host.Config{
		Model: scriptedModel{held}, Checkpointer: threads, SystemPrompt: abi.Text("You are a test."),
		Tools: []host.Tool{
			tool.Func("get_weather", "Tells the weather of a city.", func(ctx context.Context, in struct {
				City string `json:"city"`
			},
			) (string, error) {
				host.RuntimeOf(ctx).Emit("progress", encode(map[string]any{"progress": "asking about " + in.City}))
				return "sunny in " + in.City, nil
			}),
			tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
				Path    string `json:"path"`
				Content string `json:"content"`
			},
			) (string, error) {
				return "wrote " + in.Path, nil
			}),
		},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
			"write_file": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit, builtin.Reject}},
		}}},
	}
	if nodes := graphs(held)[name]; nodes != nil {
		config.Tools, config.Middleware = nil, nodes
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}
