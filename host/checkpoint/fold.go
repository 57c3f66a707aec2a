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
		r := &records[i]
		all = append(all, r.Changes...)
		t.State = t.State.With(r.State)
		for _, name := range r.Unset {
			t.State.Delete(name)
		}
		if r.Program != nil {
			t.Program = r.Program
		}
	}
	t.Record = records[len(records)-1]
	t.ID = t.Record.ID
	t.Record.Forget()
	if t.Record.Cursor.Epoch == 0 { // epoch 0 is reserved for readers that have seen nothing
		return nil, fmt.Errorf("%w: checkpoint %d: its position in the history is missing", ErrCorrupt, t.ID)
	}
	var err error
	if t.Log, err = t.Log.Replay(all, true, t.Record.Cursor); err != nil {
		return nil, fmt.Errorf("%w: checkpoint %d: %w", ErrCorrupt, t.ID, err)
	}
	return t, nil
}
