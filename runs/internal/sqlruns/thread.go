package sqlruns

import (
	"context"
	"database/sql"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// CreateThread adds a thread, see [runs.Threads].
func (s *Store) CreateThread(ctx context.Context, t *runs.Thread) error {
	rest, err := rule.CreateThread(t, s.now())
	if err != nil {
		return err
	}
	_, added, err := s.addThread(ctx, s.db.Writes(), rest)
	switch {
	case err != nil:
		return s.db.Failed(err)
	case !added:
		return runs.ErrExists
	}
	t.Status, t.Created, t.Updated = rest.Status, rest.Created, rest.Updated
	return nil
}

// Thread returns a thread, see [runs.Threads].
func (s *Store) Thread(ctx context.Context, owner, id string) (*runs.Thread, error) {
	if err := known(owner, id, runs.ErrNoThread); err != nil {
		return nil, err
	}
	found, err := collect(ctx, s, s.db.Reads(), scanSeenThread,
		`SELECT `+threadColumns+` FROM agenthost_run_threads t WHERE t.owner = $1 AND t.id = $2`, owner, id)
	switch {
	case err != nil:
		return nil, s.db.Failed(err)
	case len(found) == 0:
		return nil, runs.ErrNoThread
	}
	return &found[0], nil
}

// known returns an error if there can be no such owner, or no row with the id.
func known(owner, id string, missing error) error {
	if err := runs.CheckOwner(owner); err != nil {
		return err
	}
	if runs.CheckID(id) != nil {
		return missing
	}
	return nil
}

// ChangeThread changes a thread, see [runs.Threads].
func (s *Store) ChangeThread(ctx context.Context, owner, id string, change func(t *runs.Thread) error) (*runs.Thread, error) {
	if err := known(owner, id, runs.ErrNoThread); err != nil {
		return nil, err
	}
	var t *threadRow
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if t, err = s.lockThread(ctx, tx, owner, id); err != nil {
			return err
		}
		rest, err := rule.ChangeThread(&t.rest, t.busy, s.now(), theirs(change))
		if err != nil {
			return err
		}
		t.rest = *rest
		return s.saveThread(ctx, tx, t)
	})
	if err != nil {
		return nil, err
	}
	return t.seen(), nil
}

// FindThreads returns a page of threads, see [runs.Threads].
func (s *Store) FindThreads(ctx context.Context, owner string, q *runs.ThreadQuery) (page []runs.Thread, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	if err := runs.CheckOwner(owner); err != nil {
		return nil, 0, err
	}
	list, err := s.threads(owner, q)
	if err != nil {
		return nil, 0, err
	}
	order := map[runs.Sort]string{
		"": "created", runs.SortID: "id", runs.SortCreated: "created", runs.SortUpdated: "updated", runs.SortStepped: "stepped",
		runs.SortStatus: "status", runs.SortAgent: "agent",
	}[q.Sort]
	return find(ctx, s, list, scanSeenThread, threadColumns, order, &q.Page)
}

// threads returns the list for a query.
func (s *Store) threads(owner string, q *runs.ThreadQuery) (*search, error) {
	out := &search{from: "agenthost_run_threads t"}
	out.add("owner = ?", owner)
	out.add("temporary = ?", false)
	if q.IDs != nil {
		ids := []string{}
		for _, id := range q.IDs {
			if runs.CheckID(id) == nil {
				ids = append(ids, id)
			}
		}
		values, err := list(s.dialect, ids)
		if err != nil {
			return nil, err
		}
		out.add("id {in ?}", values)
	}
	if q.Status != "" {
		out.add("status = ?", string(q.Status))
	}
	return out, out.contains(q.Metadata)
}

// DeleteThread removes a thread with its runs, see [runs.Threads].
func (s *Store) DeleteThread(ctx context.Context, owner, id string) error {
	if err := known(owner, id, runs.ErrNoThread); err != nil {
		return err
	}
	pending := false
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		t, err := s.lockThread(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if pending = t.busy; pending {
			running, err := collect(ctx, s, tx, scanNumber, `SELECT number FROM agenthost_runs WHERE thread = $1 AND status = 'running'`, t.no)
			if err != nil {
				return err
			}
			if len(running) > 0 {
				return runs.ErrThreadBusy
			}
		}
		_, err = s.exec(ctx, tx, `DELETE FROM agenthost_run_threads WHERE no = $1`, t.no)
		return err
	})
	if err != nil {
		return err
	}
	s.tell(runs.Hint{Kind: runs.HintThread, Thread: id})
	if pending {
		s.tell(runs.Hint{Kind: runs.HintEnd})
	}
	return nil
}
