package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func TestProviderToolSearch(t *testing.T) {
	t.Parallel()
	never := wire.Map{{Key: "defer_loading", Value: wire.Bool(false)}, {Key: "input_examples", Value: wire.Int(1)}}
	nothing := func(context.Context, struct{}) (string, error) { return "", nil }
	m := &sighted{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "deep", map[string]any{})), scripted.Say("done")),
		info:  model.Info{Name: "m", Provider: "Anthropic"},
	}
	config := host.Config{
		Model: m,
		Tools: []host.Tool{
			tool.Func("plain", "A tool.", nothing), tool.Func("deep", "A tool.", nothing, tool.Extras(never)),
		},
		Middleware: []host.Middleware{&builtin.ProviderToolSearch{SearchableTools: []string{"deep"}}},
	}
	out, err := try(t.Context(), t, config)
	require.NoError(t, err)
	require.Equal(t, "done", out.result.Text())
	require.NotEqual(t, abi.StatusError, out.result.Messages.At(2).Status, "a deferred tool runs like any other")
	require.Empty(t, m.last.Tools[0].Extras)
	require.JSONEq(t, `{"defer_loading":true,"input_examples":1}`, m.last.Tools[1].Extras.Raw().JSON(), "what the list says wins")
	require.Equal(t, []model.ProviderTool{{Name: model.ToolSearch}}, m.last.ProviderTools)
	require.JSONEq(t, `{"defer_loading":false,"input_examples":1}`, config.Tools[1].Spec().Extras.Raw().JSON(), "the tool itself stays as it is")

	config.Middleware = []host.Middleware{&builtin.ProviderToolSearch{}}
	m.Model, m.info.Provider = scripted.NewTurns(scripted.Say("done")), "gemini"
	_, err = try(t.Context(), t, config)
	require.NoError(t, err, "without a searchable tool any provider will do")
	require.Empty(t, m.last.ProviderTools)
}
