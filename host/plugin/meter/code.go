package meter

import (
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// bodies appends the functions to dst.
func (r *rewriter) bodies(dst []byte) []byte {
	r.findSmall()
	s := &scan{small: r.small}
	var content []byte
	for i := range r.module.Bodies {
		b := &r.module.Bodies[i]
		t := &r.module.Types[r.module.Functions[i]]
		c := wasmbin.NewPart(r.source, b.Code, b.End)
		s.function(c, r.module, b, t)
		s.charge()
		if c.Err() != nil {
			r.failed = true
			return nil
		}
		if _, small := r.small[uint32(len(r.module.Imports)+i)]; small {
			s.free()
		}
		f := &writer{r, s, splice{module: r.source, out: content[:0]}, uint32(len(t.Params) + b.Locals)}
		content = f.function(b.Start, b.Code, b.End)
		dst = wasmbin.AppendSized(dst, content)
	}
	return dst
}

// smallBody is the maximum size of a small body, in bytes.
const smallBody = 256

// findSmall finds the functions that are charged at the call: they must be reachable only by calls.
func (r *rewriter) findSmall() {
	s := &scan{}
	r.small = map[uint32]int64{}
	for i := range r.module.Bodies {
		b, index := &r.module.Bodies[i], uint32(len(r.module.Imports)+i)
		if b.End-b.Code > smallBody || r.module.Referenced[index] {
			continue
		}
		c := wasmbin.NewPart(r.source, b.Code, b.End)
		s.function(c, r.module, b, &r.module.Types[r.module.Functions[i]])
		s.charge()
		if c.Err() == nil && s.isSmall() {
			r.small[index] = s.segments[0].cost
		}
	}
}

// refillBody returns the body of a function that calls the import.
func (r *rewriter) refillBody() []byte {
	b := wasmbin.AppendU32([]byte{0, wasmbin.OpGlobalGet}, r.global)
	b = wasmbin.AppendU32(append(b, wasmbin.OpCall), r.added)
	b = wasmbin.AppendU32(append(b, wasmbin.OpGlobalSet), r.global)
	return append(b, wasmbin.OpEnd)
}

// writer writes one function. It may need two more local variables: one for the fuel, in some loops, and one for the size
// of an operation.
type writer struct {
	*rewriter
	*scan
	splice

	variables uint32 // including parameters
}

// fuel and size are the local variables that are added.
func (w *writer) fuel() uint32 { return w.variables }
func (w *writer) size() uint32 { return w.variables + 1 }

func (w *writer) function(start, code, end int) []byte {
	w.locals(start, code)
	next := 0
	for i := range w.edits {
		e := &w.edits[i]
		next = w.charges(next, e.at)
		w.upTo(e.at)
		w.edit(e)
	}
	w.charges(next, end)
	w.upTo(end)
	return w.out
}

// locals declares the function's own variables and the added ones.
func (w *writer) locals(start, code int) {
	c := wasmbin.NewPart(w.source, start, code)
	groups := c.U32()
	var added []byte
	switch fuel, size := w.needs(); {
	case size:
		groups += 2
		added = []byte{1, wasmbin.TypeI64, 1, wasmbin.TypeI32}
	case fuel:
		groups++
		added = []byte{1, wasmbin.TypeI64}
	}
	w.out = wasmbin.AppendU32(w.out, groups)
	w.copied = c.At()
	w.upTo(code)
	w.out = append(w.out, added...)
}

// needs reports which variables the function needs.
func (w *writer) needs() (fuel, size bool) {
	for i := range w.loops {
		fuel = fuel || w.local(int32(i))
	}
	for i := range w.edits {
		switch w.edits[i].op {
		case wasmbin.OpMemoryInit, wasmbin.OpMemoryCopy, wasmbin.OpMemoryFill, wasmbin.OpMemoryGrow,
			wasmbin.OpTableInit, wasmbin.OpTableCopy, wasmbin.OpTableGrow, wasmbin.OpTableFill:
			size = true
		}
	}
	return fuel, size
}

// charges writes the charges of the segments from index next that begin at or before the offset.
func (w *writer) charges(next, offset int) int {
	for ; next < len(w.segments) && w.segments[next].at <= offset; next++ {
		s := &w.segments[next]
		if !s.point {
			continue
		}
		w.upTo(s.at)
		local := w.local(s.loop)
		w.load(local || w.local(s.behind))
		w.out = wasmbin.AppendS64(append(w.out, wasmbin.OpI64Const), price(s.cost))
		w.out = append(w.out, wasmbin.OpI64Sub)
		w.store(local)
		if s.header {
			w.look(local)
		}
	}
	return next
}

func (w *writer) edit(e *edit) {
	switch e.op {
	case wasmbin.OpLoop:
		if w.outermost(e.loop) {
			w.index(wasmbin.OpGlobalGet, w.global)
			w.index(wasmbin.OpLocalSet, w.fuel())
		}
	case wasmbin.OpRefFunc:
		w.index(byte(e.op), w.moved(e.index))
		w.copied = e.end
	case wasmbin.OpCall, wasmbin.OpCallIndirect:
		w.call(e)
	case wasmbin.OpBr, wasmbin.OpBrIf, wasmbin.OpBrTable, wasmbin.OpReturn:
		if target := &w.labels[e.target]; w.local(e.loop) && !w.local(target.loop) {
			w.leave(e, target)
		}
	default:
		w.sized(e)
	}
}

// call calls a function of the guest, which reads the fuel from the global and writes it back there.
func (w *writer) call(e *edit) {
	_, small := w.rewriter.small[e.index]
	local := w.local(e.loop) && (e.op == wasmbin.OpCallIndirect || !small)
	if local {
		w.index(wasmbin.OpLocalGet, w.fuel())
		w.index(wasmbin.OpGlobalSet, w.global)
	}
	if e.op == wasmbin.OpCall {
		w.index(wasmbin.OpCall, w.moved(e.index))
		w.copied = e.end
	} else {
		w.upTo(e.end)
	}
	if local {
		w.index(wasmbin.OpGlobalGet, w.global)
		w.index(wasmbin.OpLocalSet, w.fuel())
	}
}

// leave writes the fuel back to the global where a branch leaves the loops that keep it in a variable.
func (w *writer) leave(e *edit, target *label) {
	conditional := e.op == wasmbin.OpBrIf && target.values == 0
	if conditional { // only if it branches
		w.out = append(w.out, wasmbin.OpIf, blockOfNothing)
	}
	w.index(wasmbin.OpLocalGet, w.fuel())
	w.index(wasmbin.OpGlobalSet, w.global)
	if conditional {
		w.index(wasmbin.OpBr, e.index+1)
		w.out = append(w.out, wasmbin.OpEnd)
		w.copied = e.end
	}
}

// sized charges an operation by the number on top of the stack, before it begins.
func (w *writer) sized(e *edit) {
	local := w.local(e.loop)
	w.index(wasmbin.OpLocalTee, w.size())
	w.load(local)
	w.index(wasmbin.OpLocalGet, w.size())
	shift, op := int64(0), byte(wasmbin.OpI64ShrU)
	switch e.op {
	case wasmbin.OpMemoryGrow: // impossible page counts are not charged: the growth fails
		w.out = append(w.out, wasmbin.OpI32Const, 0)
		w.index(wasmbin.OpLocalGet, w.size())
		w.out = wasmbin.AppendS64(append(w.out, wasmbin.OpI32Const), maxPages+1)
		w.out = append(w.out, wasmbin.OpI32LtU, wasmbin.OpSelect)
		shift, op = pageShift, wasmbin.OpI64Shl
	case wasmbin.OpMemoryInit, wasmbin.OpMemoryCopy, wasmbin.OpMemoryFill:
		shift = bytesShift
	}
	w.out = append(w.out, wasmbin.OpI64ExtendI32U)
	if shift > 0 {
		w.out = append(wasmbin.AppendS64(append(w.out, wasmbin.OpI64Const), shift), op)
	}
	w.out = append(w.out, wasmbin.OpI64Sub)
	w.store(local)
	w.look(local)
}

// maxPages is the maximum number of pages in a memory.
const maxPages = 1 << 16

func (w *writer) index(op byte, index uint32) {
	w.out = wasmbin.AppendU32(append(w.out, op), index)
}

// load puts the fuel on the stack. In some loops a variable holds it, and the global has the value from the loop's
// beginning.
func (w *writer) load(local bool) {
	if local {
		w.index(wasmbin.OpLocalGet, w.fuel())
	} else {
		w.index(wasmbin.OpGlobalGet, w.global)
	}
}

// store takes the fuel from the stack.
func (w *writer) store(local bool) {
	if local {
		w.index(wasmbin.OpLocalSet, w.fuel())
	} else {
		w.index(wasmbin.OpGlobalSet, w.global)
	}
}

// look requests more fuel if it is below zero. That is in the second arm, which wazero moves out of the main path.
func (w *writer) look(local bool) {
	w.load(local)
	w.out = append(w.out, wasmbin.OpI64Const, 0, wasmbin.OpI64GeS, wasmbin.OpIf, blockOfNothing, wasmbin.OpElse)
	if local {
		w.load(local)
		w.index(wasmbin.OpCall, w.added)
		w.store(local)
	} else {
		w.index(wasmbin.OpCall, w.refill)
	}
	w.out = append(w.out, wasmbin.OpEnd)
}

const blockOfNothing = 0x40
