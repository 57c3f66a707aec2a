//go:build !no_extism

package extism

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Extism is the contract for Extism plugins.
type Extism struct{}

var _ contract.Contract = Extism{}

// Name returns the name that messages use.
func (Extism) Name() string { return "Extism" }

// module is a module that a guest imports from.
type module struct {
	name      string // name in the guest
	host      string // name in the host, where the SDK has its own module of that name
	functions []function
}

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

// Import returns the host's name for a module that Extism plugins import from.
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
		return fmt.Errorf("it imports the unknown function %s.%s; this host has %s", from, name, strings.Join(names, ", "))
	}
	f := &m.functions[i]
	if !slices.Equal(t.Params, f.params) || !slices.Equal(t.Results, f.results) {
		return fmt.Errorf("it imports %s.%s with the wrong parameters or results", from, name)
	}
	return nil
}

// CheckExport checks one export whose name has a meaning in the ABI.
func (Extism) CheckExport(name string, t wasmbin.FuncType) error {
	if len(t.Params) == 0 && (len(t.Results) == 0 || slices.Equal(t.Results, []api.ValueType{i32})) {
		return nil
	}
	return fmt.Errorf("it exports %s with parameters, or with a result other than i32; an export of an Extism plugin must have neither", name)
}
