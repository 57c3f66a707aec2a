package hostile

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// dirty is text that must never reach a terminal or a log: escapes, control characters of both sets, Unicode line
// breaks, marks that change the direction of text, and bytes that are not text.
const dirty = "\x1b[2J\x1b]0;title\x07 a\r\nb\tc \x00\x7f\u0085\u009b31m\u2028\u2029\u202e\u202d\u2066\u2069\u200f\u200e\u061c"

// textGuests returns guests that write dirty text.
func textGuests() []Guest {
	says := func(name, export string, body func(m *module) code) Guest {
		return Guest{Line: 69, Name: name, Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			return m.On(export, body(m), nothing).Bytes()
		}}
	}
	lastWords := func(name string, speak func(m *module) code) Guest {
		return Guest{
			Line: 69, Name: name, Stage: "before_model", Kinds: []plugin.Kind{plugin.KindTrap}, Says: "unreachable: ", Once: true,
			Module: func() []byte {
				m := hooked(abi.BeforeModel)
				return m.On("before_model", once(speak(m), trap), nothing).Bytes()
			},
		}
	}
	all := []Guest{
		says("log with escapes at every level", "before_model", func(m *module) code {
			var out code
			for level := range 4 {
				out = seq(out, m.Log(level, dirty), m.Log(level, "\xff\xfe"+dirty))
			}
			return out
		}),
		says("output with escapes", "before_model", func(m *module) code {
			return seq(m.Print(1, dirty), m.Print(2, dirty+"\n\xff\xfe\n"), m.Print(1, "no end"))
		}),
		lastWords("trap with escapes in its last words", func(m *module) code { return m.Log(3, dirty) }),
		lastWords("panic with escapes", func(m *module) code { return m.Print(2, "panic: \x1b[31m\u202e"+dirty) }),
		lastWords("panic of Rust with escapes", func(m *module) code { return m.Print(2, "thread panicked at x:\n\x1b[31m\u202e\u200f\n") }),
		lastWords("output without an end of line", func(m *module) code { return m.Print(1, strings.Repeat("\u202e", 5_000)) }),
		{
			Line: 70, Name: "flood of the log", Benign: true, Limits: plugin.Limits{Log: 4 << 10}, Module: func() []byte {
				m := hooked(abi.BeforeModel)
				return m.On("before_model", turns(10_000, 1, m.Log(3, strings.Repeat("flood ", 50))), nothing).Bytes()
			},
		},
		{
			Line: 87, Name: "64 MiB of output", Benign: true, Module: func() []byte {
				m := hooked(abi.BeforeModel)
				m.Memory = guestkit.Pages(32)
				return m.On("before_model", i32(buffer), i32('x'), i32(1<<20), fill, poke(0, buffer), poke(4, 1<<20),
					turns(64, 1, i32(2), i32(0), i32(1), i32(8), call(guestkit.FdWrite), drop), nothing).Bytes()
			},
		},
		hookFault(69, "log of level 4", plugin.KindProtocol, "the level is 0, 1, 2 or 3", plugin.Limits{}, i32(4), i32(0), i32(0), call(guestkit.Log)),
		hookFault(69, "log of level -1", plugin.KindProtocol, "the level is 0, 1, 2 or 3", plugin.Limits{}, i32(-1), i32(0), i32(0), call(guestkit.Log)),
	}
	for name, doc := range map[string][]byte{
		"jump target":   mapOf(map[string]any{"jump_to": dirty}),
		"role":          mapOf(map[string]any{"messages": []any{map[string]any{"role": dirty}}}),
		"field":         mapOf(map[string]any{"state": map[string]any{dirty: 1}}),
		"removed id":    mapOf(map[string]any{"remove": []any{dirty}}),
		"patched id":    document(&abi.Result{Patch: []abi.Patch{abi.NewPatch(dirty)}}),
		"call id":       document(&abi.Result{Messages: []abi.Message{abi.ToolResult(abi.ToolCall{ID: dirty}, "x")}}),
		"interrupt key": mapOf(map[string]any{"interrupts": []any{map[string]any{"key": dirty}, map[string]any{"key": dirty}}}),
		"key twice":     append(append([]byte("\x82"), append(wire.String(dirty), 1)...), append(wire.String(dirty), 1)...),
		"type":          mapOf(map[string]any{"messages": []any{map[string]any{"role": "human", "content": []any{map[string]any{"type": 7, dirty: 1}}}}}),
		"value":         mapOf(map[string]any{"state": map[string]any{"f": map[string]any{dirty: dirty}}}),
	} {
		fields := []abi.FieldSpec{}
		if name == "value" {
			fields = append(fields, abi.FieldSpec{Name: "f", Lifetime: "run", Schema: mapOf(map[string]any{
				"properties": map[string]any{dirty: map[string]any{"const": 1}}, "additionalProperties": map[string]any{"enum": []any{dirty}},
			})})
		}
		all = append(all, protocol(69, "escapes in a "+name, "", doc, fields...))
	}
	return append(all, outcomeGuests()...)
}

// outcomeGuests returns guests that return errors. The text of an error is data and is not changed, but events and logs
// get a cleaned copy.
func outcomeGuests() []Guest {
	errored := func(line int, name string, message string) Guest {
		return Guest{
			Line: line, Name: name, Stage: "before_model", Kinds: []plugin.Kind{plugin.KindGuest}, Says: "", Once: true,
			Module: is(writer(document(&abi.Result{Error: &abi.Error{Type: "t", Message: message}}))),
		}
	}
	return []Guest{
		errored(68, "error of 500 KB", strings.Repeat("long ", 100_000)),
		errored(69, "error with escapes", dirty),
	}
}
