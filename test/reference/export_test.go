package reference

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// Twins is a flavor that performs probes in instances of m, recorded, and tells with which module another one would
// perform them.
func (m *Module) Twins(other *Module, r plugin.Recorder, twin func(plugin.Wasm)) Flavor {
	return Flavor{"recorded", func(spec *MiddlewareSpec, record *recorder, declared []string) (host.Middleware, error) {
		_, theirs, err := other.wasmProbe(spec, record, declared)
		if err != nil {
			return nil, err
		}
		twin(theirs)
		probe, ours, err := m.wasmProbe(spec, record, declared)
		if err != nil {
			return nil, err
		}
		ours.Recorder = r
		probe.Middleware = ours
		return probe, nil
	}}
}

// wasmProbe is the middleware of a probe, and the plugin that performs it.
func (m *Module) wasmProbe(spec *MiddlewareSpec, record *recorder, declared []string) (*wasmProbe, plugin.Wasm, error) {
	middleware, err := m.newProbe(spec, record, declared)
	if err != nil {
		return nil, plugin.Wasm{}, err
	}
	probe, _ := middleware.(*wasmProbe)    // that is what newProbe makes
	w, _ := probe.Middleware.(plugin.Wasm) // of this
	return probe, w, nil
}

// AsJSON is asJSON.
var AsJSON = asJSON
