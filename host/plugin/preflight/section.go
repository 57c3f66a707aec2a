package preflight

import "github.com/agenthost/agenthost/internal/wasmbin"

// section reads the content of one section.
func (c *checker) section(id byte) {
	m := c.module
	s := Section{ID: id, Start: c.At(), End: c.At() + c.Left()}
	switch id {
	case SectionCustom:
		s.Name = c.custom()
	case SectionType:
		c.types()
	case SectionImport:
		c.imports()
	case SectionFunction:
		for range c.count("functions", 1, c.limits.Functions) {
			m.Functions = append(m.Functions, c.typeIndex())
		}
	case SectionTable:
		for range c.count("tables", 3, c.limits.Tables) {
			c.table()
		}
	case SectionMemory:
		at := c.At()
		if n := c.Count("memories", 2); n > 1 {
			c.refusef(Unsupported, at, "%d memories; one is supported", n)
		} else if n == 1 {
			c.memorySize()
		}
	case SectionGlobal:
		for range c.count("globals", 4, c.limits.Globals) {
			m.Globals = append(m.Globals, Global{Type: c.ValueType(), Mutable: c.flag("whether a global is mutable")})
			c.constant()
		}
	case SectionExport:
		c.exports()
	case SectionStart:
		m.Start = new(c.functionIndex())
	case SectionElement:
		for range c.count("segments of elements", 3, c.limits.Segments) {
			c.elements()
		}
	case SectionDataCount:
		c.data = int(c.U32())
	case SectionCode:
		c.bodies()
	case SectionData:
		c.segments()
	}
	m.Sections = append(m.Sections, s)
}

func (c *checker) types() {
	for range c.count("types", 3, c.limits.Types) {
		at := c.At()
		if form := c.Byte(); form != 0x60 {
			c.Failf(at, "a type has the form %#x; function types are supported", form)
			return
		}
		t := wasmbin.FuncType{Params: c.ValueTypes("parameters"), Results: c.ValueTypes("results")}
		c.limit(at, max(len(t.Params), len(t.Results)), c.limits.Values, "parameters or results of a type")
		c.module.Types = append(c.module.Types, t)
	}
}

// typeIndex reads the index of a type.
func (c *checker) typeIndex() uint32 {
	at := c.At()
	index := c.U32()
	if int(index) >= len(c.module.Types) {
		c.Failf(at, "the type %d does not exist", index)
	}
	return index
}

// functionIndex reads the index of a function, imported or not.
func (c *checker) functionIndex() uint32 {
	at := c.At()
	index := c.U32()
	if _, ok := c.module.FunctionType(index); !ok {
		c.Failf(at, "the function %d does not exist", index)
	}
	c.module.Referenced[index] = true
	return index
}

func (c *checker) imports() {
	for range c.count("imports", 4, c.limits.Imports) {
		at := c.At()
		i := Import{Module: c.Name("the module of an import", c.limits.Name), Name: c.Name("an import", c.limits.Name)}
		kinds := [...]string{KindTable: "a table", KindMemory: "a memory", KindGlobal: "a global"}
		switch kind := c.Byte(); kind {
		case KindFunction:
			i.Type = c.typeIndex()
		case KindTable, KindMemory, KindGlobal:
			c.refusef(Link, at, "it imports %s, %q of %q; only functions can be imported", kinds[kind], i.Name, i.Module)
			return
		default:
			c.Failf(at, "an import has the unknown kind %#x", kind)
			return
		}
		c.module.Imports = append(c.module.Imports, i)
	}
}

func (c *checker) table() {
	at := c.At()
	c.RefType()
	l := c.Limits("a table")
	if l.Min > c.limits.Table {
		c.refusef(Limit, at, "a table starts with %d elements; %d are allowed", l.Min, c.limits.Table)
	}
	c.module.Tables = append(c.module.Tables, l)
}

func (c *checker) memorySize() {
	at := c.At()
	l := c.Limits("the memory")
	if l.Min > c.limits.MemoryPages {
		c.refusef(Limit, at, "the memory starts with %d pages of 64 KiB; %d are allowed", l.Min, c.limits.MemoryPages)
	}
	if l.Min > 1<<16 || l.Max > 1<<16 {
		c.Failf(at, "the memory has more than 65536 pages")
	}
	c.module.Memory = &l
}

func (c *checker) exports() {
	seen := map[string]bool{}
	for range c.count("exports", 3, c.limits.Exports) {
		at := c.At()
		e := Export{Name: c.Name("an export", c.limits.Name), Kind: c.Byte(), Index: c.U32()}
		if seen[e.Name] {
			c.Failf(at, "two exports have the name %q", e.Name)
		}
		seen[e.Name] = true
		known := false
		switch e.Kind {
		case KindFunction:
			_, known = c.module.FunctionType(e.Index)
			c.module.Referenced[e.Index] = true
		case KindTable:
			known = int(e.Index) < len(c.module.Tables)
		case KindMemory:
			known = e.Index == 0 && c.module.Memory != nil
		case KindGlobal:
			known = int(e.Index) < len(c.module.Globals)
		default:
			c.Failf(at, "an export has the unknown kind %#x", e.Kind)
		}
		if !known {
			c.Failf(at, "it exports an item that does not exist")
		}
		c.module.Exports = append(c.module.Exports, e)
	}
}

// constant reads a constant expression. It checks that what the expression names exists: after metering, it might.
func (c *checker) constant() {
	in := c.Constant()
	switch _, known := c.module.FunctionType(in.Index); {
	case in.Op == wasmbin.OpRefFunc && !known:
		c.Failf(in.Start, "it refers to the function %d, which does not exist", in.Index)
	case in.Op == wasmbin.OpRefFunc:
		c.module.Referenced[in.Index] = true
	case in.Op == wasmbin.OpGlobalGet && int64(in.Index) >= int64(len(c.module.Globals)):
		c.Failf(in.Start, "the global %d does not exist", in.Index)
	}
}

// flag reads a byte that is 0 or 1.
func (c *checker) flag(what string) bool {
	at := c.At()
	value := c.Byte()
	if value > 1 {
		c.Failf(at, "%s must be 0 or 1", what)
	}
	return value == 1
}

// elements reads one segment of elements. Its first number determines how the rest is encoded.
func (c *checker) elements() {
	at := c.At()
	form := c.U32()
	if form > 7 {
		c.Failf(at, "a segment of elements has the unknown form %d", form)
		return
	}
	passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
	if !passive {
		table := uint32(0)
		if explicit {
			table = c.U32()
		}
		if int(table) >= len(c.module.Tables) {
			c.Failf(at, "a segment of elements is for the table %d, which does not exist", table)
		}
		c.constant()
	}
	if passive || explicit {
		c.elementKind(expressions)
	}
	size := 1
	if expressions {
		size = 2
	}
	for range c.count("elements", size, int(c.limits.Table)) {
		if expressions {
			c.constant()
		} else {
			c.functionIndex()
		}
	}
}

func (c *checker) elementKind(expressions bool) {
	if expressions {
		c.RefType()
		return
	}
	if at := c.At(); c.Byte() != 0 {
		c.Failf(at, "the elements of a segment must be functions")
	}
}

// segments reads the data.
func (c *checker) segments() {
	at := c.At()
	n := c.count("segments of data", 2, c.limits.Segments)
	if c.data >= 0 && n != c.data {
		c.Failf(at, "it has %d segments of data, but announced %d", n, c.data)
	}
	c.data = -1
	for range n {
		at := c.At()
		switch form := c.U32(); form {
		case 0, 2:
			if form == 2 {
				if memory := c.U32(); memory != 0 {
					c.Failf(at, "a segment of data is for the memory %d", memory)
				}
			}
			c.constant()
		case 1:
		default:
			c.Failf(at, "a segment of data has the unknown form %d", form)
			return
		}
		c.Bytes(c.Count("bytes of data", 1))
	}
}

// custom reads a custom section. wazero reads the one with names; it skips the content of the others.
func (c *checker) custom() string {
	at := c.At()
	name := c.Name("the name of a section", c.limits.Name)
	if name != "name" {
		c.Bytes(c.Left())
		return name
	}
	if c.named {
		c.Failf(at, "a second section with names")
	}
	c.named = true
	for c.More() {
		c.names()
	}
	return name
}

// names reads a part of the name section: the names of the module, of functions, and of their local variables.
func (c *checker) names() {
	kind := c.Byte()
	whole := c.Cursor
	part := c.Part(int(c.U32()))
	c.Cursor = part
	switch kind {
	case 0:
		c.Name("the name of the module", c.Left())
	case 1:
		c.nameMap(2)
	case 2:
		for range c.Count("functions with named variables", 2) {
			c.U32()
			c.nameMap(2)
		}
	default:
		c.Bytes(c.Left())
	}
	c.Cursor = whole
	c.Join(part, "a list of names")
}

func (c *checker) nameMap(size int) {
	for range c.Count("names", size) {
		c.U32()
		c.Name("a name", c.Left())
	}
}
