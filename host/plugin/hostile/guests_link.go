package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// linkGuests returns guests that import or export more than allowed, or that were not built for this host.
func linkGuests() []Guest {
	link := linked
	imports := func(f ...function) []byte {
		m := fine()
		m.Imports = append(m.Imports, f...) // the indexes of functions shift by as many, and nothing calls them
		return m.Bytes()
	}
	foreign := func(kind ...byte) []byte {
		return raw(section(2, vector(slices.Concat(name("redact"), name("memory"), kind))))
	}
	sized := func(memory ...byte) []byte {
		m := fine()
		m.Memory = memory
		return m.Bytes()
	}
	table := func(limits ...byte) []byte {
		m := fine()
		m.Tables = [][]byte{limits}
		return m.Bytes()
	}
	exports := func(title string) []byte {
		m := fine()
		m.Exports = append(m.Exports, append(name(title), 2, 0))
		return m.Bytes()
	}
	retyped := func(export, params string) []byte {
		return fine().Without(export).Add(function{Name: export, Params: params, Results: tI32, Body: nothing}).Bytes()
	}
	all := []Guest{
		refused(11, "table of 100 million", plugin.KindLimit, "100000000 elements", is(table(0x70, 0, 0x80, 0xc2, 0xd7, 0x2f))),
		refused(11, "table of 2^32-1", plugin.KindLimit, "4294967295 elements", is(table(slices.Concat([]byte{0x6f, 0}, []byte(huge))...))),
		refused(11, "17 tables", plugin.KindLimit, "16 are allowed", func() []byte {
			m := fine()
			m.Tables = slices.Repeat([][]byte{{0x70, 0, 1}}, 17)
			return m.Bytes()
		}),
		{
			Line: 13, Name: "memory of 4 GiB", Module: is(sized(0, 0x80, 0x80, 0x04)), Stage: "preflight",
			Kinds: []plugin.Kind{plugin.KindMemory}, Says: "starts with 4294967296 bytes",
		},
		{
			Line: 13, Name: "memory of 65 MiB", Module: is(sized(0, 0x90, 0x08)), Stage: "preflight",
			Kinds: []plugin.Kind{plugin.KindMemory}, Says: "the limit is 67108864",
		},
		refused(13, "memory above 4 GiB", plugin.KindLimit, "65536 are allowed", is(sized(0, 0x81, 0x80, 0x04))),
		refused(13, "maximum of 2^32-1 pages", plugin.KindMalformed, "more than 65536 pages", is(sized(slices.Concat([]byte{1, 1}, []byte(huge))...))),
		link(14, "no memory", `does not export its memory as "memory"`, func() []byte {
			m := fine()
			m.Memory, m.Exports = nil, nil
			return m.Bytes()
		}()),
		link(14, "memory of another name", `does not export its memory`, raw(
			section(1, vector(signature("", ""))), section(3, vector([]byte{0})), section(5, vector([]byte{0, 1})),
			section(7, vector(append(name(abi.Marker), 0, 0), append(name("mem"), 2, 0))), section(10, vector(body(nil))))),
		refused(15, "two memories", plugin.KindMalformed, "2 memories", is(raw(section(5, vector([]byte{0, 1}, []byte{0, 1}))))),
		refused(15, "memory of 64 bits", plugin.KindMalformed, "64-bit", is(sized(4, 1))),
		refused(15, "shared memory", plugin.KindMalformed, "threads are not supported", is(sized(3, 1, 2))),
		refused(15, "atomic wait", plugin.KindMalformed, "not one of WebAssembly 2.0", is(attack(i32(0), i32(0), i64(-1), code{0xfe, 0x01, 2, 0}, drop))),
		refused(16, "memory of another plugin", plugin.KindLink, `it imports a memory, "memory" of "redact"`, is(foreign(2, 0, 1))),
		refused(16, "table of another plugin", plugin.KindLink, "it imports a table", is(foreign(1, 0x70, 0, 1))),
		refused(16, "global of another plugin", plugin.KindLink, "it imports a global", is(foreign(3, 0x7f, 1))),
		refused(16, "tag of another plugin", plugin.KindMalformed, "unknown kind", is(foreign(4, 0, 0))),
		link(17, "function of another plugin", "it imports redact.before_model", imports(function{Module: "redact", Name: "before_model", Params: tI32, Results: tI32})),
		link(17, "function of a module without a name", "it imports .f;", imports(function{Name: "f"})),
		link(18, "function of env", "it imports env.abort", imports(function{Module: "env", Name: "abort"})),
		link(18, "function of the ABI of tomorrow", `it imports from "agenthost_v2"`, imports(function{Module: "agenthost_v2", Name: "next"})),
		link(18, "unknown function of the ABI", "it imports agenthost_v1.exec", imports(function{Module: abi.Module, Name: "exec"})),
		link(18, "unknown function of WASI", "wasi_snapshot_preview1.exec, which does not exist", imports(function{Module: wasi, Name: "exec"})),
		link(18, "WASI of yesterday", "it imports wasi_unstable.proc_exit", imports(function{Module: "wasi_unstable", Name: "proc_exit", Params: tI32})),
		link(18, "import with escapes in its name", "it imports a [2J.b", imports(function{Module: "a\x1b[2J", Name: "b\u202e\n"})),
		link(19, "next of another type", "agenthost_v1.next as (i64) -> (i32)", imports(function{Module: abi.Module, Name: "next", Params: tI64, Results: tI32})),
		link(19, "log with a result", "agenthost_v1.log", imports(function{Module: abi.Module, Name: "log", Params: tI32 + tI32 + tI32, Results: tI32})),
		link(19, "WASI of another type", "proc_exit", imports(function{Module: wasi, Name: "proc_exit", Params: tI64})),
		link(20, "hook of another type", "it exports before_model as (i64) -> (i32)", retyped("before_model", tI64)),
		link(20, "describe with a parameter", "it exports describe as", retyped("describe", tI32)),
		link(20, "_initialize with a result", "it exports _initialize as", fine().Add(function{Name: "_initialize", Results: tI32, Body: nothing}).Bytes()),
		link(20, "marker with a parameter", "it exports agenthost_abi_v1 as", fine().Without(abi.Marker).Add(function{Name: abi.Marker, Params: tI32}).Bytes()),
		link(20, "hook that is a memory", "", func() []byte {
			m := fine().Without("describe")
			m.Exports = append(m.Exports, append(name("describe"), 2, 0))
			return m.Bytes()
		}()),
		link(21, "no marker", "not an agenthost plugin", fine().Without(abi.Marker).Bytes()),
		link(21, "marker v0", "built for agenthost_abi_v0;", fine().Without(abi.Marker).Add(function{Name: "agenthost_abi_v0"}).Bytes()),
		link(21, "marker v999", "built for agenthost_abi_v999;", fine().Without(abi.Marker).Add(function{Name: "agenthost_abi_v999"}).Bytes()),
		link(21, "marker with escapes", "built for agenthost_abi_v [31m", fine().Without(abi.Marker).Add(function{Name: "agenthost_abi_v\x1b[31m\u202e"}).Bytes()),
		{Line: 21, Name: "both markers", Module: is(fine().Add(function{Name: "agenthost_abi_v2"}).Bytes()), Benign: true},
		link(29, "export of the fuel", `it exports "agenthost_fuel"`, exports("agenthost_fuel")),
		link(29, "export of a global of the meter", `it exports "agenthost_global_0"`, exports("agenthost_global_0")),
		link(29, "import of the meter", "it imports agenthost_meter.tick", imports(function{Module: "agenthost_meter", Name: "tick", Params: tI64, Results: tI64})),
	}
	return append(all, indexGuests()...)
}

// indexGuests returns guests that refer to items that are not in the module, but will be once the meter is added.
func indexGuests() []Guest {
	m := fine()
	behind := len(m.Imports) + len(m.Functions)
	module := func(pieces ...code) func() []byte { return is(attack(pieces...)) }
	return []Guest{
		refused(29, "read of the fuel", plugin.KindMalformed, "the global 0 does not exist", module(op(0x23, 0), drop)),
		refused(29, "write of the fuel", plugin.KindMalformed, "the global 0 does not exist", module(i64(1<<62), op(0x24, 0))),
		refused(29, "call of the refill", plugin.KindMalformed, "which does not exist", module(call(behind))),
		refused(29, "call behind the refill", plugin.KindMalformed, "which does not exist", module(call(behind+1))),
		refused(29, "reference to the refill", plugin.KindMalformed, "which does not exist", module(op(0xd2, behind), drop)),
		refused(29, "local variable of the meter", plugin.KindMalformed, "does not exist", module(forever(get(2), drop))),
		refused(29, "type of the meter", plugin.KindMalformed, "which does not exist", module(code{0x02}, code("\xe3\x00"), end)),
		refused(29, "start at the refill", plugin.KindMalformed, "does not exist", func() []byte {
			m := fine()
			m.Start = behind
			return m.Bytes()
		}),
		refused(29, "export of the fuel by its index", plugin.KindMalformed, "exports an item that does not exist", func() []byte {
			m := fine()
			m.Exports = append(m.Exports, append(name("f"), 3, 0))
			return m.Bytes()
		}),
		refused(29, "element expression with the refill", plugin.KindMalformed, "does not exist", func() []byte {
			m := fine()
			m.Tables, m.Elements = [][]byte{{0x70, 0, 1}}, [][]byte{slices.Concat([]byte{4, 0x41, 0, 0x0b, 1, 0xd2}, leb(behind), end)}
			return m.Bytes()
		}),
		refused(29, "global that refers to the refill", plugin.KindMalformed, "does not exist", func() []byte {
			m := fine()
			m.Globals = [][]byte{slices.Concat([]byte{0x70, 0, 0xd2}, leb(behind), end)}
			return m.Bytes()
		}),
		refused(29, "global that begins as the fuel", plugin.KindMalformed, "the global 1 does not exist", func() []byte {
			m := fine()
			m.Globals = [][]byte{{0x7e, 0, 0x23, 1, 0x0b}}
			return m.Bytes()
		}),
		refused(29, "element with the refill", plugin.KindMalformed, "does not exist", func() []byte {
			m := fine()
			m.Tables, m.Elements = [][]byte{{0x70, 0, 1}}, [][]byte{slices.Concat([]byte{0, 0x41, 0, 0x0b, 1}, leb(behind))}
			return m.Bytes()
		}),
		{
			Line: 29, Name: "call of the tick through its old index", Benign: true, Module: is(attack(call(guestkit.SchedYield), drop)),
		},
	}
}
