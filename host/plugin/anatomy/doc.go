// Package anatomy describes the structure of a WebAssembly module without running it: sizes, memory, stack, imports,
// exports, and what its custom sections say about how it was made. None of this proves what the module does, but all of it
// is what a host will load.
package anatomy
