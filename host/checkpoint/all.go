package checkpoint

import (
	"context"
	"iter"
)

// page is the number of records read at once.
const page = 100

// All yields the checkpoints of all branches of a thread, the newest first.
func All(ctx context.Context, s Store, thread string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for before := ID(0); ; {
			records, err := s.History(ctx, thread, before, page)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range records {
				if !yield(&records[i], nil) {
					return
				}
			}
			if len(records) < page {
				return
			}
			before = records[page-1].ID
		}
	}
}

// AllThreads yields the threads that a query selects, in the order of their names. The query's limit is the number of threads
// read at once.
func AllThreads(ctx context.Context, s Store, q Query) iter.Seq2[*Info, error] {
	return func(yield func(*Info, error) bool) {
		for {
			infos, err := s.Find(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range infos {
				if !yield(&infos[i], nil) {
					return
				}
			}
			if len(infos) < q.Most() {
				return
			}
			q.After = infos[len(infos)-1].Thread
		}
	}
}
