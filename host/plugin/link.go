package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// wasiModule is the only module, apart from the ABI's own, that a guest may import from.
const wasiModule = "wasi_snapshot_preview1"

// checkInterface checks the module's imports and exports before it is compiled.
func (p *Plugin) checkInterface(m *preflight.Module) error {
	if err := p.checkImports(m); err != nil {
		return p.fault(stageLink, KindLink, err.Error(), err)
	}
	if err := p.checkExports(m); err != nil {
		return p.fault(stageLink, KindLink, err.Error(), err)
	}
	return nil
}

func (p *Plugin) checkImports(m *preflight.Module) error {
	for _, i := range m.Imports {
		module, name, t := i.Module, i.Name, m.Types[i.Type]
		switch {
		case module == wasiModule:
			def, ok := wasiDefinitions()[name]
			if !ok {
				return fmt.Errorf("it imports %s.%s, which does not exist", wasiModule, clean(name, 64))
			}
			if err := checkSignature(t, module, name, def.ParamTypes(), def.ResultTypes()); err != nil {
				return err
			}
		case p.contract != nil:
			if err := p.contract.CheckImport(clean(module, 64), clean(name, 64), t); err != nil {
				return err
			}
		case module == abi.Module:
			if err := checkImport(name, t); err != nil {
				return err
			}
		case strings.HasPrefix(module, "agenthost_v"):
			return fmt.Errorf("it imports from %q; this host has ABI %d.%d, module %q", clean(module, 64), abi.Major, abi.Minor, abi.Module)
		case strings.HasPrefix(module, "extism:host/"):
			return fmt.Errorf("it is an Extism plugin: it imports %s.%s, and this host was not given Extism's contract", clean(module, 64), clean(name, 64))
		default:
			return fmt.Errorf("it imports %s.%s; a guest may import only from %q and %q",
				clean(module, 64), clean(name, 64), abi.Module, wasiModule)
		}
	}
	return nil
}

func checkImport(name string, t wasmbin.FuncType) error {
	want := importByName(name)
	if want == nil {
		return fmt.Errorf("it imports %s.%s, which no minor up to this host's ABI %d.%d has; there are %s",
			abi.Module, clean(name, 64), abi.Major, abi.Minor, strings.Join(importNames(), ", "))
	}
	return checkSignature(t, abi.Module, name, want.params, want.results)
}

func checkSignature(t wasmbin.FuncType, module, name string, params, results []api.ValueType) error {
	if slices.Equal(t.Params, params) && slices.Equal(t.Results, results) {
		return nil
	}
	return fmt.Errorf("it imports %s.%s as %s, but it is %s", module, name, signature(t.Params, t.Results), signature(params, results))
}

func (p *Plugin) checkExports(m *preflight.Module) error {
	functions, memory := map[string]wasmbin.FuncType{}, false
	for _, e := range m.Exports {
		switch e.Kind {
		case preflight.KindFunction:
			t, _ := m.FunctionType(e.Index)
			functions[e.Name] = m.Types[t]
			if int(e.Index) < len(m.Imports) && hasMeaning(e.Name) {
				return fmt.Errorf("it exports %s, which is what it imports; it must be a function of its own", e.Name)
			}
		case preflight.KindMemory:
			memory = memory || e.Name == abi.Memory
		}
	}
	if p.contract != nil {
		return p.checkForeignExports(functions)
	}
	if _, ok := functions[abi.Marker]; !ok {
		for name := range functions {
			if strings.HasPrefix(name, "agenthost_abi_v") {
				return fmt.Errorf("it is built for %s; this host has ABI %d.%d, %s", clean(name, 64), abi.Major, abi.Minor, abi.Marker)
			}
		}
		return fmt.Errorf("it is not an agenthost plugin: it does not export the function %q", abi.Marker)
	}
	if !memory {
		return fmt.Errorf("it does not export its memory as %q", abi.Memory)
	}
	for name, t := range functions {
		if err := checkExport(name, t); err != nil {
			return err
		}
	}
	return checkDescribes(functions)
}

func checkDescribes(functions map[string]wasmbin.FuncType) error {
	if _, ok := functions[abi.ExportDescribe]; !ok {
		return fmt.Errorf("it does not export the function %q", abi.ExportDescribe)
	}
	return nil
}

// checkForeignExports checks the exports of a module that is written for another contract.
func (p *Plugin) checkForeignExports(functions map[string]wasmbin.FuncType) error {
	for name, t := range functions {
		if !hasMeaning(name) || name == abi.Marker || name == abi.Initialize {
			continue
		}
		if err := p.contract.CheckExport(name, t); err != nil {
			return err
		}
	}
	return checkDescribes(functions)
}

// hasMeaning reports whether the ABI defines an export of this name.
func hasMeaning(name string) bool {
	switch name {
	case abi.Marker, abi.Initialize, abi.ExportDescribe, abi.ExportConfigure, abi.ExportCallTool:
		return true
	default:
		return slices.Contains(abi.Hooks(), abi.Hook(name))
	}
}

// checkExport checks the signature of an export that the ABI defines.
func checkExport(name string, t wasmbin.FuncType) error {
	if !hasMeaning(name) {
		return nil
	}
	params, results := []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}
	switch name {
	case abi.Marker, abi.Initialize:
		params, results = nil, nil
	case abi.ExportDescribe:
		params = nil
	}
	if slices.Equal(t.Params, params) && slices.Equal(t.Results, results) {
		return nil
	}
	return fmt.Errorf("it exports %s as %s, but it must be %s", name, signature(t.Params, t.Results), signature(params, results))
}

func signature(params, results []api.ValueType) string {
	return "(" + typeNames(params) + ") -> (" + typeNames(results) + ")"
}

func typeNames(types []api.ValueType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = api.ValueTypeName(t)
	}
	return strings.Join(names, " ")
}
