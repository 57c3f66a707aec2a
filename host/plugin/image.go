package plugin

import (
	"context"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Isolation says what a call of a plugin may see of earlier calls.
type Isolation string

// The isolation levels.
const (
	IsolatePool Isolation = "pool" // whatever the instance kept; "" means the same
	IsolateCall Isolation = "call" // nothing left in memory or globals: both are reset to their state after configure
)

// image is the state of an instance after configure, restored before each call. Only then do equal inputs use equal fuel.
type image struct {
	memory  []byte
	globals []imageGlobal
}

type imageGlobal struct {
	global api.MutableGlobal
	value  uint64
}

// restorable reports whether an image captures the whole state of an instance of the module. If it does not, each call gets
// a new instance.
func restorable(m *preflight.Module) bool {
	for _, g := range m.Globals {
		switch g.Type {
		case wasmbin.TypeI32, wasmbin.TypeI64, wasmbin.TypeF32, wasmbin.TypeF64:
		default:
			if g.Mutable {
				return false
			}
		}
	}
	return !m.Lasting
}

// takeImage records the instance's current state.
func (i *instance) takeImage(ctx context.Context) error {
	size := int64(len(i.memory.bytes))
	if err := i.memory.budget.wait(ctx, size); err != nil {
		return i.plugin.crowded(stageInstantiate, err)
	}
	i.memory.image = size
	img := &image{memory: slices.Clone(i.memory.bytes)}
	for n := range i.plugin.globals {
		global, ok := i.module.ExportedGlobal(meter.Global(i.plugin.globals[n])).(api.MutableGlobal)
		if !ok {
			return i.plugin.fault(stageInstantiate, KindProtocol, "a global of it cannot be reached", nil)
		}
		img.globals = append(img.globals, imageGlobal{global, global.Get()})
	}
	i.image = img
	return nil
}

// ready prepares the instance for another call. It reports false if it cannot: memory cannot shrink.
func (i *instance) ready() bool {
	switch {
	case i.plugin.isolation != IsolateCall || i.calls == 0:
		return true
	case i.image == nil || len(i.memory.bytes) != len(i.image.memory):
		return false
	}
	copy(i.memory.bytes, i.image.memory)
	for _, g := range i.image.globals {
		g.global.Set(g.value)
	}
	return true
}
