package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// enter locks the store for a worker. Without an error, the caller must unlock it.
func (s *Store) enter(ctx context.Context, w *runs.Worker) error {
	if err := w.Check(); err != nil {
		return err
	}
	return s.begin(ctx, "")
}

// Claim takes runs for a worker, see [runs.Queue].
func (s *Store) Claim(ctx context.Context, w *runs.Worker, limit int) (claimed []runs.Run, err error) {
	if err := s.enter(ctx, w); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	now := s.now()
	s.workers[w.ID] = now.Add(w.Lease)
	for _, r := range s.claimable(w.Agents, now) {
		if len(claimed) >= limit {
			break
		}
		claimed = append(claimed, *s.take(r, w, now))
	}
	return claimed, nil
}

// ClaimIn takes a run of a thread for a worker, see [runs.Queue].
func (s *Store) ClaimIn(ctx context.Context, w *runs.Worker, owner, id string) (*runs.Run, error) {
	if err := s.enter(ctx, w); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	t := s.threads[owner][id]
	if t == nil {
		return nil, runs.ErrNoThread
	}
	now := s.now()
	s.workers[w.ID] = now.Add(w.Lease)
	for _, r := range s.claimable(w.Agents, now) {
		if r.thread == t {
			return s.take(r, w, now), nil
		}
	}
	return nil, nil
}

// Claimable returns runs that could be claimed, see [runs.Queue].
func (s *Store) Claimable(ctx context.Context, agents []string, limit int) (found []runs.Run, err error) {
	if err := s.begin(ctx, ""); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	for _, r := range s.claimable(agents, s.now()) {
		if len(found) >= limit {
			break
		}
		found = append(found, *r.row.Copy())
	}
	return found, nil
}

// Queued counts runs that could be claimed, see [runs.Queue].
func (s *Store) Queued(ctx context.Context, agents []string) (map[string]int, error) {
	if err := s.begin(ctx, ""); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := map[string]int{}
	for _, r := range s.claimable(agents, s.now()) {
		found[r.row.Agent]++
	}
	return found, nil
}

// Waiting counts threads that wait, see [runs.Queue].
func (s *Store) Waiting(ctx context.Context) (map[string]int, error) {
	if err := s.begin(ctx, ""); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	found := map[string]int{}
	for _, threads := range s.threads {
		for _, t := range threads {
			if seen := t.seen(); seen.Status == runs.ThreadInterrupted && len(seen.Waiting) > 0 {
				found[seen.Agent]++
			}
		}
	}
	return found, nil
}

// claimable returns the runs that a worker with these agents can claim, the first submitted first.
func (s *Store) claimable(agents []string, now time.Time) (found []*run) {
	taken := map[*thread]bool{} // that have a run which comes first
	for _, r := range s.open {
		if r.row.Status == runs.Running {
			taken[r.thread] = true
		}
	}
	for _, r := range s.open {
		if r.row.Status == runs.Running {
			if !s.workers[r.worker].Before(now) {
				continue
			}
		} else {
			if r.row.Due.After(now) || taken[r.thread] {
				continue
			}
			taken[r.thread] = true
		}
		if slices.Contains(agents, r.row.Agent) {
			found = append(found, r)
		}
	}
	return found
}

// take lets a worker have a run.
func (s *Store) take(r *run, w *runs.Worker, now time.Time) *runs.Run {
	r.row.Status, r.row.Updated, r.worker = runs.Running, runs.Moment(now), w.ID
	r.row.Attempt++
	return r.row.Copy()
}

// held returns a run that a worker has claimed, or [runs.ErrNotClaimed].
func (s *Store) held(w *runs.Worker, id string) (*run, error) {
	if r := s.runs[id]; r != nil && r.row.Status == runs.Running && r.worker == w.ID {
		return r, nil
	}
	return nil, runs.ErrNotClaimed
}

// Begin notes the checkpoint before a run, see [runs.Queue].
func (s *Store) Begin(ctx context.Context, w *runs.Worker, id string, newest checkpoint.ID) (before checkpoint.ID, err error) {
	if err := s.enter(ctx, w); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	r, err := s.held(w, id)
	if err != nil {
		return 0, err
	}
	if !r.begun {
		r.begun, r.row.Before = true, newest
	}
	return r.row.Before, nil
}

// Renew extends the claims of a worker, see [runs.Queue].
func (s *Store) Renew(ctx context.Context, w *runs.Worker, ids []string) (*runs.Renewal, error) {
	if err := s.enter(ctx, w); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	s.workers[w.ID] = s.now().Add(w.Lease)
	out := &runs.Renewal{Cancel: map[string]runs.Cancel{}}
	for _, id := range ids {
		r, err := s.held(w, id)
		switch {
		case err != nil:
			out.Lost = append(out.Lost, id)
		case r.row.Cancel != "":
			out.Cancel[id] = r.row.Cancel
		}
	}
	return out, nil
}

// Append adds events, see [runs.Queue].
func (s *Store) Append(ctx context.Context, w *runs.Worker, events []runs.Event) error {
	if err := runs.CheckEvents(events); err != nil {
		return err
	}
	if err := s.enter(ctx, w); err != nil {
		return err
	}
	defer s.mu.Unlock()
	var hints []runs.Hint
	for i := range events {
		r, err := s.held(w, events[i].Run)
		if err == nil && r.row.Attempt == events[i].Attempt() {
			r.add(&events[i])
			hints = append(hints, runs.Hint{Kind: runs.HintEvents, Run: r.row.ID})
		}
	}
	s.hints.Send(hints...)
	return nil
}

// add adds an event unless its position is taken.
func (r *run) add(e *runs.Event) {
	if at, taken := slices.BinarySearchFunc(r.events, e.Seq, bySeq); !taken {
		r.events = slices.Insert(r.events, at, *e.Copy())
	}
}

func bySeq(e runs.Event, seq uint64) int { return cmp.Compare(e.Seq, seq) }

// Finish ends a run, see [runs.Queue].
func (s *Store) Finish(ctx context.Context, w *runs.Worker, o *runs.Outcome) error {
	if err := o.Check(); err != nil {
		return err
	}
	if err := s.enter(ctx, w); err != nil {
		return err
	}
	defer s.mu.Unlock()
	r, err := s.held(w, o.Run)
	if err != nil {
		return err
	}
	if !rule.OfAttempt(o.Events, r.row.Attempt) {
		return runs.ErrNotClaimed
	}
	now := s.now()
	rest, err := rule.ChangeThread(r.thread.rest, true, now, rule.Infallible(o.Thread))
	if err != nil {
		return err
	}
	r.thread.rest = rest
	if o.Remove {
		s.removeRun(r)
		return nil
	}
	rule.FinishRun(r.row, o, now)
	for i := range o.Events {
		r.add(&o.Events[i])
	}
	s.close(r)
	return nil
}

// Release gives a run back, see [runs.Queue].
func (s *Store) Release(ctx context.Context, w *runs.Worker, id string) error {
	if err := s.enter(ctx, w); err != nil {
		return err
	}
	defer s.mu.Unlock()
	r, err := s.held(w, id)
	if err != nil {
		return err
	}
	r.row.Status, r.row.Updated, r.worker = runs.Pending, runs.Moment(s.now()), ""
	s.hints.Send(runs.Hint{Kind: runs.HintQueue, Run: r.row.ID})
	return nil
}

// Expired returns threads that have expired, see [runs.Queue].
func (s *Store) Expired(ctx context.Context, now time.Time, limit int) (expired []runs.Thread, err error) {
	if err := s.begin(ctx, ""); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var rows []*thread
	for _, threads := range s.threads {
		for _, t := range threads {
			if at := rule.Expires(t.rest); !at.IsZero() && !at.After(now) && !t.busy(nil) {
				rows = append(rows, t)
			}
		}
	}
	slices.SortFunc(rows, func(a, b *thread) int {
		return cmp.Or(rule.Expires(a.rest).Compare(rule.Expires(b.rest)), cmp.Compare(a.rest.Owner, b.rest.Owner), cmp.Compare(a.rest.ID, b.rest.ID))
	})
	for _, t := range rows[:min(max(limit, 0), len(rows))] {
		expired = append(expired, *t.seen())
	}
	return expired, nil
}

// Prune removes events of old runs, see [runs.Queue].
func (s *Store) Prune(ctx context.Context, before, tokens time.Time) (events int, err error) {
	if err := s.begin(ctx, ""); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.row.Status.Over() && r.row.Updated.Before(before) {
			events += len(r.events)
			r.events = nil
		}
		if !r.row.Resumable && r.row.Status.Over() && r.row.Updated.Before(tokens) {
			had := len(r.events)
			r.events = slices.DeleteFunc(r.events, func(e runs.Event) bool { return e.Token() })
			events += had - len(r.events)
		}
	}
	s.spending = slices.DeleteFunc(s.spending, func(spent runs.Spending) bool { return spent.Day.Before(s.now().Add(-runs.KeepSpending)) })
	used := map[string]bool{}
	for _, r := range s.open {
		used[r.worker] = true
	}
	for id, until := range s.workers {
		if until.Before(s.now()) && !used[id] {
			delete(s.workers, id)
		}
	}
	return events, nil
}
