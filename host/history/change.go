package history

import (
	"cmp"
	"fmt"
	"slices"
)

// Change is one change to a log, as a store keeps it: a message was appended, replaced or removed.
type Change struct {
	Seq     uint64 // sequence number of the change; for an append, also the number of the message
	Born    uint64 // number of the message that changed
	ID      string // id of the message
	Entry   *Entry // the message; nil if it was removed, or if a later change holds its content
	Removed bool
}

// Since returns the changes after a place, in order. If reset is true, the history was overwritten in between, and the changes
// are all those since the overwrite. They are compressed: a message that changed several times appears in its final form.
// [Log.Replay] is the inverse.
func (l *Log) Since(place Cursor) (changes []Change, reset bool) { return l.AppendSince(nil, place) }

// AppendSince appends the changes that [Log.Since] returns to changes, which must be empty, and may have space for them.
func (l *Log) AppendSince(changes []Change, place Cursor) (_ []Change, reset bool) {
	after := place.Seq
	if reset = place.Epoch != l.epoch+1; reset {
		after = 0
	}
	first, _ := slices.BinarySearch(l.born, after+1)
	changes = slices.Grow(changes, len(l.born)-first)
	for i := first; i < len(l.born); i++ {
		e := l.list.entries[i]
		changes = append(changes, Change{Seq: l.born[i], Born: l.born[i], ID: e.message.ID, Entry: e})
	}
	later, _ := slices.BinarySearchFunc(l.changes, after+1, func(ch change, seq uint64) int { return cmp.Compare(ch.seq, seq) })
	if later == len(l.changes) {
		return changes, reset
	}
	final := map[uint64]bool{} // messages whose last change was seen
	for _, ch := range slices.Backward(l.changes[later:]) {
		out := Change{Seq: ch.seq, Born: ch.born, ID: ch.id, Removed: ch.removed}
		if at, ok := slices.BinarySearch(l.born, ch.born); ok && !ch.removed && ch.born <= after && !final[ch.born] {
			out.Entry = l.list.entries[at]
		}
		final[ch.born] = true
		changes = append(changes, out)
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Seq, b.Seq) })
	return changes, reset
}

// Replay returns the log after applying changes that lead to the place to. With reset, the changes start from an empty
// history. Message numbers, and so all cursors, keep their meaning. The error is an [*UpdateError] if the changes do not
// belong to this log.
func (l Log) Replay(changes []Change, reset bool, to Cursor) (Log, error) {
	next := l.Fork()
	if reset {
		next = Log{}
	}
	next.epoch = to.Epoch - 1
	next.list.entries, next.born = slices.Clone(next.list.entries), slices.Clone(next.born) // changes are made in place
	for i := range changes {
		if err := next.replay(&changes[i]); err != nil {
			return l, err
		}
	}
	if next.seq > to.Seq {
		return l, &UpdateError{fmt.Sprintf("replay: change %d comes after the requested position %d", next.seq, to.Seq)}
	}
	next.seq = to.Seq
	return next, nil
}

func (l *Log) replay(ch *Change) error {
	if ch.Seq <= l.seq || ch.Born > ch.Seq {
		return &UpdateError{fmt.Sprintf("replay: the change %d of the message %d cannot follow the change %d", ch.Seq, ch.Born, l.seq)}
	}
	l.seq = ch.Seq
	if ch.Born == ch.Seq {
		if ch.Entry == nil || ch.Removed {
			return &UpdateError{fmt.Sprintf("replay: the change %d appends no message", ch.Seq)}
		}
		l.list.entries, l.born = append(l.list.entries, ch.Entry), append(l.born, ch.Born)
		return nil
	}
	at, ok := slices.BinarySearch(l.born, ch.Born)
	switch {
	case !ok && ch.Entry != nil:
		return &UpdateError{fmt.Sprintf("replay: the change %d replaces the message %d, which is not there", ch.Seq, ch.Born)}
	case ok && ch.Removed:
		l.list.entries, l.born = slices.Delete(l.list.entries, at, at+1), slices.Delete(l.born, at, at+1)
	case ok && ch.Entry != nil:
		l.list.entries[at] = ch.Entry
	}
	l.changes = append(l.changes, change{seq: ch.Seq, born: ch.Born, id: ch.ID, removed: ch.Removed})
	return nil
}
