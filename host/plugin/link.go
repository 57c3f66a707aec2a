package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
)

// wasiModule is the only module beside the ABI's that a guest may import from.
const wasiModule = "wasi_snapshot_preview1"

// checkInterface checks the module's imports and exports before any of its code runs.
func (p *Plugin) checkInterface() error {
	if err := p.checkImports(); err != nil {
		return p.fault("load", KindLink, err.Error(), err)
	}
	if err := p.checkExports(); err != nil {
		return p.fault("load", KindLink, err.Error(), err)
	}
	return nil
}

func (p *Plugin) checkImports() error {
	if imported := p.module.ImportedMemories(); len(imported) > 0 {
		return fmt.Errorf("it imports a memory; a guest must have its own and export it as %q", abi.Memory)
	}
	for _, f := range p.module.ImportedFunctions() {
		module, name, _ := f.Import()
		switch {
		case module == wasiModule:
			def, ok := p.runtime.Module(wasiModule).ExportedFunctionDefinitions()[name]
			if !ok {
				return fmt.Errorf("it imports %s.%s, which does not exist", wasiModule, clean(name, 64))
			}
			if err := checkSignature(f, module, name, def.ParamTypes(), def.ResultTypes()); err != nil {
				return err
			}
		case module == abi.Module:
			if err := checkImport(name, f); err != nil {
				return err
			}
		case strings.HasPrefix(module, "agenthost_v"):
			return fmt.Errorf("it imports from %q; this host has ABI %d.%d, module %q", clean(module, 64), abi.Major, abi.Minor, abi.Module)
		default:
			return fmt.Errorf("it imports %s.%s; a guest may import only from %q and %q",
				clean(module, 64), clean(name, 64), abi.Module, wasiModule)
		}
	}
	return nil
}

func checkImport(name string, f api.FunctionDefinition) error {
	want := importByName(name)
	if want == nil {
		return fmt.Errorf("it imports %s.%s, which no minor up to this host's ABI %d.%d has; there are %s",
			abi.Module, clean(name, 64), abi.Major, abi.Minor, strings.Join(importNames(), ", "))
	}
	return checkSignature(f, abi.Module, name, want.params, want.results)
}

func checkSignature(f api.FunctionDefinition, module, name string, params, results []api.ValueType) error {
	if slices.Equal(f.ParamTypes(), params) && slices.Equal(f.ResultTypes(), results) {
		return nil
	}
	return fmt.Errorf("it imports %s.%s as %s, but it is %s", module, name,
		signature(f.ParamTypes(), f.ResultTypes()), signature(params, results))
}

func (p *Plugin) checkExports() error {
	exports := p.module.ExportedFunctions()
	if _, ok := exports[abi.Marker]; !ok {
		for name := range exports {
			if strings.HasPrefix(name, "agenthost_abi_v") {
				return fmt.Errorf("it is built for %s; this host has ABI %d.%d, %s", clean(name, 64), abi.Major, abi.Minor, abi.Marker)
			}
		}
		return fmt.Errorf("it is no agenthost plugin: it does not export the function %q%s", abi.Marker, reactorHint(exports))
	}
	if _, ok := p.module.ExportedMemories()[abi.Memory]; !ok {
		return fmt.Errorf("it does not export its memory as %q", abi.Memory)
	}
	i32 := []api.ValueType{api.ValueTypeI32}
	for name, f := range exports {
		params, results, known := i32, i32, true
		switch name {
		case abi.Marker, abi.Initialize:
			params, results = nil, nil
		case abi.ExportDescribe:
			params = nil
		case abi.ExportConfigure, abi.ExportCallTool:
		default:
			known = slices.Contains(abi.Hooks(), abi.Hook(name))
		}
		if known && (!slices.Equal(f.ParamTypes(), params) || !slices.Equal(f.ResultTypes(), results)) {
			return fmt.Errorf("it exports %s as %s, but it must be %s", name,
				signature(f.ParamTypes(), f.ResultTypes()), signature(params, results))
		}
	}
	if _, ok := exports[abi.ExportDescribe]; !ok {
		return fmt.Errorf("it does not export the function %q", abi.ExportDescribe)
	}
	return nil
}

// reactorHint helps who built a command module by mistake.
func reactorHint(exports map[string]api.FunctionDefinition) string {
	if _, ok := exports["_start"]; ok {
		return "; it is a command module: build a reactor, with -buildmode=c-shared in Go and TinyGo or crate-type cdylib in Rust"
	}
	return ""
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
