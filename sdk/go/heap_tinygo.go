//go:build wasip1 && tinygo

package sdk

// heapReserve is the number of bytes that a guest allocates when it is configured, to make the heap grow. TinyGo starts with a
// heap of 40 KB and collects garbage each time it is used up: in every tenth call, for 100 µs each time. When it has to, TinyGo
// doubles the memory, here to 256 KiB.
const heapReserve = 60 << 10

// reserve makes the heap larger. This must happen at run time, because TinyGo runs init functions when it compiles the
// module.
func reserve() { makeGarbage(heapReserve) }

//go:noinline
func makeGarbage(n int) []byte { return make([]byte, n) }
