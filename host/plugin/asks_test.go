package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

func TestAPluginIsHeldToWhatWasAccepted(t *testing.T) {
	t.Parallel()
	d := abi.Description{
		Capabilities: []abi.Capability{{Op: abi.OpKVPut, Reason: "x"}, {Op: abi.OpClockNow, Reason: "x"}},
		Fields:       []abi.FieldSpec{{Name: "own", Lifetime: "run"}},
		Hooks: abi.HookSpecs{
			BeforeModel: &abi.HookSpec{Reads: []string{"own", "todos"}, Writes: []string{"own", "files"}}, AfterModel: &abi.HookSpec{Reads: []string{"todos"}},
		},
	}
	want := plugin.Asks{
		Hooks: []string{"after_model", "before_model"}, Capabilities: []string{"clock.now", "kv.put"}, Reads: []string{"todos"}, Writes: []string{"files"},
	}
	require.Equal(t, want, plugin.AsksOf(&d))
	require.Equal(t, "hooks after_model, before_model; capabilities clock.now, kv.put; reads todos; writes files", want.String())
	require.True(t, want.Beyond(want).IsZero())
	require.Equal(t, want, want.Beyond(plugin.Asks{}))

	code := guestkit.New(d).On("before_model", guestkit.Nothing).On("after_model", guestkit.Nothing).Bytes()
	load := func(accepted *plugin.Asks) error {
		_, config := newBundle(plugin.Wasm{
			Bytes: code, Asks: accepted,
			Grant: plugin.Grant{Reads: []string{"todos"}, Writes: []string{"files"}, KV: &plugin.KVGrant{}, ClockNow: true},
		})
		config.State = []host.Field{{Name: "todos"}, {Name: "files"}}
		agent, err := host.New(config)
		if err != nil {
			return err
		}
		return agent.Close()
	}
	require.NoError(t, load(nil), "nobody has accepted anything")
	require.NoError(t, load(&want))
	for says, less := range map[string]func(a *plugin.Asks){
		"it asks for more than was accepted: hooks after_model":      func(a *plugin.Asks) { a.Hooks = a.Hooks[1:] },
		"it asks for more than was accepted: capabilities clock.now": func(a *plugin.Asks) { a.Capabilities = a.Capabilities[1:] },
		"it asks for more than was accepted: reads todos":            func(a *plugin.Asks) { a.Reads = nil },
		"it asks for more than was accepted: writes files":           func(a *plugin.Asks) { a.Writes = []string{"others"} },
	} {
		accepted := want
		less(&accepted)
		err := load(&accepted)
		require.ErrorContains(t, err, says)
		require.ErrorIs(t, err, plugin.ErrAsksMore)
		var fault *plugin.Error
		require.ErrorAs(t, err, &fault)
		require.Equal(t, plugin.KindDenied, fault.Kind)
	}
}
