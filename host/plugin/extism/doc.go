// Package extism lets [github.com/agenthost/agenthost/host/plugin] load plugins that were built with one of Extism's
// fifteen PDKs, each for another language. Pass its contract to the engine:
//
//	engine, err := plugin.NewEngine(plugin.EngineConfig{Contracts: []plugin.Contract{extism.Extism{}}})
//
// A module that imports from extism:host/env is an Extism plugin. Its exports have the names of the ABI: describe, configure,
// the hooks and call_tool. Each export reads a document of the ABI as its input, and sets a document of the ABI as its
// output. An empty output means no result. A return code other than 0, or an error that was set, is an ordinary error of the
// plugin. Documents are msgpack, or JSON if the plugin writes its Description as JSON. The functions next and host_call of
// the ABI are functions of extism:host/user with the same names. SPEC.md has the details.
//
// The host checks, meters, limits, records and replaces such a plugin like any other, and grants it the same
// capabilities. Extism's own HTTP, files and variables are off; use the capabilities instead.
//
// Extism's SDK compiles and instantiates the module, but the imports are functions of this package. The SDK's own functions
// keep blocks of memory in a second module, and the guest can overwrite the headers between the blocks. A header that points
// to itself makes that module run forever, and no fuel stops it.
package extism

// These modules have the functions that Extism plugins import.
const (
	envModule  = "extism:host/env"
	userModule = "extism:host/user"
)
