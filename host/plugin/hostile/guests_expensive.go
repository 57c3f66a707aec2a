package hostile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// either returns a guest whose document may or may not be a fault. What matters is that the host decides quickly.
func either(line int, name string, doc []byte, fields ...abi.FieldSpec) Guest {
	g := protocol(line, name, "", doc, fields...)
	g.Kinds = append(g.Kinds, plugin.KindLimit, "")
	return g
}

// expensiveGuests returns guests that write documents within the limits that could take the host minutes to check.
func expensiveGuests() []Guest {
	calls := make([]abi.ToolCall, 3_000)
	messages := make([]abi.Message, 1, 3_001)
	for i := range calls {
		calls[i] = abi.Call(fmt.Sprint("c", i), "search", nil)
		messages = append(messages, abi.ToolResult(calls[i], ""))
	}
	messages[0] = abi.AI("", calls...)
	state := map[string]any{}
	for i := range 60_000 {
		state[letters(i)] = 1
	}
	var fields []abi.FieldSpec
	for i := range 256 {
		fields = append(fields, abi.FieldSpec{Name: letters(i), Lifetime: "run"})
	}
	all := []Guest{
		either(64, "3000 calls and answers", document(&abi.Result{Messages: messages})),
		either(65, "30000 messages", document(&abi.Result{Messages: slices.Repeat([]abi.Message{abi.Human("x")}, 30_000)})),
		either(65, "60000 fields at once", mapOf(map[string]any{"state": state}), fields...),
	}
	return slices.Concat(all, checkedGuests(), historyGuests())
}

// checkedGuests returns guests that write large values to fields for which they declare expensive schemas.
func checkedGuests() []Guest {
	checked := func(schema map[string]any) abi.FieldSpec {
		return abi.FieldSpec{Name: "f", Lifetime: "run", Schema: mapOf(schema)}
	}
	branches := make([]any, 1_500)
	for i := range branches {
		branches[i] = map[string]any{"const": letters(i)}
	}
	numbers, words := make([]any, 100_000), make([]any, 100_000)
	for i := range numbers {
		numbers[i], words[i] = i, letters(len(branches)-1) // the last of the branches
	}
	value := func(f any) []byte { return mapOf(map[string]any{"state": map[string]any{"f": f}}) }
	text := value(strings.Repeat("a", 300_000))
	return []Guest{
		either(65, "100000 values against 1500 schemas", value(words), checked(map[string]any{"items": map[string]any{"anyOf": branches}})),
		either(65, "100000 values of which none is twice", value(numbers), checked(map[string]any{"uniqueItems": true})),
		either(65, "pattern that backtracks", text, checked(map[string]any{"pattern": "^(a+)+$"})),
		either(65, "pattern that is large", text, checked(map[string]any{"pattern": "^(a?){150}(a?){150}b$"})),
	}
}

// historyGuests returns guests that write a long history, and then refer to its messages more often than it has
// messages.
func historyGuests() []Guest {
	const long = 25_000
	var history []abi.Message
	for i := range long {
		history = append(history, abi.Message{ID: letters(i), Role: abi.RoleHuman})
	}
	some := abi.Result{}
	for i := range 20_000 {
		some.Remove = append(some.Remove, letters(i))
	}
	for i := range 15_000 {
		some.Patch = append(some.Patch, abi.NewPatch(letters(20_000+i%5_000)))
	}
	after := func(name string, r *abi.Result) Guest {
		g := either(66, name, nil)
		g.Module = func() []byte {
			d := abi.Description{Hooks: abi.HookSpecs{BeforeAgent: &abi.HookSpec{}, BeforeModel: &abi.HookSpec{}}}
			m := newModule(d)
			m.Memory = guestkit.Pages(64)
			m.On("before_agent", m.Say(document(&abi.Result{Overwrite: true, Messages: history})))
			return m.On("before_model", once(m.Say(document(r)), leave), nothing).Bytes()
		}
		return g
	}
	return []Guest{
		after("100000 removals of one message", &abi.Result{Remove: slices.Repeat([]string{letters(0)}, 100_000)}),
		after("25000 patches of one message", &abi.Result{Patch: slices.Repeat([]abi.Patch{abi.NewPatch(letters(0))}, long)}),
		after("removals and patches of a long history", &some),
		after("replacement of a long history", &abi.Result{Messages: history}),
		either(66, "30000 patches beside as many removals", document(&abi.Result{
			Patch: slices.Repeat([]abi.Patch{abi.NewPatch("h1")}, 30_000), Remove: slices.Repeat([]string{"h1"}, 30_000),
		})),
	}
}
