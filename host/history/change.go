package history

import (
	"cmp"
	"fmt"
	"slices"
)

// Change is one thing that happened to a log, as a store keeps it: a message was appended, put in the place of another,
// or removed.
type Change struct {
	Seq     uint64 // when it happened; also the number of a message that was appended
	Born    uint64 // the number of the message that it concerns
	ID      string // of the message
	Entry   *Entry // the message; nil if it was removed, or if another change has what it became
	Removed bool
}

// Since returns what happened after a place, in its order; with reset the history was written anew since, and the
// changes are all that happened from then on. They are compressed: a message that was changed several times stands in
// them as it is now. [Log.Replay] does the opposite.
func (l *Log) Since(place Cursor) (changes []Change, reset bool) {
	after := place.Seq
	if reset = place.Epoch != l.epoch+1; reset {
		after = 0
	}
	first, _ := slices.BinarySearch(l.born, after+1)
	changes = make([]Change, 0, len(l.born)-first)
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

// Replay returns the log after changes that led to a place: to is the cursor of that log. With reset they start from an
// empty history. The numbers of what is kept, and so all cursors, mean the same again. The error is an [*UpdateError],
// for changes that do not belong to this log.
func (l Log) Replay(changes []Change, reset bool, to Cursor) (Log, error) {
	next := l.Fork()
	if reset {
		next = Log{}
	}
	next.epoch = to.Epoch - 1
	next.list.entries = slices.Clone(next.list.entries)
	for i := range changes {
		if err := next.replay(&changes[i]); err != nil {
			return l, err
		}
	}
	if next.seq > to.Seq {
		return l, &UpdateError{fmt.Sprintf("replay: the change %d is behind the place %d", next.seq, to.Seq)}
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
