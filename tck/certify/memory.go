package certify

import "github.com/tetratelabs/wazero/experimental" //nolint:depguard // the kit is a host of its own

// memoryLimit is the memory of an instance in bytes, the default of SPEC.md.
const memoryLimit = 64 << 20

// memory is the memory of one instance. It records whether the guest asked for more than it may have.
type memory struct {
	bytes   []byte
	limit   uint64
	refused bool // in the current frame
}

// Allocate returns the memory itself, because an instance has only one.
func (m *memory) Allocate(capacity, _ uint64) experimental.LinearMemory {
	m.bytes = make([]byte, 0, min(capacity, m.limit))
	return m
}

// Reallocate sets the size. It returns nil if the size exceeds the limit.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = true
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		grown := make([]byte, size, min(size+size/4, m.limit))
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free drops the memory of a closed instance.
func (m *memory) Free() { m.bytes = nil }

// part returns a part of the memory, which is valid only until the guest runs again. It returns false if the part is
// not completely inside the memory.
func (m *memory) part(ptr, length uint32) ([]byte, bool) {
	end := uint64(ptr) + uint64(length)
	if length == 0 {
		return nil, true
	}
	if end > uint64(len(m.bytes)) {
		return nil, false
	}
	return m.bytes[ptr:end:end], true
}
