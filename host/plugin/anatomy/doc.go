// Package anatomy tells what a WebAssembly module consists of, without running it: sizes, memory, stack, imports, exports,
// and what its custom sections say of how it was made. Nothing of that can be trusted to be what the module does, but all
// of it is what a host will load.
package anatomy
