package memory

import (
	"encoding/binary"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// past holds the checkpoints of a thread compactly: their documents without the messages, one after the other.
type past struct {
	docs []byte
	kept []kept // in the order of their ids, from 1 to the largest that the thread has had
}

// kept records where the document of a checkpoint ends, and the messages that it adds.
type kept struct {
	end   int
	first *history.Entry
	more  *[]*history.Entry // those after the first
}

// add appends a checkpoint with a larger id than the last one; ids may be skipped.
func (p *past) add(id checkpoint.ID, r *checkpoint.Record) error {
	docs := binary.AppendUvarint(p.docs, uint64(r.Parent))
	docs = binary.AppendVarint(docs, r.Time.UnixMilli())
	docs, err := r.Pack(docs)
	if err != nil {
		return err
	}
	p.skip(id - 1)
	k := kept{end: len(docs)}
	for i := range r.Changes {
		if e := r.Changes[i].Entry; e != nil {
			k.add(e)
		}
	}
	p.docs, p.kept = docs, append(p.kept, k)
	return nil
}

// skip leaves out ids up to the last one given.
func (p *past) skip(last checkpoint.ID) {
	for checkpoint.ID(len(p.kept)) < last {
		p.kept = append(p.kept, kept{end: len(p.docs)})
	}
}

// drop removes the checkpoints with larger ids than the one given, whose ids are not used again.
func (p *past) drop(after checkpoint.ID) {
	end := p.kept[after-1].end
	p.docs = p.docs[:end:end] // what follows is copied before it is overwritten: records that were read refer to it
	for i := after; i < checkpoint.ID(len(p.kept)); i++ {
		p.kept[i] = kept{end: end}
	}
}

// add adds a message.
func (k *kept) add(message *history.Entry) {
	switch {
	case k.first == nil:
		k.first = message
	case k.more == nil:
		k.more = &[]*history.Entry{message}
	default:
		*k.more = append(*k.more, message)
	}
}

// record returns a checkpoint.
func (p *past) record(id checkpoint.ID) (*checkpoint.Record, error) {
	if id == 0 || id > checkpoint.ID(len(p.kept)) {
		return nil, checkpoint.ErrNoCheckpoint
	}
	k := &p.kept[id-1]
	start := 0
	if id > 1 {
		start = p.kept[id-2].end
	}
	doc := p.docs[start:k.end:k.end]
	if len(doc) == 0 { // it was dropped, or is on a branch that a fork has not copied
		return nil, checkpoint.ErrNoCheckpoint
	}
	parent, n := binary.Uvarint(doc)
	at, m := binary.Varint(doc[n:])
	var messages []*history.Entry
	if k.first != nil {
		messages = append(messages, k.first)
	}
	if k.more != nil {
		messages = append(messages, *k.more...)
	}
	return checkpoint.Unpack(id, checkpoint.ID(parent), time.UnixMilli(at).UTC(), doc[n+m:], messages)
}

// trim frees unused capacity if that is worth the copying.
func (p *past) trim() {
	if cap(p.docs)-len(p.docs) < len(p.docs)/8 && cap(p.kept)-len(p.kept) < len(p.kept)/8 {
		return
	}
	p.docs = append(make([]byte, 0, len(p.docs)), p.docs...)
	p.kept = append(make([]kept, 0, len(p.kept)), p.kept...)
}
