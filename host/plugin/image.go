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

// image is the state of an instance between two calls: its memory, and its mutable globals in the order of Plugin.globals. With
// isolation, it is restored before each call. Only then do equal inputs use equal fuel.
//
// A guest's initialization and configure get the same input, time and random numbers in every instance, so the image of the first
// instance serves them all. Later instances start from it: a script is evaluated once, however many instances it has.
type image struct {
	size       int    // of the memory, in bytes
	memory     []byte // nil: it is in the file
	file       *imageFile
	globals    []uint64
	configured bool // taken after configure; otherwise, after the guest's initialization
}

// mappedSize is the size from which a memory is mapped rather than copied, in bytes. The interpreter of Python has 11 MiB, of which a
// hook writes to a tenth.
const mappedSize = 4 << 20

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

// takesImages reports whether the module is prepared for images: its mutable globals are exported.
func (p *Plugin) takesImages() bool { return p.isolation == IsolateCall || p.source != nil }

// sharesImage reports whether all instances start from one image. Other contracts keep state of an instance in the host as well.
func (p *Plugin) sharesImage() bool { return p.takesImages() && p.restorable && p.contract == nil }

// shareImage makes the instance's current state the image from which later instances start. It is called only while the plugin is
// loaded.
func (i *instance) shareImage(ctx context.Context, configured bool) error {
	p := i.plugin
	size := int64(len(i.memory.bytes))
	if err := p.engine.memory.wait(ctx, size); err != nil {
		return p.crowded(stageInstantiate, err)
	}
	p.dropImage()
	img, err := i.takeImage()
	if err != nil {
		p.engine.memory.release(size)
		return err
	}
	img.configured = configured
	if p.maps(img) {
		room := min(img.size+img.size/4, int(p.limits.Memory)) &^ (pageSize - 1)
		if img.file, err = newImageFile(img.memory, max(room, img.size)); err == nil {
			img.memory = nil
		} // otherwise, instances copy it
	}
	p.image = img
	return nil
}

// maps reports whether instances map an image. They start with a memory that serves another purpose, so no code may see it, and must
// grow to change it for the image.
func (p *Plugin) maps(img *image) bool {
	return img.size >= mappedSize && int64(img.size) > p.firstMemory && !p.starts
}

// blank returns memory with nothing but the module's data in it, or zeros, to which a starting instance writes that data again. So the
// pages of the mapping that replaces it are not touched.
func (p *Plugin) blank() *[]byte {
	if kept, ok := p.blanks.Get().(*[]byte); ok {
		return kept
	}
	return new(make([]byte, p.firstMemory))
}

// dropImage gives the shared image's part of the budget back.
func (p *Plugin) dropImage() {
	if p.image == nil {
		return
	}
	p.engine.memory.release(int64(p.image.size))
	if p.image.file != nil {
		_ = p.image.file.close() // nothing is written to it any more
	}
	p.image = nil
}

// ownImage makes the instance's current state the image that is restored before each of its own calls.
func (i *instance) ownImage(ctx context.Context) (err error) {
	size := int64(len(i.memory.bytes))
	if err := i.memory.budget.wait(ctx, size); err != nil {
		return i.plugin.crowded(stageInstantiate, err)
	}
	i.memory.image = size
	i.image, err = i.takeImage()
	return err
}

// takeImage copies the instance's current state.
func (i *instance) takeImage() (*image, error) {
	if err := i.findGlobals(); err != nil {
		return nil, err
	}
	img := &image{size: len(i.memory.bytes), memory: slices.Clone(i.memory.bytes)}
	for _, g := range i.globals {
		img.globals = append(img.globals, g.Get())
	}
	return img, nil
}

func (i *instance) findGlobals() error {
	if i.globals != nil {
		return nil
	}
	for _, n := range i.plugin.globals {
		global, ok := i.module.ExportedGlobal(meter.Global(n)).(api.MutableGlobal)
		if !ok {
			return i.plugin.fault(stageInstantiate, KindProtocol, "a global of it cannot be reached", nil)
		}
		i.globals = append(i.globals, global)
	}
	return nil
}

// startFrom puts a new instance into the state of the shared image.
func (i *instance) startFrom(img *image) error {
	if err := i.findGlobals(); err != nil {
		return err
	}
	if img.file != nil {
		if err := i.memory.mapNext(img.file); err != nil {
			return i.plugin.fault(stageInstantiate, KindMemory, "its memory cannot be mapped: "+err.Error(), err)
		}
	}
	if more := img.size - len(i.memory.bytes); more > 0 {
		if _, ok := i.module.Memory().Grow(uint32(more / pageSize)); !ok {
			return i.plugin.fault(stageInstantiate, KindMemory, "its memory cannot grow to the size that its first instance had", nil)
		}
	}
	copy(i.memory.bytes, img.memory)
	i.setGlobals(img)
	return nil
}

func (i *instance) setGlobals(img *image) {
	for n, g := range i.globals {
		g.Set(img.globals[n])
	}
}

// ready prepares the instance for another call. It reports false if it cannot: memory cannot shrink.
func (i *instance) ready() bool {
	switch {
	case i.plugin.isolation != IsolateCall || i.calls == 0:
		return true
	case i.image == nil || len(i.memory.bytes) != i.image.size:
		return false
	case i.image.file == nil:
		copy(i.memory.bytes, i.image.memory)
	case resetMapped(i.memory.mapped) != nil:
		return false
	}
	i.setGlobals(i.image)
	return true
}
