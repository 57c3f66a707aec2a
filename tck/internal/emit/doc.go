// Package emit writes WebAssembly guests instruction by instruction, so that a test shows exactly what its guest does. A
// [Module] has the imports of the ABI and describes itself. [Module.On] adds hooks.
package emit
