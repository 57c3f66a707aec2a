package plugin

import "github.com/tetratelabs/wazero/experimental"

// memory is the linear memory of one instance. It grows as far as the plugin's limit allows, and remembers when the
// guest wanted more, so that the trap that follows is told as what it is.
type memory struct {
	bytes   []byte
	limit   uint64
	refused bool // in the present frame
}

// Allocate returns the memory itself: an instance has one.
func (m *memory) Allocate(capacity, _ uint64) experimental.LinearMemory {
	m.bytes = make([]byte, 0, min(capacity, m.limit))
	return m
}

// Reallocate sets the size; nil if that is beyond the limit.
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
