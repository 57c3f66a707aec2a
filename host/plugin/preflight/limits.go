package preflight

import "time"

// Limits bound what a module may demand of the compiler and of the host before it runs.
type Limits struct {
	Module      int    // bytes of the module
	Types       int    // function types
	Values      int    // parameters, or results, of one type
	Imports     int    // imported functions
	Functions   int    // functions with a body
	Globals     int    // global variables
	Segments    int    // data segments, or element segments
	Exports     int    // exported items
	Name        int    // bytes of an imported or exported name
	Tables      int    // tables
	Table       uint32 // elements of a table
	MemoryPages uint32 // pages of 64 KiB with which the memory starts

	// The limits of one function.
	Body    int // bytes of its body
	Locals  int // parameters and local variables
	Nesting int // nested blocks
	Targets int // labels of a br_table

	// The estimated compile time: a base for the module, and an addition for each MiB of it.
	Compile, CompilePerMiB time.Duration
}

// Default returns the default limits. They are several times what guests built by standard Go, TinyGo and Rust need, see
// the package's tests.
func Default() Limits {
	return Limits{
		Module: 32 << 20, Types: 10_000, Values: 1_000, Imports: 1_000, Functions: 100_000, Globals: 10_000, Segments: 100_000,
		Exports: 10_000, Name: 4_096, Tables: 16, Table: 64 << 10, MemoryPages: 1 << 16,
		Body: 256 << 10, Locals: 10_000, Nesting: 4_096, Targets: 8_192,
		Compile: 1500 * time.Millisecond, CompilePerMiB: 700 * time.Millisecond,
	}
}

// Metered returns the limits for a module that has passed these, after metering: it is larger, but may not take longer to
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
