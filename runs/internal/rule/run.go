package rule

import (
	"time"

	"github.com/agenthost/agenthost/runs"
)

// SubmitRun returns a run as it is when it was submitted, without its number.
func SubmitRun(r *runs.Run, now time.Time) (*runs.Run, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	out := r.Copy()
	out.Status, out.Created, out.Updated = runs.Pending, runs.Moment(now), runs.Moment(now)
	out.Number, out.Attempt, out.Before, out.After, out.Cancel, out.Failure = 0, 0, 0, 0, "", nil
	if out.Strategy == "" {
		out.Strategy = runs.StrategyEnqueue
	}
	return out, nil
}

// Displaces returns how a run with a strategy cancels the runs of its thread that are not over; "": it does not.
func Displaces(s runs.Strategy) runs.Cancel {
	switch s {
	case runs.StrategyInterrupt:
		return runs.CancelKeep
	case runs.StrategyRollback:
		return runs.CancelRollback
	default:
		return ""
	}
}

// CancelRun cancels a run that is not over, and reports whether it is removed thereby.
func CancelRun(r *runs.Run, how runs.Cancel, now time.Time) (removed bool) {
	r.Updated = runs.Moment(now)
	if r.Status == runs.Pending && r.Attempt == 0 {
		r.Status = runs.Interrupted
		return how == runs.CancelRollback
	}
	if r.Cancel != runs.CancelRollback {
		r.Cancel = how
	}
	return false
}

// FinishRun ends a run.
func FinishRun(r *runs.Run, o *runs.Outcome, now time.Time) {
	r.Status, r.After, r.Updated = o.Status, o.After, runs.Moment(now)
	r.Failure = o.Failure.Copy()
}

// OfAttempt reports whether all events are those of an attempt.
func OfAttempt(events []runs.Event, attempt int) bool {
	for i := range events {
		if events[i].Attempt() != attempt {
			return false
		}
	}
	return true
}

// EventLimit returns how many events a limit allows.
func EventLimit(limit int) int {
	if limit <= 0 {
		return runs.MaxPage
	}
	return min(limit, runs.MaxPage)
}
