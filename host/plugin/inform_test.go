package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

func TestRunInfo(t *testing.T) {
	t.Parallel()
	g := guestkit.New(abi.Description{
		Hooks: abi.HookSpecs{AfterAgent: &abi.HookSpec{}}, Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run", Reducer: "append"}},
	})
	g.On("after_agent", show(g, abi.OpRunInfo, nil))
	inner := setup(t, plugin.Wasm{Bytes: g.Bytes()}, func(c *host.Config) {
		c.Name = "inner"
		c.Model = constantModel(abi.Message{Role: abi.RoleAI, Content: abi.Text("done"), Usage: &abi.Usage{
			CacheReadTokens: 3, InputTokens: 5, OutputTokens: 2, ReasoningTokens: 1, TotalTokens: 7,
		}})
	})
	events, err := inner.run(t)
	require.NoError(t, err)
	usage := `{"cache_read_tokens":3,"input_tokens":5,"output_tokens":2,"reasoning_tokens":1,"total_tokens":7}`
	require.Equal(t, `[{"agent":"inner","usage":`+usage+`}]`, shown(t, events))

	result, err := inner.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}, Parent: "r0"})
	require.NoError(t, err)
	require.Equal(t, `[{"agent":"inner","parent":"r0","usage":`+usage+`}]`, result.State.Get("f").JSON())
}

func TestModelInfo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		query abi.ModelQuery
		want  string
	}{
		"the agent's": {abi.ModelQuery{}, `[{"audio_inputs":false,"image_inputs":true,"image_tool_message":true,"max_input_tokens":1000,` +
			`"max_output_tokens":100,"name":"big","pdf_inputs":false,"pdf_tool_message":true,"provider":"acme","reasoning_output":true,"structured_output":true,` +
			`"video_inputs":false}]`},
		"a named one": {abi.ModelQuery{Model: "small"}, `[{"name":"constant"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := capable()
			g.On("before_agent", show(g, abi.OpModelInfo, guestkit.Document(&test.query)))
			_, events := grants(t, g, plugin.Grant{}, func(c *host.Config) {
				c.Model = informed{c.Model, model.Info{
					Name: "big", Provider: "acme", MaxInputTokens: 1000, MaxOutputTokens: 100, Reasoning: true, StructuredOutput: true,
					Audio: model.SupportNo, Files: model.SupportNo, Images: model.SupportYes, ToolFiles: model.SupportYes, ToolImages: model.SupportYes,
					Video: model.SupportNo,
				}}
			})
			require.Equal(t, test.want, shown(t, events))
		})
	}
	g := capable()
	g.On("before_agent", g.HostCall(abi.OpModelInfo, guestkit.Document(&abi.ModelQuery{Model: "huge"}), abi.ENOENT),
		g.HostCall(abi.OpModelInfo, nil, abi.EINVAL), guestkit.Nothing)
	grants(t, g, plugin.Grant{})
}

// informed is a model with an Info of its own.
type informed struct {
	model.Model

	info model.Info
}

func (m informed) Info() model.Info { return m.info }

func TestToolsRead(t *testing.T) {
	t.Parallel()
	g := guestkit.New(abi.Description{
		Hooks:  abi.HookSpecs{WrapModelCall: &abi.HookSpec{}, BeforeModel: &abi.HookSpec{}},
		Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run", Reducer: "append"}},
	})
	g.On("before_model", g.HostCall(abi.OpToolsRead, nil, abi.ENOTSUP), guestkit.Nothing)
	g.On("wrap_model_call", show(g, abi.OpToolsRead, nil))
	_, events := grants(t, g, plugin.Grant{})
	require.Equal(t, `[{"tools":[{"description":"","name":"search"}]},{"tools":[{"description":"","name":"search"}]}]`, shown(t, events))
}

func TestTokensCount(t *testing.T) {
	t.Parallel()
	query := func(role abi.Role, name string) []byte {
		return guestkit.Document(&abi.TokenQuery{Messages: []abi.Message{{Role: role, Content: abi.Text("12345678")}, abi.Human("1")}, Model: name})
	}
	g := capable()
	g.On("before_agent", g.HostCall(abi.OpTokensCount, query("boss", ""), abi.EINVAL), g.HostCall(abi.OpTokensCount, query(abi.RoleHuman, "huge"), abi.ENOENT),
		show(g, abi.OpTokensCount, query(abi.RoleHuman, "")))
	_, events := grants(t, g, plugin.Grant{})
	require.Equal(t, `[{"tokens":3}]`, shown(t, events))
}

// TestContext shows a plugin the keys of the run's context that it declares and is granted.
func TestContext(t *testing.T) {
	t.Parallel()
	g := guestkit.New(abi.Description{
		Context: []string{"tenant", "plan"}, Hooks: abi.HookSpecs{BeforeAgent: &abi.HookSpec{}},
		Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run", Reducer: "append"}},
	})
	g.On("before_agent", showInput(g))
	w := plugin.Wasm{Bytes: g.Bytes(), Grant: plugin.Grant{Context: []string{"plan", "tenant", "user"}}}
	b := setup(t, w)
	run := func(given any) (string, error) {
		result, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}, Context: given})
		if err != nil {
			return "", err
		}
		items, _ := result.State.Get("f").Items()
		var input wire.Map
		_, err = input.UnmarshalMsg(items[0])
		require.NoError(t, err)
		return input.Get("context").JSON(), nil
	}
	type caller struct {
		Tenant string `msgpack:"tenant"`
		User   string `msgpack:"user"`
	}
	for want, given := range map[string]any{
		`{"tenant":"acme"}`:              map[string]any{"tenant": "acme", "user": "ann"},
		`{"plan":["a"],"tenant":"acme"}`: map[string]any{"tenant": "acme", "plan": []string{"a"}, "key": 1},
		`{"tenant":"umbrella"}`:          caller{"umbrella", "bob"},
		"null":                           nil,
	} {
		got, err := run(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	deep := any("x")
	for range wire.MaxValueDepth + 1 {
		deep = []any{deep}
	}
	_, err := run(map[string]any{"tenant": deep})
	require.ErrorContains(t, err, `plugin "bad": the run's context: "tenant" nests more than 48 arrays and maps`)
	_, err = run(7)
	require.ErrorContains(t, err, "the run's context is a int, and not a map of values")

	w.Grant.Context = []string{"plan"}
	_, config := newBundle(w)
	_, err = host.New(config)
	require.ErrorContains(t, err, `it wants to see the key "tenant" of the run's context, which is not granted; add it to grant.context`)
}

func TestContextIsNotShownUnasked(t *testing.T) {
	t.Parallel()
	g := capable()
	g.On("before_agent", showInput(g))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: plugin.Grant{Context: []string{"tenant"}}})
	result, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}, Context: map[string]any{"tenant": "acme"}})
	require.NoError(t, err)
	require.NotContains(t, result.State.Get("f").JSON(), "acme")
}

// showInput leaves a hook's result that has its input in the field f.
func showInput(g *guestkit.Module) guestkit.Code {
	prefix := wire.AppendString(wire.AppendMapHeader(nil, 1), "state")
	prefix = wire.AppendArrayHeader(wire.AppendString(wire.AppendMapHeader(prefix, 1), "f"), 1)
	const at, room, length = guestkit.MinPages << 16, 90_000, 0
	g.Memory = guestkit.Pages(guestkit.MinPages + 2)
	return guestkit.Seq(
		guestkit.I32(at), g.Place(prefix), guestkit.Copy,
		guestkit.I32(at+len(prefix)), guestkit.I32(room), guestkit.Call(guestkit.InputRead), guestkit.Drop,
		guestkit.I32(at), guestkit.Get(length), guestkit.I32(len(prefix)), guestkit.Add, guestkit.Call(guestkit.ResultWrite), guestkit.Drop,
		guestkit.I32(1),
	)
}
