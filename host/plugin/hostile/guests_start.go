package hostile

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// startGuests returns guests that misbehave before their first hook.
func startGuests() []Guest {
	loading := func(line int, name, stage string, kind plugin.Kind, says string, module []byte) Guest {
		return Guest{Line: line, Name: name, Module: is(module), Stage: stage, Kinds: []plugin.Kind{kind}, Says: says}
	}
	starts := func(pieces ...code) []byte {
		m := fine()
		m.Start = m.Next()
		return m.Add(function{Locals: locals(1, tI32), Body: seq(pieces...)}).Bytes()
	}
	initializes := func(pieces ...code) []byte {
		return fine().Add(function{Name: "_initialize", Body: seq(pieces...)}).Bytes()
	}
	describes := func(pieces ...code) []byte {
		return fine().Describe(pieces...).Bytes()
	}
	exit := func(status int) code { return seq(i32(status), call(guestkit.ProcExit)) }
	all := []Guest{
		loading(22, "start that loops", "instantiate", plugin.KindFuel, "used up its fuel", starts(forever())),
		loading(22, "start that traps", "instantiate", plugin.KindTrap, "unreachable", starts(trap)),
		loading(22, "start that exits with 0", "instantiate", plugin.KindExit, "the code 0", starts(exit(0))),
		loading(22, "start that exits as if cancelled", "instantiate", plugin.KindExit, "the code 4294967295", starts(exit(-1))),
		loading(22, "start that asks for an operation", "instantiate", plugin.KindProtocol, "not available", starts(i32(0), i32(0), i32(0), i32(0), call(guestkit.HostCall), drop)),
		loading(22, "start that calls next", "instantiate", plugin.KindProtocol, "wrap hooks only", starts(i32(0), i32(0), call(guestkit.Next), drop)),
		loading(22, "start that recurses", "instantiate", plugin.KindTrap, "stack overflow", func() []byte {
			m := fine()
			m.Start = m.Next()
			return m.Add(function{Body: call(m.Start)}).Bytes()
		}()),
		loading(22, "start that asks for the world", "instantiate", plugin.KindMemory, "more memory than its limit", starts(i32(60_000), grow, i32(-1), equal, when(trap))),
		loading(23, "_initialize that loops", "init", plugin.KindFuel, "used up its fuel", initializes(forever())),
		loading(23, "_initialize that traps", "init", plugin.KindTrap, "unreachable", initializes(trap)),
		loading(23, "_initialize that exits with 0", "init", plugin.KindExit, "the code 0", initializes(exit(0))),
		loading(23, "_initialize that exits with 7", "init", plugin.KindExit, "the code 7", initializes(exit(7))),
		loading(23, "_initialize that exits as if cancelled", "init", plugin.KindExit, "the code 4294967295", initializes(exit(-1))),
		loading(23, "_initialize that exits as if late", "init", plugin.KindExit, "the code 4026531839", initializes(exit(0xefffffff))),
		refused(24, "command module", plugin.KindLink, "it exports _start", is(fine().Add(function{Name: "_start"}).Bytes())),
		refused(24, "command module of WASI alone", plugin.KindLink, "Build a reactor", is(raw(section(1, vector(signature("", ""))),
			section(3, vector([]byte{0})), section(7, vector(append(name("_start"), 0, 0))), section(10, vector(body(nil)))))),
		loading(36, "describe that loops", "describe", plugin.KindFuel, "used up its fuel", describes(forever(), nothing)),
		loading(67, "describe that returns 0", "describe", plugin.KindProtocol, "it returned 0", describes(nothing)),
		loading(67, "describe that returns 2", "describe", plugin.KindProtocol, "it returned 2", describes(i32(2))),
		loading(67, "describe that writes nothing", "describe", plugin.KindProtocol, "without writing a result", describes(i32(1))),
		loading(74, "describe that calls next", "describe", plugin.KindProtocol, "wrap hooks only", describes(i32(0), i32(0), call(guestkit.Next), drop, nothing)),
		loading(83, "describe that exits", "describe", plugin.KindExit, "the code 0", describes(exit(0), nothing)),
	}
	return append(all, descriptionGuests()...)
}

// descriptionGuests returns guests that write invalid Descriptions.
func descriptionGuests() []Guest {
	described := func(line int, name, says string, module []byte) Guest {
		return Guest{Line: line, Name: name, Module: is(module), Stage: "describe", Kinds: []plugin.Kind{plugin.KindProtocol}, Says: says}
	}
	raws := func(doc string) []byte {
		m := fine()
		return m.Describe(m.Say([]byte(doc))).Bytes()
	}
	says := func(d abi.Description) []byte { return newModule(d).On("before_model", nothing).Bytes() }
	deep := abi.FieldSpec{Name: "a", Lifetime: "run", Schema: deepSchema(40)}
	return []Guest{
		described(26, "Description of five bytes", "malformed", raws("\xdd\xff\xff\xff\xff")),
		described(26, "Description of a map of 2^32-1", "malformed", raws("\xdf\xff\xff\xff\xff")),
		described(26, "Description with a key twice", "malformed", raws("\x82\xa3abi\x01\xa3abi\x01")),
		described(26, "Description nested 100 deep", "malformed", raws("\x81\xa1x"+string(again(100, 0x91))+"\xc0")),
		described(26, "Description with a rest", "malformed", raws("\x80\x80")),
		described(26, "empty Description", "", raws("\x80")),
		described(26, "schema nested 40 deep", "field", says(abi.Description{Fields: []abi.FieldSpec{deep}})),
		described(26, "schema that refers to itself", `"$ref" is not allowed`, says(abi.Description{ConfigSchema: mapOf(map[string]any{"$ref": "#"})})),
		described(26, "20000 fields", "20000 fields; 256 are allowed", says(abi.Description{Fields: slices.Repeat([]abi.FieldSpec{{Name: "f"}}, 20_000)})),
		described(26, "20000 tools", "20000 tools; 256 are allowed", says(abi.Description{Tools: slices.Repeat([]abi.ToolSpec{{Name: "t"}}, 20_000)})),
		described(26, "20000 capabilities", "256 are allowed", says(abi.Description{Capabilities: slices.Repeat([]abi.Capability{{Op: "o"}}, 20_000)})),
		described(26, "20000 reads", "256 are allowed", specified(abi.BeforeModel, abi.HookSpec{Reads: slices.Repeat([]string{"f"}, 20_000)}).Bytes()),
		described(26, "pattern of 20000 steps", "2000 are allowed", says(abi.Description{
			ConfigSchema: mapOf(map[string]any{"patternProperties": map[string]any{strings.Repeat("(a?){1000}", 20): true}}),
		})),
		described(26, "patterns of 60000 steps", "2000 are allowed", says(abi.Description{
			ConfigSchema: mapOf(map[string]any{"allOf": []any{map[string]any{"pattern": strings.Repeat("a", 60_000)}}}),
		})),
		described(93, "name with escapes", "its name", says(abi.Description{Name: "a\x1b[31m\u202eb\r\n"})),
		described(93, "field with escapes", "its field", says(abi.Description{Fields: []abi.FieldSpec{{Name: "\x1b]0;title\x07\u2066", Lifetime: "run"}}})),
		described(93, "lifetime with escapes", "lifetime", says(abi.Description{Fields: []abi.FieldSpec{{Name: "a", Lifetime: "\x1b[2J\u202e"}}})),
		described(93, "reducer with escapes", "reducer", says(abi.Description{Fields: []abi.FieldSpec{{Name: "a", Lifetime: "run", Reducer: "\u009b2J\u2067"}}})),
		described(93, "capability with escapes", "capability", says(abi.Description{Capabilities: []abi.Capability{{Op: "\x1b[1A\u202e"}}})),
		{
			Line: 93, Name: "reason with escapes", Stage: "describe", Kinds: []plugin.Kind{plugin.KindDenied}, Says: "not granted",
			Module: is(says(abi.Description{Capabilities: []abi.Capability{
				{Op: abi.OpHTTPFetch, Reason: "trust me\r\x1b[2K\u202egranted\u2069\u061c\u200f", Required: true},
			}})),
		},
		described(93, "schema with escapes", "field", says(abi.Description{Fields: []abi.FieldSpec{
			{Name: "a", Lifetime: "run", Schema: mapOf(map[string]any{"pattern": "(\x1b[31m\u202e"})},
		}})),
		described(93, "pattern with escapes", "", says(abi.Description{ConfigSchema: mapOf(map[string]any{"pattern": "(\x1b[31m\u202e"})})),
		{
			Line: 93, Name: "refusal with escapes", Stage: "configure", Kinds: []plugin.Kind{plugin.KindGuest}, Says: "no [31m luck",
			Module: func() []byte {
				m := fine()
				return m.On("configure", m.Say(document(&abi.Result{Error: &abi.Error{Type: "c\n", Message: "no\x1b[31m luck\u202e\u200f"}}))).Bytes()
			},
		},
	}
}
