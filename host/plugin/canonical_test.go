package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// frames keeps what was recorded.
type frames []*cassette.Frame

func (f *frames) Record(_ *cassette.Plugin, frame *cassette.Frame) { *f = append(*f, frame) }

// TestGuestsAreShownCanonicalDocuments runs an agent whose model does not sort the keys of its arguments.
func TestGuestsAreShownCanonicalDocuments(t *testing.T) {
	t.Parallel()
	unsorted := wire.Raw("\x82\xa1b\x01\xa1a\x02") // {"b":1,"a":2}
	call := abi.ToolCall{ID: "1", Name: "search", Args: unsorted}
	message := abi.AI("", call)
	message.Meta = wire.Map{{Key: "m", Value: unsorted}}
	g := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{Messages: abi.ViewAll()}).On("wrap_tool_call", guestkit.Nothing)
	var recorded frames
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Turn{Message: message}, scripted.Say("done")), Tools: []host.Tool{answeringTool("search")},
		Middleware: []host.Middleware{plugin.Wasm{ID: "seen", Bytes: g.Bytes(), Engine: compiled, Recorder: &recorded}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Len(t, recorded, 1)
	canonical, err := wire.IsCanonical(recorded[0].Input, wire.Limits{})
	require.NoError(t, err)
	require.True(t, canonical, wire.Raw(recorded[0].Input).JSON())
	require.Contains(t, wire.Raw(recorded[0].Input).JSON(), `"args":{"a":2,"b":1}`)
}
