// Package extism lets [github.com/agenthost/agenthost/host/plugin] load plugins that were built with a PDK of Extism, of
// which there are fifteen, for as many languages. Give its contract to the engine:
//
//	engine, err := plugin.NewEngine(plugin.EngineConfig{Contracts: []plugin.Contract{extism.Extism{}}})
//
// A module that imports from extism:host/env is an Extism plugin. Its exports have the names of the ABI: describe, configure,
// the hooks and call_tool. Each is given the ABI's document as its input, and sets the ABI's document as its output; an empty
// output says nothing, and a return code that is not 0, or an error that was set, is an error of the plugin's own. Documents
// are msgpack, or JSON if the plugin writes its Description as JSON. next and host_call of the ABI are functions of
// extism:host/user with the same names. SPEC.md says all of it.
//
// The plugin is checked, metered, limited, granted, recorded and replaced as any other. Extism's own HTTP, files and
// variables are off: the capabilities are in their place.
//
// The module is compiled and instantiated by Extism's SDK, but what it imports are functions of this package. Those of the SDK
// keep blocks of memory in a module beside the guest, where the guest can overwrite the headers between them; a header
// that leads to itself lets that module run for ever, and no fuel ends it.
package extism

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/internal/wasmbin"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// Extism is the contract of Extism's plugins.
type Extism struct{}

var _ contract.Contract = Extism{}

// Name is how messages call it.
func (Extism) Name() string { return "Extism" }

// module is a module that a guest imports from.
type module struct {
	name      string // in the guest
	host      string // in the host, where the SDK has one of that name
	functions []function
}

const (
	envModule  = "extism:host/env"
	userModule = "extism:host/user"
)

func modules() []module {
	return []module{
		{envModule, "agenthost_extism", envFunctions()},
		{userModule, userModule, userFunctions()},
	}
}

func moduleOf(name string) *module {
	for _, m := range modules() {
		if m.name == name {
			return &m
		}
	}
	return nil
}

// Speaks reports whether a module imports from Extism's modules.
func (Extism) Speaks(m *preflight.Module) bool {
	return slices.ContainsFunc(m.Imports, func(i preflight.Import) bool { return moduleOf(i.Module) != nil })
}

// Import says where a module of Extism's is in the host.
func (Extism) Import(name string) string {
	if m := moduleOf(name); m != nil {
		return m.host
	}
	return name
}

// CheckImport checks one import.
func (Extism) CheckImport(from, name string, t wasmbin.FuncType) error {
	m := moduleOf(from)
	if m == nil {
		return fmt.Errorf("it imports %s.%s; an Extism plugin may import only from %q, %q and WASI", from, name, envModule, userModule)
	}
	i := slices.IndexFunc(m.functions, func(f function) bool { return f.name == name })
	if i < 0 {
		names := make([]string, len(m.functions))
		for n := range m.functions {
			names[n] = m.functions[n].name
		}
		return fmt.Errorf("it imports %s.%s, which this host does not have; there are %s", from, name, strings.Join(names, ", "))
	}
	f := &m.functions[i]
	if !slices.Equal(t.Params, f.params) || !slices.Equal(t.Results, f.results) {
		return fmt.Errorf("it imports %s.%s with other parameters or results than it has", from, name)
	}
	return nil
}

// CheckExport checks one export that has a meaning.
func (Extism) CheckExport(name string, t wasmbin.FuncType) error {
	if len(t.Params) == 0 && (len(t.Results) == 0 || slices.Equal(t.Results, []api.ValueType{i32})) {
		return nil
	}
	return fmt.Errorf("it exports %s with parameters, or another result than i32; an export of an Extism plugin has none", name)
}
