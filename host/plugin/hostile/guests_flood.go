package hostile

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// floodGuests returns guests that fill what outlives their calls: the stream of events, the state of the run, and the memory of their
// instance.
func floodGuests() []Guest {
	const (
		limited = "raise limits.state"
		tiny    = 100_000
	)
	leak := func(name string, limits plugin.Limits) Guest {
		return Guest{Line: 103, Name: name, Benign: true, Limits: limits, Module: func() []byte {
			return attack(i32(1), grow, i32(-1), equal, when(trap))
		}}
	}
	return []Guest{
		{Line: 101, Name: "events of 700 KB", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			m.Memory = guestkit.Pages(pages + 32)
			large := document(&abi.EventEmit{Name: "flood", Data: wire.String(strings.Repeat("x", 700_000))})
			first, more := m.HostCall(abi.OpEventEmit, large, abi.StatusOK), m.HostCall(abi.OpEventEmit, large, abi.ELIMIT)
			return m.On("before_model", first, turns(100, 1, more), nothing).Bytes()
		}},
		{Line: 101, Name: "tiny events without an end", Benign: true, Limits: plugin.Limits{HostCalls: 2 * tiny}, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			return m.On("before_model", turns(tiny, 1, m.Operate(abi.OpEventEmit, document(&abi.EventEmit{Name: "e"})), drop), nothing).Bytes()
		}},
		{
			Line: 102, Name: "state that grows without a model call", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindLimit}, Says: limited,
			Limits: plugin.Limits{State: 4 << 20},
			Module: func() []byte {
				m := specified(abi.BeforeModel, abi.HookSpec{CanJumpTo: []string{"model"}}, abi.FieldSpec{Name: "f", Lifetime: "run", Reducer: "append"})
				m.Memory = guestkit.Pages(pages + 12)
				more := []any{strings.Repeat("x", 500_000)}
				return m.On("before_model", m.Say(mapOf(map[string]any{"jump_to": "model", "state": map[string]any{"f": more}}))).Bytes()
			},
		},
		{
			Line: 102, Name: "messages that grow without a model call", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindLimit}, Says: limited,
			Limits: plugin.Limits{State: 4 << 20},
			Module: func() []byte {
				m := specified(abi.BeforeModel, abi.HookSpec{CanJumpTo: []string{"model"}})
				m.Memory = guestkit.Pages(pages + 12)
				more := []any{map[string]any{"role": "human", "content": strings.Repeat("x", 500_000)}}
				return m.On("before_model", m.Say(mapOf(map[string]any{"jump_to": "model", "messages": more}))).Bytes()
			},
		},
		leak("leak of a page in each call", plugin.Limits{}),
		leak("leak of a page in each call, in little memory", plugin.Limits{Memory: 8 << 16}),
	}
}
