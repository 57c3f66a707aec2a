package rule

import (
	"time"

	"github.com/agenthost/agenthost/runs"
)

// CreateSchedule returns a new schedule.
func CreateSchedule(s *runs.Schedule, now time.Time) (*runs.Schedule, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	out := s.Copy()
	out.Created, out.Updated = runs.Moment(now), runs.Moment(now)
	return out, nil
}

// ChangeSchedule returns a changed schedule.
func ChangeSchedule(old *runs.Schedule, now time.Time, change func(s *runs.Schedule) error) (*runs.Schedule, error) {
	out := old.Copy()
	if err := change(out); err != nil {
		return nil, err
	}
	out.Owner, out.ID, out.Created, out.Updated = old.Owner, old.ID, old.Created, now
	if err := out.Check(); err != nil {
		return nil, err
	}
	return out.Copy(), nil
}

// Fire returns when a schedule that is due fires next, and whether it fires now.
func Fire(s *runs.Schedule, next func(s *runs.Schedule) time.Time) (at time.Time, fires bool) {
	if over(s, s.Next) {
		return time.Time{}, false
	}
	at = runs.Moment(next(s.Copy()))
	if !at.After(s.Next) || over(s, at) || at.Year() > runs.LastYear {
		at = time.Time{}
	}
	return at, true
}

func over(s *runs.Schedule, at time.Time) bool { return !s.End.IsZero() && at.After(s.End) }
