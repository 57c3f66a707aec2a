package history

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// Log is the history of a run. It is a value: applying an update gives a new Log and leaves the old one as it was, so
// that an update that fails changes nothing. Only the newest Log may be applied to, or a [Log.Fork] of any; older ones
// may be read.
type Log struct {
	list    List
	born    []uint64 // for each entry the sequence number at which it was appended
	seq     uint64   // counts appends, replacements and removals since the epoch began
	epoch   uint64   // counts overwrites
	changes []change // replacements and removals of the epoch, in order of seq
	index   *index
}

// change is something other than an append.
type change struct {
	seq     uint64
	born    uint64
	id      string
	removed bool
}

// Cursor is a place in the life of a Log: what was known then. The zero value knows nothing.
type Cursor struct {
	Epoch uint64 // 1 + the epoch; 0 is the cursor that knows nothing
	Seq   uint64
}

// UpdateError is an update of the history that names a message that is not there, or changes what must not change.
type UpdateError struct{ Reason string }

func (e *UpdateError) Error() string { return "messages: " + e.Reason }

// List returns the messages.
func (l *Log) List() List { return List{l.list.entries[:l.list.Len():l.list.Len()]} }

// Fork returns the same history for another line of changes: l and it may both be applied to.
func (l *Log) Fork() Log {
	return Log{
		list: List{slices.Clip(l.list.entries)}, born: slices.Clip(l.born), changes: slices.Clip(l.changes), seq: l.seq, epoch: l.epoch,
	}
}

// Cursor returns the present place.
func (l *Log) Cursor() Cursor { return Cursor{Epoch: l.epoch + 1, Seq: l.seq} }

// Apply returns the log after an update: overwrite or removals first, then patches, then messages, of which one with
// the id of an existing message replaces it in its place and the others are appended. A removed id that comes back in
// the same update keeps its place. Messages without an id get one from ids. The error is an [*UpdateError].
func (l Log) Apply(u *abi.Update, ids IDs) (Log, error) {
	if l.index != nil { // what it covers beyond the log comes from an update that failed
		l.index.covered = min(l.index.covered, l.list.Len())
	}
	if u.Overwrite {
		if len(u.Remove) > 0 || len(u.Patch) > 0 {
			return l, &UpdateError{"overwrite stands beside remove or patch"}
		}
		return l.overwrite(u.Messages, ids), nil
	}
	remove, err := l.removals(u)
	if err != nil {
		return l, err
	}
	next, patched := l, len(u.Patch) > 0
	for i := range u.Patch {
		if next, err = next.patch(&u.Patch[i], i == 0); err != nil {
			return l, err
		}
	}
	next = next.put(u.Messages, ids, patched)
	if len(remove) > 0 {
		next = next.remove(remove)
	}
	return next, nil
}

func (l Log) overwrite(messages []abi.Message, ids IDs) Log {
	next := Log{epoch: l.epoch + 1, list: List{entriesOf(messages)}}
	next.born = make([]uint64, len(messages))
	for i, e := range next.list.entries {
		if e.message.ID == "" {
			e.message.ID = ids.New()
		}
		next.seq++
		next.born[i] = next.seq
	}
	return next
}

// removals checks the ids to remove and drops those that the same update puts back. An update may be long, so ids are
// looked up and not searched for.
func (l *Log) removals(u *abi.Update) (map[string]bool, error) {
	if len(u.Remove) == 0 {
		return nil, nil //nolint:nilnil // nothing is removed
	}
	out := make(map[string]bool, len(u.Remove))
	for _, id := range u.Remove {
		if l.find(id) < 0 {
			return nil, &UpdateError{fmt.Sprintf("remove: there is no message with the id %q", id)}
		}
		out[id] = true
	}
	for i := range u.Messages {
		delete(out, u.Messages[i].ID)
	}
	for i := range u.Patch {
		if out[u.Patch[i].ID()] {
			return nil, &UpdateError{fmt.Sprintf("patch: the message %q is removed by the same update", u.Patch[i].ID())}
		}
	}
	return out, nil
}

// patch changes one message; shared is that of replace.
func (l Log) patch(p *abi.Patch, shared bool) (Log, error) {
	at := l.find(p.ID())
	if at < 0 {
		return l, &UpdateError{fmt.Sprintf("patch: there is no message with the id %q", p.ID())}
	}
	message, err := p.Apply(&l.list.entries[at].message)
	if err != nil {
		return l, &UpdateError{err.Error()}
	}
	entry := &Entry{}
	entry.message = message
	return l.replace(at, entry, shared), nil
}

// put appends or replaces messages. owned says that this update has copied the entries already.
func (l Log) put(messages []abi.Message, ids IDs, owned bool) Log {
	l.list.entries = slices.Grow(l.list.entries, len(messages))
	l.born = slices.Grow(l.born, len(messages))
	slab := make([]Entry, len(messages))
	for i := range messages {
		m := &slab[i].message
		*m = messages[i]
		at := -1
		if m.ID == "" {
			m.ID = ids.New()
		} else if !ids.Take(m.ID) {
			at = l.find(m.ID)
		}
		if at < 0 {
			l.seq++
			l.list.entries = append(l.list.entries, &slab[i])
			l.born = append(l.born, l.seq)
			continue
		}
		l = l.replace(at, &slab[i], !owned)
		owned = true
	}
	return l
}

// replace puts another message in the place of one; shared says that older lists still show the entries.
func (l Log) replace(at int, e *Entry, shared bool) Log {
	if shared {
		l.list.entries = slices.Clone(l.list.entries)
	}
	l.list.entries[at] = e
	l.seq++
	l.changes = append(l.changes, change{seq: l.seq, born: l.born[at], id: e.message.ID})
	return l
}

func (l Log) remove(ids map[string]bool) Log {
	entries := make([]*Entry, 0, l.list.Len())
	born := make([]uint64, 0, l.list.Len())
	for i, e := range l.list.entries {
		if ids[e.message.ID] {
			l.seq++
			l.changes = append(l.changes, change{seq: l.seq, born: l.born[i], id: e.message.ID, removed: true})
			continue
		}
		entries = append(entries, e)
		born = append(born, l.born[i])
	}
	l.list.entries, l.born, l.index = entries, born, nil
	return l
}
