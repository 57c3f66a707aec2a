package meter

import (
	"slices"

	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// order is the order of the sections in a module.
var order = []byte{
	preflight.SectionType, preflight.SectionImport, preflight.SectionFunction, preflight.SectionTable, preflight.SectionMemory,
	preflight.SectionGlobal, preflight.SectionExport, preflight.SectionStart, preflight.SectionElement, preflight.SectionDataCount,
	preflight.SectionCode, preflight.SectionData,
}

// all writes the new module. It keeps only the name section of the custom sections, since debug information would be wrong.
func (r *rewriter) all() []byte {
	out := append(make([]byte, 0, len(r.source)+len(r.source)/8), r.source[:8]...)
	var names *preflight.Section
	present := map[byte]*preflight.Section{}
	for i := range r.module.Sections {
		s := &r.module.Sections[i]
		switch {
		case s.ID != preflight.SectionCustom:
			present[s.ID] = s
		case s.Name == "name":
			names = s
		}
	}
	for _, id := range order {
		if content := r.section(id, present[id]); content != nil {
			out = wasmbin.AppendSized(append(out, id), content)
		}
	}
	if names != nil {
		out = wasmbin.AppendSized(append(out, preflight.SectionCustom), r.names(names))
	}
	return out
}

// section writes the content of one section, or returns nil if there is none.
func (r *rewriter) section(id byte, s *preflight.Section) []byte {
	switch id {
	case preflight.SectionType:
		return r.longer(s, 2, []byte{
			0x60, 1, wasmbin.TypeI64, 1, wasmbin.TypeI64, // tick
			0x60, 0, 0, // refill
		})
	case preflight.SectionImport:
		item := wasmbin.AppendName(wasmbin.AppendName(nil, Module), Tick)
		return r.longer(s, 1, wasmbin.AppendU32(append(item, preflight.KindFunction), uint32(len(r.module.Types))))
	case preflight.SectionFunction:
		refill := wasmbin.AppendU32(nil, uint32(len(r.module.Types)+1))
		if r.options.Self {
			return r.longer(s, 2, append(refill, refill...))
		}
		return r.longer(s, 1, refill)
	case preflight.SectionGlobal:
		return r.longer(s, 1, []byte{wasmbin.TypeI64, 1, wasmbin.OpI64Const, 0, wasmbin.OpEnd})
	case preflight.SectionExport:
		n, items := r.exports()
		return r.longer(s, n, items)
	case preflight.SectionCode:
		refill := wasmbin.AppendSized(nil, r.refillBody())
		if r.options.Self {
			return r.longer(s, 2, wasmbin.AppendSized(refill, []byte{0, wasmbin.OpEnd}))
		}
		return r.longer(s, 1, refill)
	}
	if s == nil {
		return nil
	}
	switch id {
	case preflight.SectionTable:
		return r.tables(s)
	case preflight.SectionStart:
		return wasmbin.AppendU32(nil, r.moved(*r.module.Start))
	case preflight.SectionElement:
		c := r.copier(s.Start, s.End, nil)
		for range c.U32() {
			r.elements(c)
		}
		return r.done(c)
	default:
		return r.source[s.Start:s.End]
	}
}

// exports writes the added exports, and returns their number.
func (r *rewriter) exports() (n uint32, items []byte) {
	export := func(name string, kind byte, index uint32) {
		n++
		items = append(wasmbin.AppendName(items, name), kind)
		items = wasmbin.AppendU32(items, index)
	}
	export(Fuel, preflight.KindGlobal, r.global)
	if r.options.Self {
		export(Self, preflight.KindFunction, r.refill+1)
	}
	for i, g := range r.module.Globals {
		if g.Mutable && r.options.Globals {
			export(Global(i), preflight.KindGlobal, uint32(i))
		}
	}
	return n, items
}

// longer writes a section of items, with some more appended.
func (r *rewriter) longer(s *preflight.Section, n uint32, items []byte) []byte {
	if s == nil {
		return append(wasmbin.AppendU32(nil, n), items...)
	}
	c := r.copier(s.Start, s.End, make([]byte, 0, s.End-s.Start+len(items)+8))
	count := c.U32()
	c.replace(s.Start, count+n)
	switch s.ID {
	case preflight.SectionImport:
		for range count {
			r.imported(c)
		}
	case preflight.SectionGlobal:
		for range count {
			c.ValueType()
			c.Byte()
			r.constant(c)
		}
	case preflight.SectionExport:
		for range count {
			c.Bytes(int(c.U32()))
			kind, at := c.Byte(), c.At()
			if index := c.U32(); kind == preflight.KindFunction {
				c.replace(at, r.moved(index))
			}
		}
	case preflight.SectionCode:
		return slices.Concat(r.bodies(c.out), items)
	}
	return append(r.done(c), items...)
}

// imported copies the import of a function.
func (r *rewriter) imported(c *copier) {
	at := c.At()
	module := string(c.Bytes(int(c.U32())))
	end := c.At()
	name := string(c.Bytes(int(c.U32())))
	c.Byte() // a function: the preflight refuses all others
	c.U32()
	if r.options.Imports == nil {
		return
	}
	if from := r.options.Imports(module, name); from != module {
		c.upTo(at)
		c.out = wasmbin.AppendName(c.out, from)
		c.copied = end
	}
}

// constant copies a constant expression.
func (r *rewriter) constant(c *copier) {
	var in wasmbin.Instruction
	c.Instruction(&in)
	if in.Op == wasmbin.OpRefFunc {
		c.replace(in.Start+1, r.moved(in.Index))
	}
	c.Byte() // end
}

// tables gives every table a maximum.
func (r *rewriter) tables(s *preflight.Section) []byte {
	c := r.copier(s.Start, s.End, nil)
	for range c.U32() {
		c.RefType()
		at := c.At()
		l := c.Limits("a table")
		if l.HasMax && l.Max <= r.options.Table {
			continue
		}
		c.upTo(at)
		c.out = wasmbin.AppendU32(wasmbin.AppendU32(append(c.out, 1), l.Min), max(l.Min, r.options.Table))
		c.copied = c.At()
	}
	return r.done(c)
}

// elements copies one segment of elements.
func (r *rewriter) elements(c *copier) {
	form := c.U32()
	passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
	if !passive {
		if explicit {
			c.U32()
		}
		r.constant(c)
	}
	if passive || explicit {
		c.Byte() // the type or kind of the elements
	}
	for range c.U32() {
		if expressions {
			r.constant(c)
			continue
		}
		at := c.At()
		c.replace(at, r.moved(c.U32()))
	}
}

// names copies the names of the module, its functions, and everything that does not move.
func (r *rewriter) names(s *preflight.Section) []byte {
	out := wasmbin.AppendName(nil, "name")
	c := wasmbin.NewPart(r.source, s.Start, s.End)
	c.Bytes(int(c.U32()))
	for c.More() {
		kind := c.Byte()
		size := int(c.U32())
		start := c.At()
		c.Bytes(size)
		content := r.source[start:c.At()]
		switch kind {
		case 1, 2:
			part := r.copier(start, c.At(), nil)
			for range part.U32() {
				at := part.At()
				part.replace(at, r.moved(part.U32()))
				if kind == 1 {
					part.Bytes(int(part.U32()))
				} else {
					skipNames(part)
				}
			}
			content = r.done(part)
		case 3: // labels of functions: nothing reads them here
			continue
		}
		out = wasmbin.AppendSized(append(out, kind), content)
	}
	if c.Err() != nil {
		r.failed = true
	}
	return out
}

func skipNames(c *copier) {
	for range c.U32() {
		c.U32()
		c.Bytes(int(c.U32()))
	}
}
