package guests_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is a model that keeps what it is asked.
type seen struct {
	model.Model

	systems []string
	tools   [][]string
}

func (s *seen) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	s.systems = append(s.systems, req.System.Text())
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	s.tools = append(s.tools, names)
	return s.Model.Generate(ctx, req)
}

// steward makes an agent with the guest in Zig.
func steward(t *testing.T, config map[string]any, grant plugin.Grant, turns ...scripted.Turn) (*host.Agent, *seen) {
	t.Helper()
	code, err := os.ReadFile("zig/steward.wasm")
	require.NoError(t, err)
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	require.NoError(t, err)
	asked := &seen{Model: scripted.NewTurns(turns...)}
	agent, err := host.New(host.Config{
		Model: asked, SystemPrompt: abi.Text("Be brief."), Checkpointer: memory.New(),
		Tools: []host.Tool{
			tool.Func("plain", "", func(context.Context, struct{}) (string, error) { return "plain ran", nil }),
			tool.Func("delete", "Deletes.", func(context.Context, struct{}) (string, error) { return "deleted", nil }),
		},
		Middleware: []host.Middleware{plugin.Wasm{Bytes: code, Config: config, Grant: grant, Engine: engine}},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, agent.Close())
		require.NoError(t, engine.Close())
	})
	return agent, asked
}

func say(text string) host.Input {
	return host.Input{Thread: "t1", Messages: []abi.Message{abi.Human(text)}, Context: map[string]any{"tenant": "acme"}}
}

func tenants() plugin.Grant { return plugin.Grant{Context: []string{"tenant"}, ClockSleep: true} }

type busy struct{}

func (busy) Error() string   { return "busy" }
func (busy) Retryable() bool { return true }

func TestStewardTellsForWhomAndTriesAgain(t *testing.T) {
	t.Parallel()
	answer := scripted.Say("done")
	answer.Message.Usage = &abi.Usage{InputTokens: 5, OutputTokens: 2, TotalTokens: 7}
	agent, asked := steward(t, map[string]any{"tenant": true, "max_tools": 2}, tenants(), scripted.Fail(busy{}), answer)
	result, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, "Be brief.\nYou work for the tenant acme.", asked.systems[1])
	require.Equal(t, [][]string{{"fetch_all", "delete"}, {"fetch_all", "delete"}}, asked.tools, "the first ones that say what they are for")
	require.Equal(t, `{"steward/calls":2,"steward/costs":[{"tenant":"acme","tokens":7}]}`, result.State.Raw().JSON())

	_, err = agent.Run(t.Context(), host.Input{Thread: "t2", Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorContains(t, err, "the caller of this run names no tenant in its context")
}

func TestStewardEndsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	agent, asked := steward(t, map[string]any{"max_tokens": 3}, tenants(), scripted.Say("never"))
	result, err := agent.Run(t.Context(), say("This is a message of more than three tokens."))
	require.NoError(t, err)
	last, _ := result.Messages.Last()
	require.Equal(t, "This conversation has become too long. Please begin a new one.", last.Content.Text())
	require.Empty(t, asked.systems)
}

func TestStewardAsks(t *testing.T) {
	t.Parallel()
	agent, _ := steward(t, map[string]any{"ask": []any{"delete"}}, tenants(),
		scripted.CallTools(abi.Call("c1", "delete", map[string]any{}), abi.Call("c2", "plain", map[string]any{}), abi.Call("c3", "delete", map[string]any{})),
		scripted.Say("done"))
	result, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	require.Len(t, result.Interrupts, 2)
	require.Equal(t, `{"args":{},"tool":"delete"}`, result.Interrupts[0].Value.JSON())
	result, err = agent.Run(t.Context(), host.Input{Thread: "t1", Resume: []host.Answer{
		{Interrupt: result.Interrupts[0].ID, Value: true}, {Interrupt: result.Interrupts[1].ID, Value: "no"},
	}})
	require.NoError(t, err)
	var said []string
	for i := range result.Messages.Len() {
		if m := result.Messages.At(i); m.Role == abi.RoleTool {
			said = append(said, m.Content.Text())
		}
	}
	require.Equal(t, []string{"deleted", "plain ran", "A person did not allow this call."}, said)
}

func TestStewardFetchesAtOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "page "+r.URL.Path) }))
	defer server.Close()
	grant := tenants()
	grant.HTTPFetch = &fetch.Policy{Hosts: []string{server.URL}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	urls := []any{server.URL + "/a", "https://elsewhere.example/", server.URL + "/b"}
	agent, _ := steward(t, nil, grant, scripted.CallTools(abi.Call("c1", "fetch_all", map[string]any{"urls": urls})), scripted.Say("done"))
	result, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	answer := result.Messages.At(2)
	want := fmt.Sprintf("%s/a: 200\npage /a\nhttps://elsewhere.example/: refused (-4)\n%s/b: 200\npage /b\n", server.URL, server.URL)
	require.Equal(t, want, answer.Content.Text())
}
