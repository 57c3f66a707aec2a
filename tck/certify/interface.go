package certify

import (
	"slices"

	"github.com/tetratelabs/wazero/api" //nolint:depguard // the kit is a host of its own

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// checkInterface checks the module's imports and exports. It reports whether the module can be linked.
func (c *certifier) checkInterface() bool {
	failed := len(c.report.Failed(false))
	info := c.machine.info
	c.checkf("module.memory", slices.ContainsFunc(info.Exports, func(e preflight.Export) bool {
		return e.Kind == preflight.KindMemory && e.Name == abi.Memory
	}), "no memory is exported as %q", abi.Memory)
	_, _, marked := c.machine.exported(abi.Marker)
	c.checkf("module.marker", marked, "it does not export %s", abi.Marker)
	_, _, described := c.machine.exported(abi.ExportDescribe)
	c.checkf("module.describe", described, "it does not export %s", abi.ExportDescribe)
	for name, want := range exportTypes() {
		if params, results, ok := c.machine.exported(name); ok {
			c.checkf("module.exports", sameTypes(params, want.params) && sameTypes(results, want.results),
				"it exports %s as %s, but the type must be %s", name, signature(params, results), signature(want.params, want.results))
		}
	}
	for _, i := range info.Imports {
		c.checkImport(i.Module, i.Name, info.Types[i.Type].Params, info.Types[i.Type].Results)
	}
	return len(c.report.Failed(false)) == failed
}

type functionType struct{ params, results []api.ValueType }

// exportTypes are the types of the exports that have a meaning.
func exportTypes() map[string]functionType {
	i32 := []api.ValueType{api.ValueTypeI32}
	types := map[string]functionType{
		abi.Marker: {}, abi.Initialize: {}, abi.ExportDescribe: {nil, i32}, abi.ExportConfigure: {i32, i32}, abi.ExportCallTool: {i32, i32},
	}
	for _, hook := range abi.Hooks() {
		types[string(hook)] = functionType{i32, i32}
	}
	return types
}

func (c *certifier) checkImport(module, name string, params, results []api.ValueType) {
	var want functionType
	known := false
	switch module {
	case abi.Module:
		for _, f := range importedFunctions() {
			if f.name == name {
				want, known = functionType{f.params, f.results}, true
			}
		}
	case wasiModule:
		want.params, want.results, known = c.machine.wasiType(name)
	}
	c.checkf("module.imports", known, "it imports the unknown function %s.%s", printable(module), printable(name))
	if known {
		c.checkf("module.imports", sameTypes(params, want.params) && sameTypes(results, want.results),
			"it imports %s.%s as %s, but the type is %s", module, name, signature(params, results), signature(want.params, want.results))
	}
}
