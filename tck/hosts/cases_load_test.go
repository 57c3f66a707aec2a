package hosts_test

import (
	"maps"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// loadCases are about modules, Descriptions and configurations.
func loadCases() []*def {
	fine := func(change func(m *emit.Module)) *emit.Module {
		m := hooked(abi.BeforeModel, abi.HookSpec{}, nil)
		change(m)
		return m
	}
	bad := func(name, sentence string, m *emit.Module) *def { return newCase(name, m, refused, says(sentence)) }
	described := func(changes object) *emit.Module {
		d := object{"abi": 1, "name": "guest", "version": "1", "hooks": object{"before_model": object{}}}
		maps.Copy(d, changes)
		return emit.Raw(emit.Value(d)).On("before_model", emit.Number(0)).On("before_agent", emit.Number(0))
	}
	bound := func() abi.Description {
		d := emit.Describing(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewLast(2), Reads: []string{"f"}}, f("f", "run", ""))
		d.ConfigSchema = emit.Value(object{"type": "object", "additionalProperties": false, "properties": object{"n": object{"type": "integer", "default": 3}}})
		return d
	}
	configures := func(body func(m *emit.Module) emit.Code) *emit.Module {
		m := emit.New(bound())
		m.On("before_model", emit.Number(0)).On("before_agent", emit.Number(0))
		return m.On("configure", body(m), emit.Number(0))
	}
	narrowed := func(changes object) *emit.Module {
		d := object{"abi": 1, "name": "guest", "version": "1.0.0", "hooks": object{"before_model": object{}}}
		maps.Copy(d, changes)
		return configures(writes(d))
	}
	widened := func(name, sentence string, changes object) *def { return bad(name, sentence, narrowed(changes)) }
	hooks := func(spec object) object { return object{"hooks": object{"before_model": spec}} }
	const within = "In each hook, `can_jump_to`, `reads`, `writes` and `tools` are subsets (an absent `tools` means all), " +
		"and `messages` is a view that shows no more."
	const unchanged = "Fields, tools and capabilities are a subset, each unchanged, except for a tool's `description` and " +
		"`parameters`, which may depend on the configuration."
	schema := func(s any) *emit.Module { return described(object{"config_schema": s}) }
	return []*def{
		bad(
			"module-no-memory", "| `memory` | memory | required; its own, not imported |",
			fine(func(m *emit.Module) { m.NoMemory = true }),
		),
		bad(
			"module-no-marker",
			"| `agenthost_abi_v1` | `() -> ()` | required; empty, never called; it says which version the plugin was built for |",
			fine(func(m *emit.Module) { m.Without(abi.Marker) }),
		),
		bad(
			"module-no-describe", "| `describe` | `() -> i32` | required |",
			fine(func(m *emit.Module) { m.Without(abi.ExportDescribe) }),
		),
		bad(
			"module-export-type", "An export of one of these names with another type MUST be refused",
			fine(func(m *emit.Module) { m.Add(emit.Function{Name: "after_agent"}) }),
		),
		bad("module-import", "and MUST NOT import anything else.", fine(func(m *emit.Module) { m.Imports[0].Module = "env" })),
		bad(
			"module-initialize",
			"| `_initialize` | `() -> ()` | optional; called once in every new instance, before anything else |",
			fine(func(m *emit.Module) {
				m.Add(emit.Function{Name: abi.Initialize, Body: emit.Trap})
			}),
		),
		bad(
			"module-start", "and so MUST a function `_start`: such a module is a program that runs once, not a reactor.",
			fine(func(m *emit.Module) { m.Add(emit.Function{Name: "_start"}) }),
		),
		newCase(
			"module-other-exports",
			fine(func(m *emit.Module) { m.Add(emit.Function{Name: "malloc", Params: emit.I64, Body: emit.Trap}) }),
			status("completed"), says("Other exports are ignored"),
		),
		newCase(
			"module-initialize-once",
			emit.Hooked(
				abi.BeforeModel,
				abi.HookSpec{}).Add(emit.Function{Name: abi.Initialize, Body: emit.Seq(emit.LoadGlobal(), emit.When(emit.Trap), emit.Number(1), emit.StoreGlobal())}).On("before_model",
				emit.LoadGlobal(), emit.Not(), emit.When(emit.Trap), emit.Number(0),
			),
			status("completed"),
			says("| `_initialize` | `() -> ()` | optional; called once in every new instance, before anything else |"),
		),
		bad("describe-abi", "`abi` in the Description is the major version.", described(object{"abi": 2})),
		bad(
			"describe-name",
			"Names of plugins, fields, tools and events have 1 to 64 characters: ASCII letters, digits and any of `_-./[]`.",
			described(object{"name": "a b"}),
		),
		bad(
			"describe-hook-not-exported",
			"A hook that it lists but the module does not export MUST be refused when the plugin is loaded",
			described(object{"hooks": object{"after_model": object{}}}),
		),
		bad(
			"describe-tool-not-exported", "| `call_tool` | `(len i32) -> i32` | required if the Description lists a tool |",
			described(object{"tools": []any{object{"name": "t", "description": ""}}}),
		),
		bad(
			"describe-parameters", "| `parameters?` | `map` | a JSON Schema whose `type` is `object`, any other is refused; absent: no parameters |",
			described(object{"tools": []any{object{"name": "t", "description": "", "parameters": object{"type": "array"}}}}).On("call_tool", emit.Trap),
		),
		bad("describe-no-version", "| `version` | `str` | of the plugin; not empty |", described(object{"version": ""})),
		bad(
			"describe-no-reason", "`reason` (`str`, not empty, shown to the operator who grants it)",
			described(object{"capabilities": []any{object{"op": "clock.now"}}}),
		),
		bad(
			"describe-tokens-in-node", "`can_jump_to`, `passes_tokens`, `tools` and the view `new` are refused where they do not apply.",
			hooked(abi.AfterModel, abi.HookSpec{PassesTokens: true}, nil),
		),
		bad(
			"describe-field-twice", "| `fields?` | [FieldSpec] | no name twice |",
			described(object{"fields": []any{object{"name": "f", "lifetime": "run"}, object{"name": "f", "lifetime": "run"}}}),
		),
		bad(
			"describe-capability-twice", "| `capabilities?` | [Capability] | no `op` twice |",
			described(object{"capabilities": []any{object{"op": "x", "reason": "y"}, object{"op": "x", "reason": "y"}}}),
		),
		bad(
			"describe-lifetime", "| `lifetime` | `str` | `thread`, `run` or `step` (§8) |",
			described(object{"fields": []any{object{"name": "f", "lifetime": "forever"}}}),
		),
		bad(
			"describe-jump-in-wrap", "`can_jump_to`, `passes_tokens`, `tools` and the view `new` are refused where they do not apply.",
			hooked(abi.WrapModelCall, abi.HookSpec{CanJumpTo: []string{"end"}}, nil),
		),
		bad(
			"describe-new-in-wrap", "`can_jump_to`, `passes_tokens`, `tools` and the view `new` are refused where they do not apply.",
			hooked(abi.WrapModelCall, abi.HookSpec{Messages: abi.ViewNew()}, nil),
		),
		bad(
			"describe-tools-in-node", "`can_jump_to`, `passes_tokens`, `tools` and the view `new` are refused where they do not apply.",
			hooked(abi.BeforeModel, abi.HookSpec{Tools: []string{"x"}}, nil),
		),
		bad(
			"describe-view", "| `messages?` | ViewSpec | absent: none |",
			described(object{"hooks": object{"before_model": object{"messages": "some"}}}),
		),
		bad("describe-schema-reference", "without `$ref`, `$dynamicRef` and `$defs`.", schema(object{"$ref": "#"})),
		bad(
			"describe-returns-0", "There is no input; the guest writes its **Description** and returns 1.",
			fine(func(m *emit.Module) {
				m.Without(abi.ExportDescribe).Add(emit.Function{Name: abi.ExportDescribe, Results: emit.I32, Body: emit.Number(0)})
			}),
		),
		bad(
			"describe-host-call", "`next` and `host_call` are protocol faults there.",
			fine(func(m *emit.Module) {
				m.Without(abi.ExportDescribe).Add(emit.Function{Name: abi.ExportDescribe, Results: emit.I32, Body: emit.Seq(m.Operate("budget", nil), emit.Drop, emit.Number(0))})
			}),
		),
		newCase("config-defaults", configures(func(m *emit.Module) emit.Code {
			return emit.Seq(m.InputHas([]byte("\x81\xa1n\x03")), emit.Not(), emit.When(emit.Trap))
		}), status("completed"),
			says("checks the operator's configuration against `config_schema` and fills in the defaults that the schema gives.")),
		newCase("config", configures(func(m *emit.Module) emit.Code {
			return emit.Seq(m.InputHas([]byte("\x81\xa1n\x07")), emit.Not(), emit.When(emit.Trap))
		}), config(object{"n": 7}), status("completed"),
			says("The input is the configuration: a map, which is empty if there is no configuration.")),
		newCase(
			"config-defaults-inside", nestedDefaults(), config(object{"given": object{"x": 1}}), status("completed"),
			says("Only the defaults in `properties` count, at every depth where the enclosing object is present or is a default itself."),
		),
		newCase(
			"config-float", configures(func(m *emit.Module) emit.Code {
				return emit.Seq(m.InputHas([]byte("\x81\xa1n\xcb\x40\x08\x00\x00\x00\x00\x00\x00")), emit.Not(), emit.When(emit.Trap))
			}), config(object{"n": 3.0}), status("completed"), says("A float without a fraction fits the type `integer`"),
		),
		newCase(
			"config-misfit", configures(in()), config(object{"n": "x"}), refused,
			says("checks the operator's configuration against `config_schema`"),
		),
		newCase(
			"config-without-schema", hooked(abi.BeforeModel, abi.HookSpec{}, nil), config(object{"n": 1}), refused,
			says("A plugin without `config_schema` takes no configuration."),
		),
		newCase(
			"config-refused", configures(writes(object{"error": object{"type": "config", "message": "no"}})), refused,
			says("Or it refuses the configuration: it writes a map with the key `error`, an Error, and returns 1."),
		),
		newCase(
			"config-refused-beside-a-description", narrowed(object{"error": object{}}), refused,
			says("The host ignores all other keys of that map. An Error with an empty message also refuses the configuration."),
		),
		newCase(
			"config-fault", configures(in(emit.Trap)), refused,
			says("A fault before the first call of a hook means that the plugin is not loaded."),
		),
		newCase("narrowed", narrowed(object{"hooks": object{}}), status("completed"), frames(0), says("Hooks are a subset by name.")),
		newCase(
			"narrowed-view", narrowed(hooks(object{"messages": object{"last": 1}})),
			messages(human("h1", "one"), human("h2", "two")), has(given(0), `"two"`), hasNot(given(0), `"one"`), says(within),
		),
		newCase(
			"narrowed-tool", tooled(object{
				"name": "own", "description": "another one", "idempotent": true, "parameters": object{"type": "object", "required": []any{"x"}},
			}, "for the test"), status("completed"), has(requests, `"tools":["own"]`), says(unchanged),
		),
		bad("narrowed-tool-changed", unchanged, tooled(object{"name": "own", "description": "one"}, "for the test")),
		bad("narrowed-reason", unchanged, tooled(object{"name": "own", "description": "one", "idempotent": true}, "for another reason")),
		newCase(
			"narrowed-tokens", tokens(), status("completed"), frames(1), says("`passes_tokens` and `guards` may change; `config_schema` is ignored."),
		),
		widened("narrowed-name", "`abi`, `name` and `version` are equal.", object{"name": "other"}),
		widened("narrowed-version", "`abi`, `name` and `version` are equal.", object{"version": "2"}),
		widened("narrowed-field", "Fields, tools and capabilities are a subset, each unchanged", object{"fields": []any{object{"name": "g", "lifetime": "run"}}}),
		widened(
			"narrowed-field-changed", "Fields, tools and capabilities are a subset, each unchanged",
			object{"fields": []any{object{"name": "f", "lifetime": "thread"}}},
		),
		widened(
			"narrowed-capability", "Fields, tools and capabilities are a subset, each unchanged",
			object{"capabilities": []any{object{"op": "clock.now", "reason": "x"}}},
		),
		widened("narrowed-hook", "Hooks are a subset by name.", object{"hooks": object{"before_agent": object{}}}),
		widened("narrowed-view-wider", within, hooks(object{"messages": object{"last": 3}})),
		widened("narrowed-view-all", within, hooks(object{"messages": "all"})),
		widened("narrowed-jump", within, hooks(object{"can_jump_to": []any{"end"}})),
	}
}

// nestedDefaults returns a guest that traps unless defaults are filled in at the right places. They belong inside an object
// that is given and inside one that is itself a default, but not inside an absent object.
func nestedDefaults() *emit.Module {
	inside := object{"type": "object", "properties": object{"x": object{"default": 5}, "y": object{"default": 6}}}
	byDefault := maps.Clone(inside)
	byDefault["default"] = object{"y": 7}
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.ConfigSchema = emit.Value(object{"type": "object", "properties": object{"absent": inside, "default": byDefault, "given": inside}})
	m := emit.New(d).On("before_model", emit.Number(0))
	want := emit.Value(object{"default": object{"x": 5, "y": 7}, "given": object{"x": 1, "y": 6}})
	return m.On("configure", m.InputHas(want), emit.Not(), emit.When(emit.Trap), emit.Number(0))
}

// tooled returns a guest with a tool and a capability that configure describes differently.
func tooled(tool object, reason string) *emit.Module {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.Tools = []abi.ToolSpec{{Name: "own", Description: "one", Idempotent: true}}
	d.Capabilities = asking(abi.OpClockNow)
	m := emit.New(d).On("before_model", emit.Number(0)).On("call_tool", emit.Trap)
	return m.On("configure", m.Say(emit.Value(object{
		"abi": 1, "name": "guest", "version": "1.0.0", "hooks": object{"before_model": object{}}, "tools": []any{tool},
		"capabilities": []any{object{"op": abi.OpClockNow, "reason": reason}},
	})))
}

// tokens returns a guest that, in configure, lets tokens stream past it and changes its schema.
func tokens() *emit.Module {
	d := emit.Describing(abi.WrapModelCall, abi.HookSpec{})
	m := emit.New(d)
	d.ABI, d.Name, d.Version, d.ConfigSchema = abi.Major, "guest", "1.0.0", emit.Value(object{"type": "object"})
	d.Hooks.WrapModelCall = &abi.HookSpec{PassesTokens: true}
	return m.On("wrap_model_call", emit.Number(0)).On("configure", m.Say(emit.Document(&d)))
}
