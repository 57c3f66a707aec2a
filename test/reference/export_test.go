package reference

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// Twins returns a flavor that performs probes in instances of m and records them. It passes the plugin with which
// the other module would perform the same probe to twin.
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

// wasmProbe returns the middleware of a probe, and the plugin that performs it.
func (m *Module) wasmProbe(spec *MiddlewareSpec, record *recorder, declared []string) (*wasmProbe, plugin.Wasm, error) {
	middleware, err := m.newProbe(spec, record, declared)
	if err != nil {
		return nil, plugin.Wasm{}, err
	}
	probe, _ := middleware.(*wasmProbe)    // newProbe always makes a wasmProbe
	w, _ := probe.Middleware.(plugin.Wasm) // whose middleware is a plugin
	return probe, w, nil
}

// AsJSON is asJSON.
var AsJSON = asJSON
