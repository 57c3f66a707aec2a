package hostile

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// effectGuests returns guests that ask for things that they were not granted. They trap if they get one.
func effectGuests() []Guest {
	asks := func(line int, name string, body func(m *module) code) Guest {
		return Guest{Line: line, Name: name, Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			return m.On("before_model", body(m), nothing).Bytes()
		}}
	}
	denied := func(line int, operation string, doc []byte) Guest {
		return asks(line, operation+" without a grant", func(m *module) code { return m.HostCall(operation, doc, abi.EDENIED) })
	}
	fields := func(names ...string) []byte { return document(&abi.StateQuery{Fields: names}) }
	return []Guest{
		denied(88, abi.OpHTTPFetch, document(&abi.FetchRequest{URL: "http://169.254.169.254/latest/meta-data/"})),
		denied(90, abi.OpKVGet, document(&abi.KVGet{Scope: "plugin", Key: "../other/key"})),
		denied(90, abi.OpKVPut, document(&abi.KVPut{Scope: "plugin", Key: "k", Value: []byte{1}})),
		denied(90, abi.OpKVList, document(&abi.KVList{Scope: "run"})),
		denied(76, abi.OpToolCall, document(&abi.ToolRequest{Name: "search"})),
		denied(76, abi.OpModelGenerate, document(&abi.GenerateRequest{Messages: []abi.Message{abi.Human("x")}})),
		denied(91, abi.OpClockNow, nil),
		denied(84, abi.OpRandomBytes, document(&abi.RandomRequest{Count: 8})),
		asks(71, "messages without a view", func(m *module) code {
			return m.HostCall(abi.OpStateRead, document(&abi.StateQuery{Count: 1}), abi.EDENIED)
		}),
		asks(71, "messages from 2^64-1", func(m *module) code {
			return m.HostCall(abi.OpStateRead, document(&abi.StateQuery{From: 1<<64 - 1, Count: 1<<64 - 1}), abi.EDENIED)
		}),
		{Line: 71, Name: "all messages from anywhere", Benign: true, Module: func() []byte {
			m := specified(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewLast(1)})
			query := func(from, count uint64) code {
				return m.HostCall(abi.OpStateRead, document(&abi.StateQuery{From: from, Count: count}), abi.StatusOK)
			}
			return m.On("before_model", query(0, 1<<64-1), query(1<<64-1, 1<<64-1), query(1<<63, 1<<63), nothing).Bytes()
		}},
		asks(71, "query that is negative", func(m *module) code {
			return m.HostCall(abi.OpStateRead, mapOf(map[string]any{"from": -1, "count": 1}), abi.EINVAL)
		}),
		asks(71, "query of another type", func(m *module) code {
			return m.HostCall(abi.OpStateRead, mapOf(map[string]any{"fields": "mark"}), abi.EINVAL)
		}),
		asks(92, "query of a neighbour's field", func(m *module) code { return m.HostCall(abi.OpStateRead, fields("mark"), abi.EDENIED) }),
		asks(92, "query of a field that nobody has", func(m *module) code { return m.HostCall(abi.OpStateRead, fields("messages"), abi.EDENIED) }),
		asks(92, "query of a field of another run", func(m *module) code { return m.HostCall(abi.OpStateRead, fields("run-1/mark", "../mark"), abi.EDENIED) }),
		{Line: 71, Name: "100000 times the same field", Benign: true, Module: func() []byte {
			m := specified(abi.BeforeModel, abi.HookSpec{Reads: []string{"f"}}, abi.FieldSpec{Name: "f", Lifetime: "run"})
			m.Memory = guestkit.Pages(64)
			names := make([]string, 100_000)
			for i := range names {
				names[i] = "f"
			}
			return m.On("before_model", m.HostCall(abi.OpStateRead, fields(names...), abi.StatusOK), nothing).Bytes()
		}},
		asks(71, "operation with a name of 64 zeros", func(m *module) code { return m.HostCall(string(make([]byte, 64)), nil, abi.ENOENT) }),
		asks(89, "event with escapes in its name", func(m *module) code {
			return m.HostCall(abi.OpEventEmit, document(&abi.EventEmit{Name: "a\x1b[31m"}), abi.EINVAL)
		}),
		asks(89, "event without a name", func(m *module) code { return m.HostCall(abi.OpEventEmit, mapOf(map[string]any{}), abi.EINVAL) }),
		{Line: 42, Name: "host calls beyond their limit", Benign: true, Limits: plugin.Limits{HostCalls: 10}, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			budget := m.Place([]byte(abi.OpBudget))
			return m.On("before_model", turns(10, 1, budget, i32(0), i32(0), call(guestkit.HostCall), expect(abi.StatusOK)),
				turns(100_000, 1, budget, i32(0), i32(0), call(guestkit.HostCall), expect(abi.ELIMIT)), nothing).Bytes()
		}},
		hookFault(58, "bomb as a query", plugin.KindProtocol, "malformed", plugin.Limits{},
			poke(0, 0x74617473), poke(4, 0x65722e65), poke(8, 0x00006461), // state.read
			poke(16, 0x00ffffdd), poke(17, -1), i32(0), i32(10), i32(16), i32(5), call(guestkit.HostCall), drop),
	}
}
