package plugin_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

func TestLoadFaults(t *testing.T) {
	t.Parallel()
	fine := guestkit.Fine
	describes := func(body ...guestkit.Code) *guestkit.Module { return fine().Describe(body...) }
	describesRaw := func(doc []byte) *guestkit.Module {
		g := fine()
		return g.Describe(g.Say(doc))
	}
	imports := func(f wasmbin.Function) *guestkit.Module {
		g := guestkit.Bare()
		g.Imports = []wasmbin.Function{f}
		return g.Add(wasmbin.Function{Name: abi.Marker}).Describe(guestkit.I32(0))
	}
	initializes := func(body func(g *guestkit.Module) guestkit.Code) *guestkit.Module {
		g := fine()
		return g.Add(wasmbin.Function{Name: "_initialize", Body: body(g)})
	}
	module := func(g *guestkit.Module) []byte { return g.Bytes() }
	started := fine()
	started.Start = started.Next()
	started.Add(wasmbin.Function{Name: "start", Body: guestkit.Trap})
	noMemory := fine()
	noMemory.Exports = nil
	foreign := imports(wasmbin.Function{Module: "env", Name: "f"})
	foreign.Imports, foreign.Memory = nil, nil
	foreign.Imported = [][]byte{slices.Concat(wasmbin.Name("env"), wasmbin.Name("memory"), []byte{2, 0, 1})}
	greedy := fine()
	greedy.Memory = guestkit.Pages(5)

	for _, test := range []struct {
		name   string
		code   []byte
		limits plugin.Limits
		stage  string
		kind   plugin.Kind
		says   string
	}{
		{name: "empty", code: []byte{}, stage: "preflight", kind: plugin.KindMalformed},
		{name: "text", code: []byte("#!/bin/sh\necho"), stage: "preflight", kind: plugin.KindMalformed, says: "not a WebAssembly module"},
		{name: "truncated", code: module(fine())[:100], stage: "preflight", kind: plugin.KindMalformed},
		{
			name: "table of 100 million", code: []byte("\x00asm\x01\x00\x00\x00\x04\x07\x01\x70\x00\x80\xc2\xd7\x2f"),
			stage: "preflight", kind: plugin.KindLimit, says: "a table starts with 100000000 elements",
		},
		{
			name: "types that are not there", code: []byte("\x00asm\x01\x00\x00\x00\x01\x05\xff\xff\xff\xff\x0f"),
			stage: "preflight", kind: plugin.KindMalformed, says: "offset 0xa: it claims 4294967295 types",
		},
		{name: "no marker", code: module(fine().Without(abi.Marker)), stage: "link", kind: plugin.KindLink, says: `does not export the function "agenthost_abi_v1"`},
		{
			name: "version 999", code: module(fine().Without(abi.Marker).Add(wasmbin.Function{Name: "agenthost_abi_v999"})),
			stage: "link", kind: plugin.KindLink, says: "built for agenthost_abi_v999; this host has ABI 1.",
		},
		{
			name: "command", code: module(fine().Without(abi.Marker).Add(wasmbin.Function{Name: "_start"})),
			stage: "preflight", kind: plugin.KindLink, says: "-buildmode=c-shared",
		},
		{
			name: "import of another module", code: module(imports(wasmbin.Function{Module: "env", Name: "f"})),
			stage: "link", kind: plugin.KindLink, says: `it imports env.f; a guest may import only from "agenthost_v1"`,
		},
		{
			name: "import of another version", code: module(imports(wasmbin.Function{Module: "agenthost_v2", Name: "next"})),
			stage: "link", kind: plugin.KindLink, says: `it imports from "agenthost_v2"; this host has ABI 1.`,
		},
		{
			name: "unknown import", code: module(imports(wasmbin.Function{Module: abi.Module, Name: "exec"})),
			stage: "link", kind: plugin.KindLink, says: "it imports agenthost_v1.exec, which no minor",
		},
		{
			name: "unknown function of WASI", code: module(imports(wasmbin.Function{Module: guestkit.WASI, Name: "exec"})),
			stage: "link", kind: plugin.KindLink, says: "wasi_snapshot_preview1.exec, which does not exist",
		},
		{
			name: "import of another type", code: module(imports(wasmbin.Function{Module: abi.Module, Name: "next", Params: wasmbin.I64, Results: wasmbin.I32})),
			stage: "link", kind: plugin.KindLink, says: "agenthost_v1.next as (i64) -> (i32), but it is (i32 i32) -> (i64)",
		},
		{
			name: "WASI import of another type", code: module(imports(wasmbin.Function{Module: guestkit.WASI, Name: "proc_exit", Params: wasmbin.I64})),
			stage: "link", kind: plugin.KindLink, says: "proc_exit",
		},
		{
			name: "export of another type", code: module(fine().Without("before_model").Add(wasmbin.Function{Name: "before_model", Params: wasmbin.I64, Results: wasmbin.I32, Body: guestkit.Nothing})),
			stage: "link", kind: plugin.KindLink, says: "it exports before_model as (i64) -> (i32), but it must be (i32) -> (i32)",
		},
		{name: "imported memory", code: module(foreign), stage: "preflight", kind: plugin.KindLink, says: "it imports a memory"},
		{name: "no memory", code: module(noMemory), stage: "link", kind: plugin.KindLink, says: `does not export its memory as "memory"`},
		{
			name: "too much memory", code: module(greedy), limits: plugin.Limits{Memory: 4 << 16},
			stage: "preflight", kind: plugin.KindMemory, says: "starts with 327680 bytes of memory, the limit is 262144",
		},
		{name: "trap in start", code: module(started), stage: "instantiate", kind: plugin.KindTrap, says: "unreachable"},
		{
			name: "trap in _initialize", code: module(initializes(func(g *guestkit.Module) guestkit.Code { return guestkit.Seq(g.Log(3, "no luck"), guestkit.Trap) })),
			stage: "init", kind: plugin.KindTrap, says: "unreachable: no luck",
		},
		{
			name: "exit in _initialize", code: module(initializes(func(*guestkit.Module) guestkit.Code {
				return guestkit.Seq(guestkit.I32(0), guestkit.Call(guestkit.ProcExit))
			})),
			stage: "init", kind: plugin.KindExit, says: "the code 0",
		},
		{
			name: "host_call in _initialize", code: module(initializes(func(g *guestkit.Module) guestkit.Code { return g.HostCall("budget", nil, 0) })),
			stage: "init", kind: plugin.KindProtocol, says: "host_call is not available",
		},
		{name: "no describe", code: module(fine().Without("describe")), stage: "link", kind: plugin.KindLink, says: `does not export the function "describe"`},
		{name: "describe returns 0", code: module(describes(guestkit.Nothing)), stage: "describe", kind: plugin.KindProtocol, says: "it returned 0"},
		{name: "describe returns 2", code: module(describes(guestkit.I32(2))), stage: "describe", kind: plugin.KindProtocol, says: "it returned 2"},
		{name: "describe writes nothing", code: module(describes(guestkit.I32(1))), stage: "describe", kind: plugin.KindProtocol, says: "without writing a result"},
		{name: "describe traps", code: module(describes(guestkit.Trap)), stage: "describe", kind: plugin.KindTrap, says: "unreachable"},
		{
			name: "describe calls next", code: module(describes(guestkit.I32(0), guestkit.I32(0), guestkit.Call(guestkit.Next), guestkit.Drop, guestkit.Nothing)),
			stage: "describe", kind: plugin.KindProtocol, says: "next is for wrap hooks",
		},
		{
			name: "bomb as Description", code: module(describesRaw([]byte{0xdd, 0xff, 0xff, 0xff, 0xff})),
			stage: "describe", kind: plugin.KindProtocol, says: "malformed",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fault := loadError(t, plugin.Wasm{Bytes: test.code, Limits: test.limits})
			require.Equal(t, test.stage, fault.Stage, fault.Error())
			require.Equal(t, test.kind, fault.Kind, fault.Error())
			require.Contains(t, fault.Message, test.says)
		})
	}
}

func TestDescriptionFaults(t *testing.T) {
	t.Parallel()
	schema := func(v map[string]any) wire.Raw { return guestkit.MapOf(v) }
	reference := schema(map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": "#"}}})
	hooks := func(spec abi.HookSpec) abi.HookSpecs { return abi.HookSpecs{BeforeModel: &spec} }
	for _, test := range []struct {
		name string
		d    abi.Description
		kind plugin.Kind
		says string
	}{
		{"hook that is not exported", abi.Description{Hooks: abi.HookSpecs{AfterModel: &abi.HookSpec{}}}, plugin.KindProtocol, "hook after_model: it is listed, but not exported"},
		{"tool without call_tool", abi.Description{Tools: []abi.ToolSpec{{Name: "t"}}}, plugin.KindProtocol, `does not export "call_tool"`},
		{"name", abi.Description{Name: "two words"}, plugin.KindProtocol, `its name "two words"`},
		{"field twice", abi.Description{Fields: []abi.FieldSpec{{Name: "a", Lifetime: "run"}, {Name: "a", Lifetime: "run"}}}, plugin.KindProtocol, "appears twice"},
		{"lifetime", abi.Description{Fields: []abi.FieldSpec{{Name: "a", Lifetime: "ever"}}}, plugin.KindProtocol, `lifetime is "ever"`},
		{"reducer", abi.Description{Fields: []abi.FieldSpec{{Name: "a", Lifetime: "run", Reducer: "max"}}}, plugin.KindProtocol, `reducer is "max"`},
		{"field with a reference", abi.Description{Fields: []abi.FieldSpec{{Name: "a", Lifetime: "run", Schema: reference}}}, plugin.KindProtocol, `"$ref" is not allowed`},
		{"config with a reference", abi.Description{ConfigSchema: reference}, plugin.KindProtocol, `"$ref" is not allowed`},
		{
			"config that is not an object",
			abi.Description{ConfigSchema: schema(map[string]any{"type": "string"})},
			plugin.KindProtocol,
			`config_schema: its type must be "object"`,
		},
		{
			"config with a default that does not fit",
			abi.Description{ConfigSchema: schema(map[string]any{"type": "object", "properties": map[string]any{
				"inner": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "default": "three"}}},
			}})},
			plugin.KindProtocol, `the default of "n" does not fit its own schema`,
		},
		{"field called messages", abi.Description{Fields: []abi.FieldSpec{{Name: "messages", Lifetime: "run"}}}, plugin.KindProtocol, `the name "messages", which the host reserves`},
		{"field called jump_to", abi.Description{Fields: []abi.FieldSpec{{Name: "jump_to", Lifetime: "run"}}}, plugin.KindProtocol, `the name "jump_to", which the host reserves`},
		{"capability without reason", abi.Description{Capabilities: []abi.Capability{{Op: abi.OpKVGet}}}, plugin.KindProtocol, "has no reason"},
		{
			"required capability",
			abi.Description{Capabilities: []abi.Capability{{Op: abi.OpHTTPFetch, Reason: "weather", Required: true}}},
			plugin.KindDenied, `needs the capability "http.fetch" (weather), which is not granted`,
		},
		{"jump target", abi.Description{Hooks: hooks(abi.HookSpec{CanJumpTo: []string{"mars"}})}, plugin.KindProtocol, `can_jump_to has "mars"`},
		{"tools of a node hook", abi.Description{Hooks: hooks(abi.HookSpec{Tools: []string{"a"}})}, plugin.KindProtocol, "tools is for wrap_tool_call"},
		{"tokens of a node hook", abi.Description{Hooks: hooks(abi.HookSpec{PassesTokens: true})}, plugin.KindProtocol, "passes_tokens is for wrap_model_call"},
		{"foreign field read", abi.Description{Hooks: hooks(abi.HookSpec{Reads: []string{"todos"}})}, plugin.KindProtocol, "add it to grant.reads"},
		{"foreign field written", abi.Description{Hooks: hooks(abi.HookSpec{Writes: []string{"todos"}})}, plugin.KindProtocol, "add it to grant.writes"},
		{"view new of a wrap", abi.Description{Hooks: abi.HookSpecs{WrapModelCall: &abi.HookSpec{Messages: abi.ViewNew()}}}, plugin.KindProtocol, "only node hooks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := guestkit.New(test.d).On("before_model", guestkit.Nothing).On("wrap_model_call", guestkit.Nothing)
			fault := loadError(t, plugin.Wasm{Bytes: g.Bytes()})
			require.Equal(t, "describe", fault.Stage)
			require.Equal(t, test.kind, fault.Kind)
			require.Contains(t, fault.Message, test.says)
		})
	}
}

// TestNarrowing shows that configure may drop what describe said, and must not add to it.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	upper := func() abi.Description {
		return abi.Description{
			ABI: 1, Name: "bad", Version: "1.0.0",
			Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run"}},
			Tools:  []abi.ToolSpec{{Name: "t", Description: "A tool."}},
			Hooks: abi.HookSpecs{
				BeforeModel:  &abi.HookSpec{Messages: abi.ViewLast(2), CanJumpTo: []string{"end"}, Reads: []string{"f"}},
				WrapToolCall: &abi.HookSpec{Tools: []string{"t"}},
			},
		}
	}
	for _, test := range []struct {
		name   string
		change func(d *abi.Description)
		says   string // "": it is allowed
	}{
		{"nothing", func(*abi.Description) {}, ""},
		{"less", func(d *abi.Description) {
			d.Fields, d.Tools, d.Hooks.WrapToolCall = nil, nil, nil
			d.Hooks.BeforeModel = &abi.HookSpec{Messages: abi.ViewLast(1)}
		}, ""},
		{"description of a tool", func(d *abi.Description) { d.Tools[0].Description = "Another." }, ""},
		{"name", func(d *abi.Description) { d.Name = "other" }, "changes the plugin's name"},
		{"version", func(d *abi.Description) { d.Version = "2" }, "changes the plugin's name or version"},
		{"field", func(d *abi.Description) { d.Fields[0].Name, d.Hooks.BeforeModel.Reads = "g", nil }, `field "g"`},
		{"lifetime", func(d *abi.Description) { d.Fields[0].Lifetime = "thread" }, `adds or changes the field "f"`},
		{"tool", func(d *abi.Description) { d.Tools[0].ReturnDirect = true }, `adds or changes the tool "t"`},
		{"capability", func(d *abi.Description) { d.Capabilities = []abi.Capability{{Op: "kv.get", Reason: "r"}} }, `the capability "kv.get"`},
		{"hook", func(d *abi.Description) { d.Hooks.AfterModel = &abi.HookSpec{} }, "adds the hook after_model"},
		{"jump", func(d *abi.Description) { d.Hooks.BeforeModel.CanJumpTo = []string{"model"} }, "widens can_jump_to of the hook before_model"},
		{"view", func(d *abi.Description) { d.Hooks.BeforeModel.Messages = abi.ViewLast(3) }, "widens messages"},
		{"view all", func(d *abi.Description) { d.Hooks.BeforeModel.Messages = abi.ViewAll() }, "widens messages"},
		{"all tools", func(d *abi.Description) { d.Hooks.WrapToolCall.Tools = nil }, "widens tools"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			narrow := upper()
			test.change(&narrow)
			g := guestkit.New(upper())
			g.On("configure", g.Say(guestkit.Document(&narrow)))
			for _, export := range []string{"before_model", "after_model", "wrap_tool_call", "call_tool"} {
				g.On(export, guestkit.Nothing)
			}
			w := plugin.Wasm{Bytes: g.Bytes()}
			if test.says == "" {
				setup(t, w)
				return
			}
			fault := loadError(t, w)
			require.Equal(t, "configure", fault.Stage)
			require.Equal(t, plugin.KindProtocol, fault.Kind)
			require.Contains(t, fault.Message, test.says)
		})
	}
}

func TestConfigureMayRefuse(t *testing.T) {
	t.Parallel()
	g := guestkit.Fine()
	g.On("configure", g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "config", Message: "no\x1b[31m such word"}})))
	fault := loadError(t, plugin.Wasm{Bytes: g.Bytes()})
	require.Equal(t, plugin.KindGuest, fault.Kind)
	require.Equal(t, "config: no [31m such word", fault.Message)
	require.ErrorAs(t, fault, new(*abi.Error))
}

func TestFileFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := filepath.Join(dir, "big.wasm")
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, plugin.MaxModuleSize+1))
	for path, says := range map[string]string{
		filepath.Join(dir, "none.wasm"): "no such file", dir: "is a directory", big: "is larger than the limit of 33554432 bytes",
	} {
		_, err := host.New(host.Config{Model: &searcher{}, Middleware: []host.Middleware{plugin.Wasm{Path: path}}})
		require.ErrorContains(t, err, says)
	}
	_, err := host.New(host.Config{Model: &searcher{}, Middleware: []host.Middleware{plugin.Wasm{OnFailure: "maybe"}}})
	require.ErrorContains(t, err, `on_failure is "maybe"`)
	require.Equal(t, "redact", plugin.Wasm{Path: "a/redact.wasm"}.Name())
	require.Equal(t, "mine", plugin.Wasm{ID: "mine", Path: "a/redact.wasm"}.Name())
	require.Equal(t, "plugin", plugin.Wasm{}.Name())
}

// A limit that does not depend on the operator's is not to be raised.
func TestFaultsOfLoadingAdviseNothingThatDoesNotHelp(t *testing.T) {
	t.Parallel()
	endless := guestkit.Fine()
	endless.On("configure", guestkit.Forever(), guestkit.Nothing)
	fault := loadError(t, plugin.Wasm{Bytes: endless.Bytes()})
	require.Contains(t, []plugin.Kind{plugin.KindFuel, plugin.KindDeadline}, fault.Kind)
	require.Contains(t, fault.Message, "this limit is fixed while a plugin is loaded, so the module must do less there")
	require.NotContains(t, fault.Message, "raise")
}

// A path such as "." has no name that a plugin could get.
func TestAPluginAlwaysHasAName(t *testing.T) {
	t.Parallel()
	for path, name := range map[string]string{
		"": "plugin", ".": "plugin", "..": "plugin", "/": "plugin", "a/..": "plugin", ".wasm": "plugin", "a/b.wasm": "b", "a/b": "b",
	} {
		require.Equal(t, name, plugin.Wasm{Path: path}.Name(), path)
	}
}
