package hostile

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// protocol returns a guest whose before_model writes this document.
func protocol(line int, name, says string, doc []byte, fields ...abi.FieldSpec) Guest {
	return Guest{
		Line: line, Name: name, Stage: "before_model", Kinds: []plugin.Kind{plugin.KindProtocol}, Says: says, Once: true,
		Module: func() []byte { return writer(doc, fields...) },
	}
}

// writer returns a module whose before_model writes a document in its first call.
func writer(doc []byte, fields ...abi.FieldSpec) []byte {
	m := specified(abi.BeforeModel, abi.HookSpec{}, fields...)
	m.Memory = guestkit.Pages(64)
	return m.On("before_model", once(m.Say(doc), leave), nothing).Bytes()
}

// protocolGuests returns guests that write malformed documents, or documents that they must not write.
func protocolGuests() []Guest {
	all := []Guest{
		protocol(58, "array of 2^32-1", "malformed", []byte("\xdd\xff\xff\xff\xff")),
		protocol(58, "map of 2^32-1", "malformed", []byte("\xdf\xff\xff\xff\xff")),
		protocol(58, "array of 64 million", "malformed", []byte("\xdd\x03\xd0\x90\x00")),
		protocol(58, "array of 64 million in a field", "malformed", []byte("\x81\xa5state\x81\xa1f\xdd\x03\xd0\x90\x00")),
		protocol(58, "million arrays inside of each other", "malformed", again(1_000_000, 0x91)),
		protocol(58, "65 maps inside of each other", "malformed", append(again(65, 0x81, 0xa1, 'a'), 0xc0)),
		protocol(58, "200000 values", "malformed", append([]byte("\x81\xa1x\xdd\x00\x03\x0d\x40"), again(200_000, 0xc0)...)),
		protocol(58, "text of 4 GiB", "malformed", []byte("\x81\xa1x\xdb\xff\xff\xff\xff")),
		protocol(58, "bytes of 4 GiB", "malformed", []byte("\x81\xa1x\xc6\xff\xff\xff\xff")),
		protocol(58, "nothing", "malformed", nil),
		protocol(58, "rest behind the document", "malformed", []byte("\x80\x80")),
		protocol(58, "key twice", "malformed", []byte("\x82\xa1a\x01\xa1a\x01")),
		protocol(58, "key that is a number", "malformed", []byte("\x81\x01\x01")),
		protocol(58, "key that is nil", "malformed", []byte("\x81\xc0\x01")),
		protocol(58, "byte that no type has", "malformed", []byte("\xc1")),
		protocol(59, "extension", "malformed", []byte("\x81\xa1x\xd4\x01\x00")),
		protocol(59, "extension of 4 GiB", "malformed", []byte("\x81\xa1x\xc9\xff\xff\xff\xff\x01")),
		protocol(59, "timestamp", "malformed", []byte("\x81\xa1x\xd6\xff\x00\x00\x00\x00")),
		protocol(59, "NaN", "malformed", []byte("\x81\xa1x\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01")),
		protocol(59, "infinity", "malformed", []byte("\x81\xa1x\xca\x7f\x80\x00\x00")),
		protocol(60, "text that is not UTF-8", "malformed", []byte("\x81\xa1x\xa2\xff\xfe")),
		protocol(60, "half of a surrogate pair", "malformed", []byte("\x81\xa1x\xa3\xed\xa0\x80")),
		protocol(60, "overlong slash", "malformed", []byte("\x81\xa1x\xa2\xc0\xaf")),
		protocol(61, "list", "not what SPEC.md asks for", []byte("\x90")),
		protocol(61, "number", "not what SPEC.md asks for", []byte("\x07")),
		protocol(61, "jump to a number", "not what SPEC.md asks for", mapOf(map[string]any{"jump_to": 7})),
		protocol(61, "messages that are a text", "not what SPEC.md asks for", mapOf(map[string]any{"messages": "x"})),
		protocol(61, "message that is nil", "not what SPEC.md asks for", mapOf(map[string]any{"messages": []any{nil}})),
		protocol(61, "state that is a list", "not what SPEC.md asks for", mapOf(map[string]any{"state": []any{}})),
		protocol(61, "role that nobody has", `the role "root"`, mapOf(map[string]any{"messages": []any{map[string]any{"role": "root"}}})),
		protocol(61, "message without a role", `the role ""`, mapOf(map[string]any{"messages": []any{map[string]any{}}})),
		protocol(62, "jump that was not declared", "is not declared", mapOf(map[string]any{"jump_to": "end"})),
		protocol(62, "jump to nowhere", `jump_to "mars"`, mapOf(map[string]any{"jump_to": "mars"})),
		protocol(63, "answer of a tool beside messages", "tool_message is for", mapOf(map[string]any{
			"jump_to": "end", "tool_message": map[string]any{"content": "x"}, "messages": []any{map[string]any{"role": "ai"}},
		})),
		protocol(63, "overwrite beside remove", "overwrite cannot be combined", document(&abi.Result{Overwrite: true, Remove: []string{"h1"}})),
		protocol(63, "response of a node hook", "response is for", mapOf(map[string]any{"response": map[string]any{"model": "x"}})),
		protocol(64, "answer to a call that nobody made", "which nobody made", document(&abi.Result{Messages: []abi.Message{
			abi.ToolResult(abi.ToolCall{ID: "c9"}, "x"),
		}})),
		protocol(65, "field of nobody", `field "x" is not declared`, mapOf(map[string]any{"state": map[string]any{"x": 1}})),
		protocol(65, "field of a neighbour", `field "mark" is not declared`, mapOf(map[string]any{"state": map[string]any{"mark": 1}})),
		protocol(65, "messages as a field", `field "messages" is not declared`, mapOf(map[string]any{"state": map[string]any{"messages": []any{}}})),
		protocol(65, "value that does not fit its schema", `field "f"`, mapOf(map[string]any{"state": map[string]any{"f": "x"}}),
			abi.FieldSpec{Name: "f", Lifetime: "run", Schema: mapOf(map[string]any{"type": "integer"})}),
		protocol(66, "removal of what is not there", `the id "h9"`, document(&abi.Result{Remove: []string{"h9"}})),
		protocol(66, "patch of what is not there", `the id "h9"`, document(&abi.Result{Patch: []abi.Patch{abi.NewPatch("h9")}})),
		protocol(66, "patch that changes a role", "changes its role", document(&abi.Result{Patch: []abi.Patch{
			abi.NewPatch("h1").Set("role", wire.String("system")),
		}})),
	}
	return slices.Concat(all, returnGuests(), expensiveGuests())
}

// returnGuests returns guests whose return values break the ABI.
func returnGuests() []Guest {
	returns := func(value int) Guest {
		return hookFault(67, fmt.Sprint("return of ", value), plugin.KindProtocol, fmt.Sprintf("it returned %d;", value), plugin.Limits{}, i32(value), leave)
	}
	return []Guest{
		returns(2), returns(-1), returns(1 << 30), returns(-1 << 31),
		hookFault(67, "result that was not written", plugin.KindProtocol, "without writing a result", plugin.Limits{}, i32(1), leave),
		{Line: 67, Name: "result written several times", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			return m.On("before_model", m.Write([]byte("\xc1")), m.Write([]byte("\xdd\xff\xff\xff\xff")), m.Say(document(&abi.Result{}))).Bytes()
		}},
		{Line: 67, Name: "result that is written and not returned", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			return m.On("before_model", m.Write([]byte("\xc1")), nothing).Bytes()
		}},
		{
			Line: 68, Name: "error without a message", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindGuest}, Once: true,
			Module: is(writer(mapOf(map[string]any{"error": map[string]any{}}))),
		},
		{Line: 61, Name: "keys of tomorrow", Benign: true, Module: is(writer(mapOf(map[string]any{"tomorrow": []any{1, "x"}, "state": map[string]any{}})))},
		{Line: 59, Name: "numbers at the edge", Benign: true, Module: is(writer(mapOf(map[string]any{"state": map[string]any{
			"f": []any{uint64(1<<64 - 1), int64(-1 << 63), negativeZero(), 1e308, ""},
		}}), abi.FieldSpec{Name: "f", Lifetime: "run"}))},
		{Line: 58, Name: "64 values inside of each other", Benign: true, Module: is(writer(
			append([]byte("\x81\xa1x"), append(again(63, 0x91), 0xc0)...)))},
	}
}
