package reference

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/sdk/js"
	"github.com/agenthost/agenthost/sdk/python"
	"github.com/agenthost/agenthost/test/reference/probe"
)

// Module is the probe as a plugin. A plugin declares the bound of what it may do before it sees its configuration,
// which for a probe includes its script. The module is therefore loaded as one of a few variants, each with a bound
// that covers several probes.
type Module struct {
	write    Writer
	engine   *plugin.Engine
	variants []*variant
}

// Writer returns the module with a bound, a Description in msgpack, written into it.
type Writer func(bound []byte) ([]byte, error)

// variant is the module with one bound written into it.
type variant struct {
	bound abi.Description
	code  []byte
}

// NewModule takes what writes a bound into the module, and an engine that the module closes.
func NewModule(write Writer, engine *plugin.Engine) *Module {
	return &Module{write: write, engine: engine}
}

// Placeholder returns the writer of a module in which the bound, after its length in four bytes, replaces a placeholder.
func Placeholder(code, placeholder []byte) (Writer, error) {
	if len(placeholder) < 4 || bytes.Count(code, placeholder) != 1 {
		return nil, errors.New("the module does not hold the placeholder of its bound exactly once")
	}
	return func(bound []byte) ([]byte, error) {
		document := append(binary.LittleEndian.AppendUint32(nil, uint32(len(bound))), bound...)
		if len(document) > len(placeholder) {
			return nil, fmt.Errorf("the bound of the probes takes %d bytes, the module has room for %d", len(document), len(placeholder))
		}
		document = append(document, placeholder[len(document):]...)
		return bytes.Replace(code, placeholder, document, 1), nil
	}, nil
}

// Script returns the writer of a plugin in JavaScript, before whose first line a bound is declared.
func Script(source string) Writer {
	return func(bound []byte) ([]byte, error) {
		return js.Plugin(js.Script{File: "probe.js", Source: fmt.Sprintf("const bound = %s\n%s", wire.Raw(bound).JSON(), source)})
	}
}

// PythonScript returns the writer of a plugin in Python, before whose first line a bound is declared.
func PythonScript(source string) Writer {
	return func(bound []byte) ([]byte, error) {
		// What Go quotes, Python reads.
		declared := fmt.Sprintf("bound = __import__('json').loads(%s)\n%s", strconv.QuoteToASCII(wire.Raw(bound).JSON()), source)
		return python.Plugin(python.Script{File: "probe.py", Files: map[string]string{"probe.py": declared}})
	}
}

// Close releases the compiled code. Close everything that was built with the module first.
func (m *Module) Close() error { return m.engine.Close() }

// Prepare makes the variants that the probes of these vectors need. Call it once.
func (m *Module) Prepare(vectors []*Vector) error {
	for _, v := range vectors {
		for i := range v.Agent.Middleware {
			if p := v.Agent.Middleware[i].Probe; p != nil {
				m.admit(probe.Describe(p, v.declared()))
			}
		}
	}
	for _, v := range m.variants {
		document, err := v.bound.MarshalMsg(nil)
		if err != nil {
			return err
		}
		if v.code, err = m.write(document); err != nil {
			return err
		}
	}
	return nil
}

// admit widens the first variant that agrees with a Description, or starts a new one.
func (m *Module) admit(d *abi.Description) *variant {
	for _, v := range m.variants {
		if probe.Widen(&v.bound, d) {
			return v
		}
	}
	v := &variant{bound: abi.Description{Name: d.Name, Version: d.Version, ABI: d.ABI, ConfigSchema: d.ConfigSchema}}
	probe.Widen(&v.bound, d)
	m.variants = append(m.variants, v)
	return v
}

// Flavor performs probes in instances of the module.
func (m *Module) Flavor(name string) Flavor { return Flavor{name, m.newProbe} }

// newProbe finds a variant whose bound covers the probe.
func (m *Module) newProbe(spec *MiddlewareSpec, record *recorder, declared []string) (host.Middleware, error) {
	d := probe.Describe(spec.Probe, declared)
	for _, v := range m.variants {
		if !probe.Holds(&v.bound, d) {
			continue
		}
		config, err := probe.PluginConfig(spec.Config, declared).Raw().Value()
		if err != nil {
			return nil, err
		}
		keys, _ := config.(map[string]any)
		return &wasmProbe{
			Middleware: plugin.Wasm{
				ID: spec.Probe.Name, Bytes: v.code, Config: keys, Engine: m.engine,
				Grant: plugin.Grant{Reads: granted(&v.bound, read), Writes: granted(&v.bound, written)},
			},
			probe: spec.Probe, record: record,
		}, nil
	}
	return nil, fmt.Errorf("probe %q: the module was not prepared for it", spec.Probe.Name)
}

// wasmProbe performs a probe in a plugin. The tools that it adds to the agent stay native, because they count their
// executions and no instance knows the counts of the others.
type wasmProbe struct {
	host.Middleware
	probe  *probe.Probe
	record *recorder
}

// Hooks loads the plugin.
func (w *wasmProbe) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	hooks, err := w.Middleware.Hooks(ctx, env)
	if err != nil {
		return nil, err
	}
	hooks.Tools = append(hostTools(w.probe.Tools, w.record), hooks.Tools...)
	return hooks, nil
}

func read(h *abi.HookSpec) []string    { return h.Reads }
func written(h *abi.HookSpec) []string { return h.Writes }

// fieldsOf collects the fields that the hooks of a Description read or write.
func fieldsOf(d *abi.Description, of func(*abi.HookSpec) []string) []string {
	var fields []string
	for _, name := range abi.Hooks() {
		if spec := d.Hooks.Spec(name); spec != nil {
			fields = append(fields, of(spec)...)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// granted returns the fields that the hooks of a Description use, and those that it declares, because probes share
// fields.
func granted(d *abi.Description, of func(*abi.HookSpec) []string) []string {
	fields := fieldsOf(d, of)
	for i := range d.Fields {
		fields = append(fields, d.Fields[i].Name)
	}
	return fields
}

// toolRunEvent is the name of the events in which a guest reports that one of its tools runs.
const toolRunEvent = "tool_run"

// guestToolRun records the execution of a guest's tool.
func (r *recorder) guestToolRun(data wire.Raw) {
	var m wire.Map
	_, _ = m.UnmarshalMsg(data)
	call := abi.ToolCall{Args: m.Get("args")}
	call.ID, _ = m.Get("id").AsString()
	name, _ := m.Get("name").AsString()
	r.mu.Lock()
	ai := r.asked
	r.mu.Unlock()
	r.executed(name, &call, &ai)
}
