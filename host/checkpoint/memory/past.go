package memory

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// past holds the checkpoints of a thread compactly: their documents without the messages, one after the other in pages.
type past struct {
	pages    [][]byte
	messages []*history.Entry // that the checkpoints add, in their order
	kept     []kept           // in the order of their ids, from 1 to the largest that the thread has had
}

// kept records where the document of a checkpoint and the messages that it adds end. They begin where those of the checkpoint before
// it end; the document may also be the first of its page, which is never longer than the longest document, 1 GB. There is no pointer that
// the garbage collector would have to follow.
type kept struct {
	page, end int32
	messages  int32
}

// maxPage is the size in bytes up to which a page grows. Then another one begins, so that a long thread is not copied as it grows. The
// allocator hands out pages of this size at little cost; one of 8 KB would take a span of its own.
const maxPage = 2 << 10

// add appends a checkpoint with a larger id than the last one; ids may be skipped.
func (p *past) add(id checkpoint.ID, r *checkpoint.Record) error {
	var space [768]byte // a document rarely takes more, and does not stay here
	doc := binary.AppendUvarint(space[:0], uint64(r.Parent))
	doc = binary.AppendVarint(doc, r.Time.UnixMilli())
	doc, err := r.Pack(doc)
	if err != nil {
		return err
	}
	p.skip(id - 1)
	p.write(doc)
	for i := range r.Changes {
		if e := r.Changes[i].Entry; e != nil {
			p.messages = append(p.messages, e)
		}
	}
	page := len(p.pages) - 1
	p.kept = append(p.kept, kept{page: int32(page), end: int32(len(p.pages[page])), messages: int32(len(p.messages))})
	return nil
}

// write adds a document to the last page, or to a new one if that is full.
func (p *past) write(doc []byte) {
	if len(p.pages) == 0 {
		p.pages = append(p.pages, nil)
	}
	page := &p.pages[len(p.pages)-1]
	switch size := len(*page) + len(doc); {
	case size <= cap(*page):
	case size <= maxPage:
		*page = append(make([]byte, 0, min(2*size, maxPage)), *page...)
	default:
		p.pages = append(p.pages, make([]byte, 0, max(len(doc), maxPage)))
		page = &p.pages[len(p.pages)-1]
	}
	*page = append(*page, doc...)
}

// last returns the end of the newest checkpoint.
func (p *past) last() kept {
	if len(p.kept) == 0 {
		return kept{}
	}
	return p.kept[len(p.kept)-1]
}

// skip leaves out ids up to the last one given.
func (p *past) skip(last checkpoint.ID) {
	for checkpoint.ID(len(p.kept)) < last {
		p.kept = append(p.kept, p.last())
	}
}

// drop removes the checkpoints with larger ids than the one given, whose ids are not used again.
func (p *past) drop(after checkpoint.ID) {
	largest, end := checkpoint.ID(len(p.kept)), p.kept[after-1]
	p.pages = slices.Delete(p.pages, int(end.page)+1, len(p.pages))
	p.pages[end.page] = p.pages[end.page][:end.end:end.end] // records that were read refer to what follows, so it is not overwritten
	p.messages = slices.Delete(p.messages, int(end.messages), len(p.messages))
	p.kept = p.kept[:after]
	p.skip(largest)
}

// record returns a checkpoint.
func (p *past) record(id checkpoint.ID) (*checkpoint.Record, error) {
	if id == 0 || id > checkpoint.ID(len(p.kept)) {
		return nil, checkpoint.ErrNoCheckpoint
	}
	var before kept
	if id > 1 {
		before = p.kept[id-2]
	}
	k := p.kept[id-1]
	if k == before { // it was dropped, or is on a branch that a fork has not copied
		return nil, checkpoint.ErrNoCheckpoint
	}
	if before.page != k.page {
		before.end = 0
	}
	doc := p.pages[k.page][before.end:k.end:k.end]
	parent, n := binary.Uvarint(doc)
	at, m := binary.Varint(doc[n:])
	messages := p.messages[before.messages:k.messages]
	return checkpoint.Unpack(id, checkpoint.ID(parent), time.UnixMilli(at).UTC(), doc[n+m:], messages)
}

// trim frees unused capacity where that is worth the copying.
func (p *past) trim() {
	if last := len(p.pages) - 1; last >= 0 {
		p.pages[last] = trimmed(p.pages[last])
	}
	p.pages, p.messages, p.kept = trimmed(p.pages), trimmed(p.messages), trimmed(p.kept)
}

func trimmed[E any](s []E) []E {
	if cap(s)-len(s) < len(s)/8 {
		return s
	}
	return append(make([]E, 0, len(s)), s...)
}
