package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// stateCases are about fields.
func stateCases() []*def {
	reading := func(fields ...string) abi.HookSpec { return abi.HookSpec{Reads: fields} }
	writing := func(value any, fields ...abi.FieldSpec) *emit.Module {
		return hooked(abi.BeforeModel, abi.HookSpec{}, writes(object{"state": object{"f": value}}), fields...)
	}
	return []*def{
		newCase(
			"field-reads", hooked(abi.BeforeModel, reading("a"), nil, f("a", "thread", ""), f("b", "thread", "")),
			input(object{"a": 1, "b": 2}), has(given(0), `"state":{"a":1}`),
			says("A hook is shown exactly the fields that it lists in `reads`, including those of its own plugin."),
		),
		newCase(
			"field-unset", hooked(abi.BeforeModel, reading("a"), nil, f("a", "thread", "")), hasNot(given(0), `"state"`),
			says("Unset fields are absent"),
		),
		newCase(
			"field-initial", hooked(abi.BeforeModel, reading("a", "b"), nil, f("a", "thread", "add"), f("b", "thread", "append")),
			has(given(0), `"state":{"a":0,"b":[]}`),
			says(
				"| `add` | is added; integers whose sum leaves −2⁶³ … 2⁶³−1 become floats | 0 | a number |",
				"| `append` | is appended | `[]` | an array |",
				"with the reducers `add` and `append` a field is never unset, and is shown with its starting value.",
			),
		),
		newCase(
			"field-large",
			hooked(
				abi.BeforeModel, reading("a", "b"), operates(operation{"state.read", object{"fields": []any{"a"}}, 0}),
				f("a", "thread", ""), f("b", "thread", ""),
			),
			input(object{"a": long(5000), "b": long(100)}), has(given(0), `"large":["a"]`), hasNot(given(0), `"a":"x`),
			has(frame(0), `"reply":{"state":{"a":"xxx`),
			says("A field whose encoded value is larger than 4 KiB is left out and named in `large`; `state.read` fetches it."),
		),
		newCase(
			"field-of-others",
			hooked(
				abi.BeforeModel, abi.HookSpec{Reads: []string{"theirs"}, Writes: []string{"theirs"}},
				writes(object{"state": object{"theirs": "mine"}}),
			),
			field("theirs"), input(object{"theirs": "x"}), grant(hosts.Grant{Reads: []string{"theirs"}, Writes: []string{"theirs"}}),
			has(given(0), `"state":{"theirs":"x"}`), has(state, `{"theirs":"mine"}`),
			says("A hook writes fields of its own plugin, and those that it lists in `writes`, which MUST be granted too"),
		),
		newCase("field-not-granted", hooked(abi.BeforeModel, reading("theirs"), nil), field("theirs"), refused,
			says("those of other middleware MUST be granted by the operator, else the plugin is not loaded.")),
		newCase(
			"field-write-not-granted", hooked(abi.BeforeModel, abi.HookSpec{Writes: []string{"theirs"}}, nil), field("theirs"),
			refused, says("A hook writes fields of its own plugin, and those that it lists in `writes`, which MUST be granted too"),
		),
		newCase(
			"field-nobody-has", hooked(abi.BeforeModel, reading("nobody"), nil), grant(hosts.Grant{Reads: []string{"nobody"}}),
			refused, says("The host refuses a field that nobody declares."),
		),
		newCase(
			"field-shared", hooked(abi.BeforeModel, abi.HookSpec{}, nil, f("f", "thread", "")), field("f"), refused,
			says(
				"A field that is also declared elsewhere, even in the same way, is refused unless the operator grants it for reading and writing.",
			),
		),
		newCase("field-undeclared", writing(1), fault("protocol", "before_model"),
			says("Any other name in `state`, unlike unknown keys elsewhere, is a protocol fault.")),
		newCase("field-misfit", writing("x", f("f", "run", "add")), fault("protocol", "before_model"),
			says("So is a value that does not fit the field's schema or reducer, by the declaration that counts")),
		newCase(
			"field-schema", writing("x", abi.FieldSpec{Name: "f", Lifetime: "run", Schema: emit.Value(object{"type": "integer"})}),
			fault("protocol", "before_model"),
			says("So is a value that does not fit the field's schema or reducer, by the declaration that counts"),
		),
		newCase(
			"field-schema-of-updates", writing([]any{1}, abi.FieldSpec{
				Name: "f", Lifetime: "run", Reducer: "append", Schema: emit.Value(object{"type": "array", "maxItems": 1}),
			}), looping(1), has(state, `{"f":[1,1]}`),
			says("| `schema?` | `map` | a JSON Schema for each value that is written to the field, not for the value that "+
				"the reducer makes of them |"),
		),
		newCase(
			"field-nil", writing(nil, f("f", "thread", "")), input(object{"f": 1}), has(state, `{"f":null}`),
			says("nil is a value like any other."),
		),
		newCase("field-add", writing(2, f("f", "thread", "add")), input(object{"f": 40}), has(state, `{"f":42}`),
			says("| `add` | is added; integers whose sum leaves −2⁶³ … 2⁶³−1 become floats | 0 | a number |")),
		newCase(
			"field-add-overflow", writing(int64(1<<62), f("f", "thread", "add")), input(object{"f": int64(1 << 62)}),
			has(state, `9.223372036854776e+18`), says("integers whose sum leaves −2⁶³ … 2⁶³−1 become floats"),
		),
		newCase(
			"field-append", writing([]any{"b"}, f("f", "thread", "append")), input(object{"f": []any{"a"}}),
			has(state, `{"f":["a","b"]}`), says("| `append` | is appended | `[]` | an array |"),
		),
		newCase(
			"field-of-a-step", hooked(abi.BeforeModel, reading("f"), writes(object{"state": object{"f": 1}}), f("f", "step", "")),
			inner("second", hooked(abi.BeforeModel, reading("f"), nil)), func(d *def) { d.Plugins[1].Grant.Reads = []string{"f"} },
			searching, has(given(1), `"state":{"f":1}`), hasNot(given(2), `"state"`),
			says("| `step` | in the step after the one that wrote it |"),
		),
		newCase("field-of-a-run", hooked(abi.BeforeAgent, reading("f"), writes(object{"state": object{"f": 1}}), f("f", "run", "")),
			modelSays(say("a1", "x"), say("a2", "y")), then(hosts.Run{Messages: []abi.Message{human("h2", "again")}}), thread,
			hasNot(given(0), `"state"`), says("| `run` | as long as the run, its interrupts and resumes included |")),
		newCase(
			"field-of-a-thread",
			hooked(abi.BeforeAgent, reading("f"), writes(object{"state": object{"f": 1}}), f("f", "thread", "")),
			modelSays(say("a1", "x"), say("a2", "y")), then(hosts.Run{Messages: []abi.Message{human("h2", "again")}}), thread,
			has(given(0), `"state":{"f":1}`, `"thread":"t1"`),
			says("| `thread` | as long as the thread; in a run without one, as long as the run |", "| `thread?` | `str` | id of the thread; absent in a run without one |"),
		),
		newCase(
			"field-without-a-thread",
			hooked(abi.BeforeAgent, reading("f"), writes(object{"state": object{"f": 1}}), f("f", "thread", "")),
			modelSays(say("a1", "x"), say("a2", "y")), then(hosts.Run{Messages: []abi.Message{human("h2", "again")}}),
			hasNot(given(0), `"state"`), hasNot(given(0), `"thread"`),
			says("| `thread` | as long as the thread; in a run without one, as long as the run |"),
		),
		newCase(
			"field-of-a-module-listed-twice", hooked(abi.BeforeModel, abi.HookSpec{}, nil, f("f", "run", "")), twice, refused,
			says("A field that both declare is refused (§8), unless the operator grants it to both."),
		),
		newCase("field-hidden", hooked(abi.BeforeModel, abi.HookSpec{}, writes(object{"state": object{"f": 1}}), abi.FieldSpec{
			Name: "f", Lifetime: "thread", HideOutput: true,
		}), hasNot(state, `"f"`), says("| `hide_output?` | `bool` | results do not show it |")),
	}
}
