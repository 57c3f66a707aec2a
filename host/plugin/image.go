package plugin

import (
	"context"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/internal/wasmbin"
	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// Isolation says what a call of a plugin may find of the calls before it.
type Isolation string

// The isolations.
const (
	IsolatePool Isolation = "pool" // whatever the instance kept; what "" means
	IsolateCall Isolation = "call" // nothing that it left in memory or globals: they are what they were after configure
)

// image is what an instance was after configure, and is made again before each call. Only then do equal inputs use equal
// fuel.
type image struct {
	memory  []byte
	globals []imageGlobal
}

type imageGlobal struct {
	global api.MutableGlobal
	value  uint64
}

// restorable reports whether an image says everything about an instance of the module. If it does not, each call gets an
// instance of its own.
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

// takeImage remembers what the instance is now.
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

// ready makes the instance ready for another call. It reports whether it could: memory cannot shrink.
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
