package plugin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// guarding is a guest that wraps the calls of some tools, and says that it guards them or not.
func guarding(guards bool, tools ...string) []byte {
	g := guestkit.New(abi.Description{Guards: guards, Hooks: abi.HookSpecs{WrapToolCall: &abi.HookSpec{Tools: tools}}})
	return g.On("wrap_tool_call", guestkit.Nothing).Bytes()
}

func TestAPluginThatGuardsIsNotSwitchedOff(t *testing.T) {
	t.Parallel()
	breaker := plugin.Breaker{Faults: 1, Window: time.Minute}
	for name, test := range map[string]struct {
		wasm   plugin.Wasm
		refuse string
		warn   string
	}{
		"closed":                     {wasm: plugin.Wasm{Bytes: guarding(true)}},
		"open":                       {wasm: plugin.Wasm{Bytes: guarding(true), OnFailure: plugin.Open}, refuse: "on_failure is open, but the plugin guards something"},
		"a breaker":                  {wasm: plugin.Wasm{Bytes: guarding(true), Breaker: breaker}, refuse: "it has a breaker, but the plugin guards something"},
		"open, as accepted":          {wasm: plugin.Wasm{Bytes: guarding(true), OnFailure: plugin.Open, AcceptOpen: true}, warn: "as accepted"},
		"open, and it may guard":     {wasm: plugin.Wasm{Bytes: guarding(false), OnFailure: plugin.Open}, warn: "the plugin wraps tool calls: after faults, they run unchecked"},
		"a breaker, as it may guard": {wasm: plugin.Wasm{Bytes: guarding(false), Breaker: breaker}, warn: "the plugin wraps tool calls"},
		"open, and accepted":         {wasm: plugin.Wasm{Bytes: guarding(false), OnFailure: plugin.Open, AcceptOpen: true}},
		"open, and it wraps nothing": {wasm: plugin.Wasm{Bytes: guestkit.Fine().Bytes(), OnFailure: plugin.Open}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, config := newBundle(test.wasm)
			agent, err := host.New(config)
			if test.refuse != "" {
				require.ErrorContains(t, err, test.refuse)
				require.ErrorContains(t, err, "set accept_open: true")
				return
			}
			require.NoError(t, err)
			require.NoError(t, agent.Close())
			if test.warn == "" {
				require.NotContains(t, strings.Join(b.logged.texts(), "\n"), "accept")
			} else {
				require.Contains(t, strings.Join(b.logged.texts(), "\n"), test.warn)
			}
		})
	}
}

func TestToolsThatAPluginGuardsMustExist(t *testing.T) {
	t.Parallel()
	_, config := newBundle(plugin.Wasm{Bytes: guarding(true, "search", "serach")})
	_, err := host.New(config)
	require.ErrorContains(t, err, `it guards the tool "serach", which the agent does not have; did you mean "search"?`)

	for _, w := range []plugin.Wasm{
		{Bytes: guarding(true, "search")}, {Bytes: guarding(false, "serach")}, {Bytes: guarding(true, "serach"), Optional: true},
	} {
		_, err := setup(t, w).run(t)
		require.NoError(t, err)
	}
}
