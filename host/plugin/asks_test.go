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
		Context:      []string{"tenant"},
		Fields:       []abi.FieldSpec{{Name: "own", Lifetime: "run"}},
		Hooks: abi.HookSpecs{
			BeforeModel:  &abi.HookSpec{Messages: abi.ViewLast(3), Reads: []string{"own", "todos"}, Writes: []string{"own", "files"}},
			AfterModel:   &abi.HookSpec{Reads: []string{"todos"}},
			WrapToolCall: &abi.HookSpec{Tools: []string{"pay", "delete"}},
		},
	}
	want := plugin.Asks{
		Hooks:    []string{"after_model", "before_model", "wrap_tool_call of delete", "wrap_tool_call of pay"},
		Messages: []string{"before_model last 3"}, Capabilities: []string{"clock.now", "kv.put"}, Context: []string{"tenant"},
		Reads: []string{"todos"}, Writes: []string{"files"},
	}
	require.Equal(t, want, plugin.AsksOf(&d))
	require.Equal(t, "hooks after_model, before_model, wrap_tool_call of delete, wrap_tool_call of pay; messages before_model last 3; "+
		"capabilities clock.now, kv.put; context tenant; reads todos; writes files", want.String())
	require.True(t, want.Beyond(want).IsZero())
	require.Equal(t, want, want.Beyond(plugin.Asks{}))

	code := guestkit.New(d).On("before_model", guestkit.Nothing).On("after_model", guestkit.Nothing).
		On("wrap_tool_call", guestkit.Nothing).Bytes()
	load := func(accepted *plugin.Asks) error {
		_, config := newBundle(plugin.Wasm{
			Bytes: code, Asks: accepted,
			Grant: plugin.Grant{Reads: []string{"todos"}, Writes: []string{"files"}, KV: &plugin.KVGrant{}, ClockNow: true, Context: []string{"tenant"}},
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
		"it asks for more than was accepted: hooks after_model":                                     func(a *plugin.Asks) { a.Hooks = a.Hooks[1:] },
		"it asks for more than was accepted: hooks wrap_tool_call of delete, wrap_tool_call of pay": func(a *plugin.Asks) { a.Hooks = a.Hooks[:2] },
		"it asks for more than was accepted: messages before_model last 3":                          func(a *plugin.Asks) { a.Messages = []string{"before_model last 2"} },
		"it asks for more than was accepted: context tenant":                                        func(a *plugin.Asks) { a.Context = nil },
		"it asks for more than was accepted: capabilities clock.now":                                func(a *plugin.Asks) { a.Capabilities = a.Capabilities[1:] },
		"it asks for more than was accepted: reads todos":                                           func(a *plugin.Asks) { a.Reads = nil },
		"it asks for more than was accepted: writes files":                                          func(a *plugin.Asks) { a.Writes = []string{"others"} },
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

func TestAsksGrow(t *testing.T) {
	t.Parallel()
	seeing := func(view abi.ViewSpec) plugin.Asks {
		return plugin.AsksOf(&abi.Description{Hooks: abi.HookSpecs{BeforeModel: &abi.HookSpec{Messages: view}, AfterModel: &abi.HookSpec{}}})
	}
	views := []abi.ViewSpec{abi.ViewNone(), abi.ViewLast(1), abi.ViewLast(20), abi.ViewLast(1 << 63), abi.ViewNew(), abi.ViewAll()}
	for i, less := range views {
		for _, more := range views[i+1:] {
			require.True(t, seeing(less).Beyond(seeing(more)).IsZero(), "%s after %s", less, more)
			require.Equal(t, []string{"before_model " + more.String()}, seeing(more).Beyond(seeing(less)).Messages, "%s after %s", more, less)
		}
	}
	other := plugin.Asks{Hooks: []string{"after_model", "before_model"}, Messages: []string{"after_model all", "before_model x"}}
	require.Equal(t, []string{"before_model all"}, seeing(abi.ViewAll()).Beyond(other).Messages, "that is another hook")

	around := func(tools ...string) plugin.Asks {
		return plugin.AsksOf(&abi.Description{Hooks: abi.HookSpecs{WrapToolCall: &abi.HookSpec{Tools: tools}}})
	}
	require.True(t, around("delete").Beyond(around("delete", "pay")).IsZero())
	require.True(t, around("delete", "a of b").Beyond(around()).IsZero(), "all tools include these")
	for _, test := range []struct {
		before, now plugin.Asks
		more        string
	}{
		{around("delete"), around(), "wrap_tool_call"},
		{around("delete"), around("delete", "pay"), "wrap_tool_call of pay"},
		{around("delete"), around("delete of x"), "wrap_tool_call of delete of x"},
	} {
		require.Equal(t, []string{test.more}, test.now.Beyond(test.before).Hooks)
	}
}
