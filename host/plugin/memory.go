package plugin

import (
	"errors"

	"github.com/tetratelabs/wazero/experimental"
)

// errNoMemory reports that the memory shared by all plugins is used up.
var errNoMemory = errors.New("no memory is left for plugins")

// memory is the linear memory of one instance. It grows as far as the plugin's limit and the engine's budget allow, and
// records when the guest wanted more, so that the following trap is classified correctly.
type memory struct {
	bytes  []byte
	first  uint64 // how large it will be when the instance has started, in bytes
	mapped []byte // a mapping, which Free removes; nil: none
	next   []byte // replaces bytes when the memory grows for the first time; nil: nothing does
	blank  []byte // what the module's data is written to before next replaces it; nil: a memory of its own
	limit  uint64
	budget *memoryBudget

	overhead int64 // what the instance takes of the budget besides its memory
	held     int64 // of the budget
	image    int64 // of the budget, for the image of the instance
	extra    int64 // of the budget and of the limit, for what the host keeps for the guest during a call
	refused  bool  // in the current frame
	crowded  bool  // refused because of the budget
}

// Allocate returns the memory itself, since an instance has only one.
func (m *memory) Allocate(capacity, _ uint64) experimental.LinearMemory {
	if m.blank != nil {
		m.bytes = m.blank[:0]
		return m
	}
	if capacity = min(max(capacity, m.first), m.limit); m.reserveCapacity(capacity) {
		m.bytes = make([]byte, 0, capacity)
	}
	return m
}

// Reallocate sets the size. It returns nil if the size exceeds the limit.
func (m *memory) Reallocate(size uint64) []byte {
	if size+uint64(m.extra) > m.limit {
		m.refused = true
		return nil
	}
	if size <= uint64(len(m.next)) {
		m.bytes, m.next = m.next, nil
	}
	if size > uint64(cap(m.bytes)) {
		room := min(size+size/4, m.limit)
		if !m.reserveCapacity(room) {
			room = min(size+size/16, m.limit) // less would copy the whole memory for each page
			if !m.reserveCapacity(room) {
				m.refused, m.crowded = true, true
				return nil
			}
		}
		grown := make([]byte, size, room)
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// part returns a part of the memory, valid only until other code runs, or nil if the range is out of bounds.
func (m *memory) part(ptr, length uint32) []byte {
	end := uint64(ptr) + uint64(length)
	if end > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[ptr:end:end]
}

// reserveCapacity takes from the budget what this capacity needs beyond what the memory already holds.
func (m *memory) reserveCapacity(capacity uint64) bool {
	more := int64(capacity) + m.overhead - m.held
	if more <= 0 {
		return true
	}
	if !m.budget.reserve(more) {
		return false
	}
	m.held += more
	return true
}

// reserveExtra takes n bytes of the guest's allowance for something that the host keeps for it.
func (m *memory) reserveExtra(n int64) bool {
	if uint64(len(m.bytes))+uint64(m.extra+n) > m.limit {
		m.refused = true
		return false
	}
	if !m.budget.reserve(n) {
		m.refused, m.crowded = true, true
		return false
	}
	m.extra += n
	return true
}

// releaseExtra returns bytes that reserveExtra took.
func (m *memory) releaseExtra(n int64) {
	if n > 0 {
		m.budget.release(n)
		m.extra -= n
	}
}

// mapNext lets a mapping of the file replace the memory when it grows for the first time.
func (m *memory) mapNext(file *imageFile) error {
	mapped, err := file.mapped()
	m.mapped, m.next = mapped, mapped
	return err
}

// Free drops the memory of a closed instance.
func (m *memory) Free() {
	m.bytes, m.next = nil, nil
	if m.mapped != nil {
		_ = unmap(m.mapped) // it was mapped
		m.mapped = nil
	}
}

// release returns everything that the instance holds to the budget. It may be called twice.
func (m *memory) release() {
	if m.held > 0 {
		m.budget.release(m.held + m.image + m.extra)
		m.held, m.image, m.extra = 0, 0, 0
	}
}
