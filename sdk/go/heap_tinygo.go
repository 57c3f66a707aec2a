//go:build wasip1 && tinygo

package sdk

// heapReserve is what a guest asks of its heap when it is configured, in bytes. TinyGo begins with 40 KB and collects whenever they
// are used up, in every tenth call, for 100 µs each time. It doubles the memory when it has to: here to 256 KiB.
const heapReserve = 60 << 10

// reserve makes the heap larger. It must happen at run time: what an init function does is done when the module is compiled.
func reserve() { makeGarbage(heapReserve) }

//go:noinline
func makeGarbage(n int) []byte { return make([]byte, n) }
