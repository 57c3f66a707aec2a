package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// CreateSchedule adds a schedule, see [runs.Schedules].
func (s *Store) CreateSchedule(ctx context.Context, schedule *runs.Schedule) error {
	row, err := rule.CreateSchedule(schedule, s.now())
	if err != nil {
		return err
	}
	if err := s.begin(ctx, schedule.Owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if _, ok := s.schedules[schedule.Owner][schedule.ID]; ok {
		return runs.ErrExists
	}
	put(s.schedules, schedule.Owner, schedule.ID, *row)
	schedule.Created, schedule.Updated = row.Created, row.Updated
	return nil
}

// Schedule returns a schedule, see [runs.Schedules].
func (s *Store) Schedule(ctx context.Context, owner, id string) (*runs.Schedule, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	row, ok := s.schedules[owner][id]
	if !ok {
		return nil, runs.ErrNoSchedule
	}
	return row.Copy(), nil
}

// ChangeSchedule changes a schedule, see [runs.Schedules].
func (s *Store) ChangeSchedule(ctx context.Context, owner, id string, change func(s *runs.Schedule) error) (*runs.Schedule, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	row, ok := s.schedules[owner][id]
	if !ok {
		return nil, runs.ErrNoSchedule
	}
	changed, err := rule.ChangeSchedule(&row, s.now(), change)
	if err != nil {
		return nil, err
	}
	s.schedules[owner][id] = *changed
	return changed.Copy(), nil
}

// FindSchedules returns a page of schedules, see [runs.Schedules].
func (s *Store) FindSchedules(ctx context.Context, owner string, q *runs.ScheduleQuery) (found []runs.Schedule, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	if err := s.begin(ctx, owner); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()
	var rows []row[*runs.Schedule]
	for id, r := range s.schedules[owner] {
		if (q.Assistant == "" || q.Assistant == r.Assistant) && (q.Thread == "" || q.Thread == r.Thread) &&
			(q.Enabled == nil || *q.Enabled == r.Enabled) && r.Metadata.Contains(q.Metadata) {
			rows = append(rows, row[*runs.Schedule]{id, scheduleKey(&r, q.Sort), &r})
		}
	}
	total = page(rows, &q.Page, func(r *runs.Schedule) { found = append(found, *r.Copy()) })
	return found, total, nil
}

func scheduleKey(s *runs.Schedule, sort runs.Sort) key {
	switch sort {
	case runs.SortID:
		return key{text: s.ID}
	case runs.SortUpdated:
		return key{time: s.Updated}
	case runs.SortNext:
		return key{time: s.Next}
	default:
		return key{time: s.Created}
	}
}

// DeleteSchedule removes a schedule, see [runs.Schedules].
func (s *Store) DeleteSchedule(ctx context.Context, owner, id string) error {
	if err := s.begin(ctx, owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if _, ok := s.schedules[owner][id]; !ok {
		return runs.ErrNoSchedule
	}
	drop(s.schedules, owner, id)
	return nil
}

// Fire moves schedules on, see [runs.Queue].
func (s *Store) Fire(ctx context.Context, now time.Time, limit int, next func(s *runs.Schedule) time.Time) (fired []runs.Schedule, err error) {
	if err := s.begin(ctx, ""); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var due []runs.Schedule
	for _, rows := range s.schedules {
		for _, r := range rows {
			if r.Enabled && !r.Next.IsZero() && !r.Next.After(now) {
				due = append(due, r)
			}
		}
	}
	slices.SortFunc(due, func(a, b runs.Schedule) int {
		return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.ID, b.ID))
	})
	for _, r := range due[:min(max(limit, 0), len(due))] {
		at, fires := rule.Fire(&r, next)
		if fires {
			fired = append(fired, *r.Copy())
		}
		r.Next = at
		s.schedules[r.Owner][r.ID] = r
	}
	return fired, nil
}
