package preflight

import "time"

// Limits bound what a module may ask of the compiler and of the host before it runs.
type Limits struct {
	Module      int    // bytes of the module
	Types       int    // function types
	Values      int    // parameters, or results, of one type
	Imports     int    // functions that are imported
	Functions   int    // functions with a body
	Globals     int    // global variables
	Segments    int    // segments of data, or of elements
	Exports     int    // things that are exported
	Name        int    // bytes of a name that is imported or exported
	Tables      int    // tables
	Table       uint32 // elements of a table
	MemoryPages uint32 // pages of 64 KiB with which the memory starts

	// Of one function.
	Body    int // bytes of its body
	Locals  int // parameters and local variables
	Nesting int // blocks inside of each other
	Targets int // labels of a br_table

	// The estimated time of the compilation: of the whole module, and what is added to it for each MiB of the module.
	Compile, CompilePerMiB time.Duration
}

// Default are the limits that hold if nobody says otherwise. They are several times what guests built by standard Go,
// TinyGo and Rust need, see the package's tests.
func Default() Limits {
	return Limits{
		Module: 32 << 20, Types: 10_000, Values: 1_000, Imports: 1_000, Functions: 100_000, Globals: 10_000, Segments: 100_000,
		Exports: 10_000, Name: 4_096, Tables: 16, Table: 64 << 10, MemoryPages: 1 << 16,
		Body: 256 << 10, Locals: 10_000, Nesting: 4_096, Targets: 8_192,
		Compile: 1500 * time.Millisecond, CompilePerMiB: 700 * time.Millisecond,
	}
}

// Metered are the limits of a module that has passed these, once it has a meter: it is larger, but may take no longer to
// compile.
func (l Limits) Metered() Limits {
	for _, more := range []*int{
		&l.Module, &l.Types, &l.Imports, &l.Functions, &l.Globals, &l.Exports, &l.Body, &l.Locals, &l.Nesting,
	} {
		*more = 2**more + 64
	}
	l.Body *= 4
	return l
}
