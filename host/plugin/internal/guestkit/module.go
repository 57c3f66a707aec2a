// Package guestkit writes guests of the ABI instruction by instruction, so that a test shows the one thing that its guest
// does. [New] and [Hooked] make a [Module] that loads. The test adds exports to it, and whatever its guest does wrong.
//
// The tests of packages plugin and author, the corpus of package hostile and the adapters of package extismtest use this
// package. An agent does not.
package guestkit

import (
	"encoding/binary"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Module is a guest. Its parts may be changed in any way before [Module.Bytes] writes it.
type Module struct {
	wasmbin.Module // its Data holds further segments

	data []byte // content of the memory at DataStart
}

// The memory: a page for small values, a page to read documents into, and then the data.
const (
	Buffer    = 64 << 10  // where guests read documents
	DataStart = 128 << 10 // where [Module.Put] puts the first bytes
	MinPages  = 3         // the size of the memory; it is larger if the Description is
)

// kindMemory is the kind of an export.
const kindMemory = 2

// Pages returns the limits of a memory that starts with n pages.
func Pages(n int) []byte { return append([]byte{0}, wasmbin.U32(n)...) }

// Bare makes a module that has the imports and exports its memory, but has no functions yet.
func Bare() *Module {
	return &Module{Module: wasmbin.Module{
		Imports: imports(), Memory: Pages(MinPages), Exports: [][]byte{wasmbin.Export(abi.Memory, kindMemory, 0)},
	}}
}

// New makes a module that describes itself as d and has no hooks yet. New fills in a missing name or version.
func New(d abi.Description) *Module {
	d.ABI = abi.Major
	if d.Name == "" {
		d.Name = "guest"
	}
	if d.Version == "" {
		d.Version = "1.0.0"
	}
	m := Bare().Add(wasmbin.Function{Name: abi.Marker})
	m.Describe(m.Say(Document(&d)))
	m.Memory = Pages(MinPages + len(m.data)>>16)
	return m
}

// Hooked makes a module that declares one hook. The caller must still add its code.
func Hooked(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) *Module {
	return New(Describing(hook, spec, fields...))
}

// Describing returns a Description with one hook.
func Describing(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) abi.Description {
	d := abi.Description{Fields: fields}
	switch hook {
	case abi.BeforeAgent:
		d.Hooks.BeforeAgent = &spec
	case abi.BeforeModel:
		d.Hooks.BeforeModel = &spec
	case abi.AfterModel:
		d.Hooks.AfterModel = &spec
	case abi.AfterAgent:
		d.Hooks.AfterAgent = &spec
	case abi.WrapModelCall:
		d.Hooks.WrapModelCall = &spec
	case abi.WrapToolCall:
		d.Hooks.WrapToolCall = &spec
	}
	return d
}

// Fine makes a module with a before_model that changes nothing.
func Fine() *Module {
	return Hooked(abi.BeforeModel, abi.HookSpec{}).On(string(abi.BeforeModel), Nothing)
}

// On adds an export of the type (i32) -> i32, which has one variable of 32 bits besides its parameter.
func (m *Module) On(export string, body ...Code) *Module {
	return m.Add(wasmbin.Function{
		Name: export, Params: wasmbin.I32, Results: wasmbin.I32, Locals: wasmbin.Locals(1, wasmbin.I32), Body: Seq(body...),
	})
}

// Describe replaces the body of describe.
func (m *Module) Describe(body ...Code) *Module {
	return m.Without(abi.ExportDescribe).Add(wasmbin.Function{Name: abi.ExportDescribe, Results: wasmbin.I32, Body: Seq(body...)})
}

// Add adds a function. Its index is what Next returned before.
func (m *Module) Add(f wasmbin.Function) *Module {
	m.Functions = append(m.Functions, f)
	return m
}

// Without removes an export.
func (m *Module) Without(export string) *Module {
	m.Module.Without(export)
	return m
}

// CallTree adds depth functions, each of which calls the next one twice, and returns the index of the first. A call of it
// runs for ages without a loop.
func (m *Module) CallTree(depth int) int {
	first := m.Next()
	for range depth - 1 {
		m.Add(wasmbin.Function{Body: Repeat(2, Call(m.Next()+1)...)})
	}
	m.Add(wasmbin.Function{})
	return first
}

// Put puts bytes into the memory and returns their address.
func (m *Module) Put(b []byte) int {
	at := DataStart + len(m.data)
	m.data = append(m.data, b...)
	return at
}

// Place puts bytes into the memory and leaves their pointer and length.
func (m *Module) Place(b []byte) Code { return Seq(I32(m.Put(b)), I32(len(b))) }

// Erase overwrites everything that was put into the memory with zeros.
func (m *Module) Erase() Code { return Seq(I32(DataStart), I32(0), I32(len(m.data)), Fill) }

// Write calls result_write.
func (m *Module) Write(doc []byte) Code { return Seq(m.Place(doc), Call(ResultWrite), Drop) }

// Say writes a result and leaves 1.
func (m *Module) Say(doc []byte) Code { return Seq(m.Write(doc), I32(1)) }

// Log calls log.
func (m *Module) Log(level int, text string) Code {
	return Seq(I32(level), m.Place([]byte(text)), Call(Log))
}

// Print writes to a descriptor.
func (m *Module) Print(fd int, text string) Code {
	vector := binary.LittleEndian.AppendUint32(nil, uint32(m.Put([]byte(text))))
	at := m.Put(binary.LittleEndian.AppendUint32(vector, uint32(len(text))))
	written := m.Put(make([]byte, 4))
	return Seq(I32(fd), I32(at), I32(1), I32(written), Call(FdWrite), Drop)
}

// Forward calls next, without a document if doc is nil, and traps unless it has this status.
func (m *Module) Forward(doc []byte, want abi.Status) Code {
	return Seq(m.Place(doc), Call(Next), Expect(want))
}

// Operate calls an operation and leaves the return value of host_call.
func (m *Module) Operate(operation string, doc []byte) Code {
	return Seq(m.Place([]byte(operation)), m.Place(doc), Call(HostCall))
}

// HostCall calls an operation and traps unless it has this status.
func (m *Module) HostCall(operation string, doc []byte, want abi.Status) Code {
	return Seq(m.Operate(operation, doc), Expect(want))
}

// Bytes writes the module. What was put into the memory is its first segment of data, unless it has no memory.
func (m *Module) Bytes() []byte {
	out := m.Module
	if len(m.data) > 0 && m.Memory != nil {
		out.Data = append([][]byte{wasmbin.Data(DataStart, m.data)}, m.Data...)
	}
	return out.Bytes()
}
