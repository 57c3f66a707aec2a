//go:build !no_extism

package extism

import (
	"cmp"
	"slices"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// blocks are pieces of memory that a guest and the host share in one call. Extism passes all data in blocks. Extism keeps
// blocks in the memory of a second module, its kernel, with headers between them. A guest can write to those headers, and so
// make the kernel run forever. Here the blocks belong to the host, and a guest reaches only their content.
type blocks struct {
	guest    contract.Guest
	list     []block // in ascending order of their offsets
	next     uint64  // offset of the next block
	last     int     // index of the most recently used block
	reserved int     // bytes that they take from the guest's memory
}

type block struct {
	at   uint64
	data []byte
}

const (
	firstBlock    = 64 // no block begins at offset 0, which means no block
	blockOverhead = 64 // bytes that a block takes besides its content
	entrySize     = 32 // bytes of a block's entry in the list
	keptBlocks    = 64 // number of list entries that are kept from one call to the next
)

// add makes a block of n bytes and returns its offset, or 0 if there is no room for it.
func (b *blocks) add(n uint64) uint64 {
	const most = 1 << 32
	if n == 0 || n > most || !b.guest.Reserve(int(n)+blockOverhead) {
		return 0
	}
	b.reserved += int(n) + blockOverhead
	b.guest.Worked(int(n))
	return b.insert(make([]byte, n))
}

// put makes a block from a document and returns its offset. It returns 0 if there is no room for the document, or if it
// is empty.
func (b *blocks) put(doc []byte) uint64 {
	at := b.add(uint64(len(doc)))
	if at != 0 {
		copy(b.list[b.last].data, doc)
	}
	return at
}

func (b *blocks) insert(data []byte) uint64 {
	at := max(b.next, firstBlock)
	b.next = (at + uint64(len(data)) + 15) &^ 7 // no two blocks touch each other
	b.last = len(b.list)
	b.list = append(b.list, block{at, data})
	return at
}

// find returns the block that begins at the offset, or nil if there is none.
func (b *blocks) find(at uint64) *block {
	if i, ok := b.index(at); ok {
		return &b.list[i]
	}
	return nil
}

func (b *blocks) index(at uint64) (int, bool) {
	if b.last < len(b.list) && b.list[b.last].at == at {
		return b.last, true
	}
	return slices.BinarySearchFunc(b.list, at, func(x block, at uint64) int { return cmp.Compare(x.at, at) })
}

// bytes returns n bytes at the offset, or nil if they are not all in one block.
func (b *blocks) bytes(at, n uint64) []byte {
	if b.last < len(b.list) {
		if part := b.list[b.last].part(at, n); part != nil {
			return part
		}
	}
	i, found := b.index(at)
	if !found {
		i-- // the block that begins before it
	}
	if i < 0 {
		return nil
	}
	b.last = i
	return b.list[i].part(at, n)
}

// part returns n bytes at the offset, or nil if they are not all in the block.
func (x *block) part(at, n uint64) []byte {
	from := at - x.at
	if at < x.at || from > uint64(len(x.data)) || n > uint64(len(x.data))-from {
		return nil
	}
	return x.data[from : from+n : from+n]
}

// free removes the block that begins at the offset, if there is one.
func (b *blocks) free(at uint64) {
	i, ok := b.index(at)
	if !ok {
		return
	}
	size := len(b.list[i].data) + blockOverhead
	b.reserved -= size
	b.guest.Release(size)
	b.guest.Worked(entrySize * (len(b.list) - i))
	b.list = slices.Delete(b.list, i, i+1)
}

// reset removes all blocks.
func (b *blocks) reset() {
	b.guest.Release(b.reserved)
	clear(b.list)
	b.list, b.next, b.last, b.reserved = b.list[:0], 0, 0, 0
	if cap(b.list) > keptBlocks {
		b.list = nil
	}
}
