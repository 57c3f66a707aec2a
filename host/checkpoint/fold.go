package checkpoint

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/history"
)

// Fold rebuilds the contents of a thread at the last of these records, each of which is the parent of the next. Records before
// the last whole one are not needed. The error is [ErrCorrupt].
func Fold(records []Record) (*Thread, error) {
	for len(records) > 0 {
		at := slices.IndexFunc(records[1:], func(r Record) bool { return r.Whole })
		if at < 0 {
			break
		}
		records = records[at+1:]
	}
	if len(records) == 0 || !records[0].Whole {
		return nil, fmt.Errorf("%w: the first checkpoint of the thread is missing", ErrCorrupt)
	}
	t := &Thread{}
	changes := 0
	for i := range records {
		changes += len(records[i].Changes)
	}
	all := make([]history.Change, 0, changes)
	for i := range records {
		all = append(all, records[i].Changes...)
		t.merge(&records[i])
	}
	return t, t.replay(all, true)
}

// then returns the contents of the thread at the next checkpoint. The error is [ErrCorrupt].
func (t *Thread) then(r *Record) (*Thread, error) {
	next := &Thread{Newest: t.Newest}
	if !r.Whole {
		if t.ID == 0 {
			return nil, fmt.Errorf("%w: the first checkpoint of the thread is missing", ErrCorrupt)
		}
		next.Log, next.State, next.Program = t.Log, t.State, t.Program
	}
	next.merge(r)
	return next, next.replay(r.Changes, r.Whole)
}

// merge takes over a record, apart from the changes of the messages.
func (t *Thread) merge(r *Record) {
	t.State = t.State.With(r.State)
	for _, name := range r.Unset {
		t.State.Delete(name)
	}
	if r.Program != nil {
		t.Program = r.Program
	}
	t.ID, t.Record = r.ID, *r
	t.Record.Forget()
}

// replay makes changes of the messages that lead to the thread's checkpoint. With reset, they start from an empty history.
func (t *Thread) replay(changes []history.Change, reset bool) (err error) {
	if t.Record.Cursor.Epoch == 0 { // epoch 0 is reserved for readers that have seen nothing
		return fmt.Errorf("%w: checkpoint %d: its position in the history is missing", ErrCorrupt, t.ID)
	}
	if t.Log, err = t.Log.Replay(changes, reset, t.Record.Cursor); err != nil {
		return fmt.Errorf("%w: checkpoint %d: %w", ErrCorrupt, t.ID, err)
	}
	return nil
}
