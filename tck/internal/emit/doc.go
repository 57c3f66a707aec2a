// Package emit writes WebAssembly guests instruction by instruction, so that a test shows the one thing that its guest does.
// A [Module] imports what guests may import, and describes itself; hooks are added with [Module.On].
package emit
