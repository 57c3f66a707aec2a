package memory

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// run is a run with its events.
type run struct {
	row    *runs.Run
	thread *thread
	worker string // who has claimed it; "": nobody
	begun  bool   // row.Before is noted
	events []runs.Event
}

// Submit adds a run, see [runs.Runs].
func (s *Store) Submit(ctx context.Context, r *runs.Run, create bool, most int, note func(t *runs.Thread)) error {
	row, err := rule.SubmitRun(r, s.now())
	if err != nil {
		return err
	}
	if err := s.begin(ctx, r.Owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	t := s.threads[r.Owner][r.Thread]
	if t == nil && !create {
		return runs.ErrNoThread
	}
	missing := t == nil
	if missing {
		rest, err := rule.CreateThread(&runs.Thread{Owner: r.Owner, ID: r.Thread}, row.Created)
		if err != nil {
			return err
		}
		t = &thread{rest: rest}
	}
	displaces := rule.Displaces(row.Strategy)
	if row.Strategy == runs.StrategyReject && t.busy(nil) {
		return runs.ErrThreadBusy
	}
	same := s.runs[r.ID]
	if same != nil && same.thread == t && displaces != "" && !same.row.Status.Over() {
		return runs.ErrExists
	}
	if most > 0 && s.unfinished(r.Owner, t, displaces) >= most {
		return runs.ErrQueueFull
	}
	rest, err := rule.ChangeThread(t.rest, true, row.Created, rule.Infallible(note))
	switch {
	case err != nil:
		return err
	case same != nil:
		return runs.ErrExists
	}
	t.rest = rest
	if missing {
		put(s.threads, r.Owner, r.Thread, t)
	}
	if displaces != "" {
		for _, other := range slices.Clone(t.runs) {
			if !other.row.Status.Over() {
				s.cancel(other, displaces)
			}
		}
	}
	s.numbers++
	row.Number = s.numbers
	added := &run{row: row, thread: t}
	s.runs[row.ID], t.runs, s.open = added, append(t.runs, added), append(s.open, added)
	*r = *row.Copy()
	s.hints.Send(runs.Hint{Kind: runs.HintQueue, Run: row.ID}, runs.Hint{Kind: runs.HintThread, Thread: row.Thread})
	return nil
}

// unfinished counts the runs of an owner that are not over when those of a thread have been displaced.
func (s *Store) unfinished(owner string, t *thread, displaces runs.Cancel) (n int) {
	for _, r := range s.open {
		gone := displaces != "" && r.thread == t && r.row.Status == runs.Pending && r.row.Attempt == 0
		if r.row.Owner == owner && !gone {
			n++
		}
	}
	return n
}

// Run returns a run, see [runs.Runs].
func (s *Store) Run(ctx context.Context, owner, id string) (*runs.Run, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	r := s.run(owner, id)
	if r == nil {
		return nil, runs.ErrNoRun
	}
	return r.row.Copy(), nil
}

// NewestRun returns the greatest number of a run, see [runs.Queue].
func (s *Store) NewestRun(ctx context.Context) (number uint64, err error) {
	if err := s.begin(ctx, ""); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	for _, r := range s.runs {
		number = max(number, r.row.Number)
	}
	return number, nil
}

// run returns a run of an owner, or nil.
func (s *Store) run(owner, id string) *run {
	if r := s.runs[id]; r != nil && r.row.Owner == owner {
		return r
	}
	return nil
}

// FindRuns returns runs of a thread, see [runs.Runs].
func (s *Store) FindRuns(ctx context.Context, owner, thread string, q *runs.RunQuery) (found []runs.Run, err error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	t := s.threads[owner][thread]
	if t == nil {
		return nil, runs.ErrNoThread
	}
	var rows []*run
	for _, r := range slices.Backward(t.runs) {
		if r.row.Number > q.After && (q.Status == "" || q.Status == r.row.Status) {
			rows = append(rows, r)
		}
	}
	for _, r := range part(rows, q.Limit, q.Offset) {
		found = append(found, *r.row.Copy())
	}
	return found, nil
}

// Cancel cancels a run, see [runs.Runs].
func (s *Store) Cancel(ctx context.Context, owner, id string, how runs.Cancel) (*runs.Run, error) {
	if err := how.Check(); err != nil {
		return nil, err
	}
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	r := s.run(owner, id)
	switch {
	case r == nil:
		return nil, runs.ErrNoRun
	case r.row.Status.Over():
		return nil, runs.ErrRunOver
	}
	s.cancel(r, how)
	return r.row.Copy(), nil
}

// cancel cancels a run that is not over, without a look at its thread.
func (s *Store) cancel(r *run, how runs.Cancel) {
	now := s.now()
	removed := rule.CancelRun(r.row, how, now)
	if !r.row.Status.Over() {
		s.hints.Send(runs.Hint{Kind: runs.HintCancel, Run: r.row.ID})
		return
	}
	s.close(r)
	r.thread.rest.Updated = runs.Moment(now)
	if removed {
		s.removeRun(r)
	}
}

// close takes a run that is over from the queue.
func (s *Store) close(r *run) {
	s.open = slices.DeleteFunc(s.open, func(o *run) bool { return o == r })
	r.worker = ""
	s.hints.Send(runs.Hint{Kind: runs.HintEnd, Run: r.row.ID})
	if r.thread.busy(r) {
		s.hints.Send(runs.Hint{Kind: runs.HintQueue})
	}
}

// removeRun removes a run with its events.
func (s *Store) removeRun(r *run) {
	if !r.row.Status.Over() {
		s.close(r)
	}
	delete(s.runs, r.row.ID)
	r.thread.runs = slices.DeleteFunc(r.thread.runs, func(o *run) bool { return o == r })
}

// DeleteRun removes a run, see [runs.Runs].
func (s *Store) DeleteRun(ctx context.Context, owner, id string) error {
	if err := s.begin(ctx, owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	r := s.run(owner, id)
	switch {
	case r == nil:
		return runs.ErrNoRun
	case r.row.Status == runs.Running:
		return runs.ErrThreadBusy
	}
	if !r.row.Status.Over() {
		r.thread.rest.Updated = runs.Moment(s.now())
	}
	s.removeRun(r)
	return nil
}

// Events returns events of a run, see [runs.Runs].
func (s *Store) Events(ctx context.Context, owner, id string, after uint64, limit int) (found []runs.Event, err error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	r := s.run(owner, id)
	if r == nil {
		return nil, runs.ErrNoRun
	}
	from, taken := slices.BinarySearchFunc(r.events, after, bySeq)
	if taken {
		from++
	}
	size := 0
	for i := from; i < len(r.events) && len(found) < rule.EventLimit(limit); i++ {
		if size += len(r.events[i].Data); size > runs.MaxEvents && len(found) > 0 {
			break
		}
		found = append(found, *r.events[i].Copy())
	}
	return found, nil
}
