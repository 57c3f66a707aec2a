package history

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// Log is the history of a run. It is a value: applying an update returns a new Log and leaves the old one unchanged, so a
// failed update changes nothing. Only the newest Log, or a [Log.Fork] of any, accepts updates; older ones can still be read.
type Log struct {
	list    List
	born    []uint64 // for each entry, the sequence number of its append
	seq     uint64   // number of appends, replacements and removals since the epoch began
	epoch   uint64   // number of overwrites
	changes []change // replacements and removals in the epoch, ordered by seq
	index   *index
}

// change is a replacement or a removal.
type change struct {
	seq     uint64
	born    uint64
	id      string
	removed bool
}

// Cursor is a position in the life of a Log. The zero value precedes everything.
type Cursor struct {
	Epoch uint64 // 1 + the epoch; 0 in the zero cursor
	Seq   uint64
}

// UpdateError reports an update that names an unknown message, or changes something immutable.
type UpdateError struct{ Reason string }

func (e *UpdateError) Error() string { return "messages: " + e.Reason }

// List returns the messages.
func (l *Log) List() List { return List{l.list.entries[:l.list.Len():l.list.Len()]} }

// Fork returns the same history for a separate line of changes: both it and l accept updates.
func (l *Log) Fork() Log {
	return Log{
		list: List{slices.Clip(l.list.entries)}, born: slices.Clip(l.born), changes: slices.Clip(l.changes), seq: l.seq, epoch: l.epoch,
	}
}

// Cursor returns the current position.
func (l *Log) Cursor() Cursor { return Cursor{Epoch: l.epoch + 1, Seq: l.seq} }

// Apply returns the log after an update. It applies overwrite or removals first, then patches, then messages: a message with
// the id of an existing one replaces it in place; others are appended. A removed id that the same update adds again keeps its
// place. Messages without an id get one from ids. The error is an [*UpdateError].
func (l Log) Apply(u *abi.Update, ids IDs) (Log, error) {
	if l.index != nil { // a failed update may have left entries beyond the log
		l.index.covered = min(l.index.covered, l.list.Len())
	}
	if u.Overwrite {
		if len(u.Remove) > 0 || len(u.Patch) > 0 {
			return l, &UpdateError{"overwrite cannot be combined with remove or patch"}
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

// removals checks the ids to remove, and drops those that the same update adds again. An update may be long, so ids are looked
// up in the index.
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

// patch changes one message; shared means the same as in replace.
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

// put appends or replaces messages. owned means that this update has already copied the entries.
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

// replace replaces one message; shared means that older lists still use the entries.
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
