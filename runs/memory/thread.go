package memory

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// thread is a thread at rest, with its runs.
type thread struct {
	rest *runs.Thread
	runs []*run // in the order of their numbers
}

// busy reports whether a run other than one is not over.
func (t *thread) busy(but *run) bool {
	return slices.ContainsFunc(t.runs, func(r *run) bool { return r != but && !r.row.Status.Over() })
}

func (t *thread) running() bool {
	return slices.ContainsFunc(t.runs, func(r *run) bool { return r.row.Status == runs.Running })
}

func (t *thread) seen() *runs.Thread { return rule.SeeThread(t.rest, t.busy(nil)) }

// CreateThread adds a thread, see [runs.Threads].
func (s *Store) CreateThread(ctx context.Context, t *runs.Thread) error {
	rest, err := rule.CreateThread(t, s.now())
	if err != nil {
		return err
	}
	if err := s.begin(ctx, t.Owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.threads[t.Owner][t.ID] != nil {
		return runs.ErrExists
	}
	put(s.threads, t.Owner, t.ID, &thread{rest: rest})
	t.Status, t.Created, t.Updated = rest.Status, rest.Created, rest.Updated
	return nil
}

// Thread returns a thread, see [runs.Threads].
func (s *Store) Thread(ctx context.Context, owner, id string) (*runs.Thread, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	t := s.threads[owner][id]
	if t == nil {
		return nil, runs.ErrNoThread
	}
	return t.seen(), nil
}

// ChangeThread changes a thread, see [runs.Threads].
func (s *Store) ChangeThread(ctx context.Context, owner, id string, change func(t *runs.Thread) error) (*runs.Thread, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	t := s.threads[owner][id]
	if t == nil {
		return nil, runs.ErrNoThread
	}
	rest, err := rule.ChangeThread(t.rest, t.busy(nil), s.now(), change)
	if err != nil {
		return nil, err
	}
	t.rest = rest
	return t.seen(), nil
}

// FindThreads returns a page of threads, see [runs.Threads].
func (s *Store) FindThreads(ctx context.Context, owner string, q *runs.ThreadQuery) (found []runs.Thread, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	if err := s.begin(ctx, owner); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()
	var rows []row[*thread]
	for id, t := range s.threads[owner] {
		if t.rest.Temporary || q.IDs != nil && !slices.Contains(q.IDs, id) || !t.rest.Metadata.Contains(q.Metadata) {
			continue
		}
		status := t.rest.Status
		if t.busy(nil) {
			status = runs.ThreadBusy
		}
		if q.Status == "" || q.Status == status {
			rows = append(rows, row[*thread]{id, threadKey(t.rest, q.Sort, status), t})
		}
	}
	total = page(rows, &q.Page, func(t *thread) { found = append(found, *t.seen()) })
	return found, total, nil
}

func threadKey(t *runs.Thread, sort runs.Sort, status runs.ThreadStatus) key {
	switch sort {
	case runs.SortID:
		return key{text: t.ID}
	case runs.SortUpdated:
		return key{time: t.Updated}
	case runs.SortStepped:
		return key{time: t.Stepped}
	case runs.SortStatus:
		return key{text: string(status)}
	case runs.SortAgent:
		return key{text: t.Agent}
	default:
		return key{time: t.Created}
	}
}

// DeleteThread removes a thread with its runs, see [runs.Threads].
func (s *Store) DeleteThread(ctx context.Context, owner, id string) error {
	if err := s.begin(ctx, owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	t := s.threads[owner][id]
	switch {
	case t == nil:
		return runs.ErrNoThread
	case t.running():
		return runs.ErrThreadBusy
	}
	s.removeThread(t)
	s.hints.Send(runs.Hint{Kind: runs.HintThread, Thread: id})
	return nil
}

func (s *Store) removeThread(t *thread) {
	for _, r := range slices.Clone(t.runs) {
		s.removeRun(r)
	}
	drop(s.threads, t.rest.Owner, t.rest.ID)
}
