package checkpoint

import (
	"cmp"
	"context"
	"iter"
)

// Past is a checkpoint with the contents of its thread there.
type Past struct {
	Record *Record // with its changes
	Thread *Thread
}

// The first page of Past has few checkpoints, because most who ask want the newest.
const (
	firstPage = 16
	mostPages = 256
)

// Pasts yields the checkpoints of all branches of a thread with its contents there, the newest first. It loads the thread for the
// checkpoints that begin a page or end a branch, and makes the others of their changes.
func Pasts(ctx context.Context, s Store, thread string) iter.Seq2[*Past, error] {
	return func(yield func(*Past, error) bool) {
		parents := map[ID]bool{} // of the checkpoints that were yielded
		before := ID(0)
		for limit := firstPage; ; limit = min(2*limit, mostPages) {
			records, err := s.History(ctx, thread, before, limit)
			if err == nil && len(records) == 0 {
				return
			}
			var page []Past
			if err == nil {
				page, err = pasts(ctx, s, thread, records, parents)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page {
				if !yield(&page[i], nil) {
					return
				}
			}
			if len(records) < limit {
				return
			}
			before = records[len(records)-1].ID
		}
	}
}

// pasts returns the contents of a thread at checkpoints, the newest first. It adds their parents to those that are known.
func pasts(ctx context.Context, s Store, thread string, records []Record, parents map[ID]bool) ([]Past, error) {
	for i := range records {
		parents[records[i].Parent] = true
	}
	out := make([]Past, len(records))
	at := make(map[ID]*Thread, len(records)+1)
	load := func(id ID) (err error) {
		at[id], err = s.Load(ctx, thread, cmp.Or(id, Root))
		return err
	}
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		if !parents[r.ID] { // executions may be journalled after it
			if err := load(r.ID); err != nil {
				return nil, err
			}
			out[i] = Past{r, at[r.ID]}
			continue
		}
		if at[r.Parent] == nil {
			if err := load(r.Parent); err != nil {
				return nil, err
			}
		}
		next, err := at[r.Parent].then(r)
		if err != nil {
			return nil, err
		}
		at[r.ID] = next
		out[i] = Past{r, next}
	}
	return out, nil
}
