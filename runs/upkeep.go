package runs

import (
	"context"
	"errors"
	"time"
)

// How often the service looks for schedules that are due, and for what has expired; and how many it takes at once.
const (
	lookForSchedules = time.Second
	lookForExpired   = 15 * time.Second
	upkeepBatch      = 100
)

// upkeep starts the runs of schedules and removes what has expired, until the context ends. Several processes may do that with the same store.
func (s *Service) upkeep(ctx context.Context) {
	schedules, expired := time.NewTicker(lookForSchedules), time.NewTicker(lookForExpired) //nolint:forbidigo // schedules go by real time
	defer schedules.Stop()
	defer expired.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-schedules.C:
			s.fire(ctx)
		case <-expired.C:
			s.expire(ctx)
		}
	}
}

// fire starts the runs of schedules that are due. A run that cannot be started is left out: the schedule goes on with its next time.
func (s *Service) fire(ctx context.Context) {
	if s.config.Fire == nil {
		return
	}
	now := time.Now() //nolint:forbidigo // schedules go by real time
	for {
		due, err := s.store.Fire(ctx, now, upkeepBatch, func(schedule *Schedule) time.Time { return s.config.Next(schedule, now) })
		if err != nil {
			s.failed(ctx, "schedules cannot be read; trying again", err)
			return
		}
		for i := range due {
			s.start(ctx, &due[i])
		}
		if len(due) < upkeepBatch {
			return
		}
	}
}

func (s *Service) start(ctx context.Context, schedule *Schedule) {
	sub, err := s.config.Fire(ctx, schedule)
	if err == nil {
		_, err = s.Submit(ctx, sub)
	}
	if err != nil {
		s.log.Error("a schedule could not start its run", "schedule", schedule.ID, "owner", schedule.Owner, "error", err)
	}
}

// keepTokens is how long readers may take to read the last tokens of a run that is not resumable.
const keepTokens = time.Minute

// expire removes threads whose time is over, and the events of old runs.
func (s *Service) expire(ctx context.Context) {
	now := time.Now() //nolint:forbidigo // expiry goes by real time
	threads, err := s.store.Expired(ctx, now, upkeepBatch)
	if err != nil {
		s.failed(ctx, "expired threads cannot be read; trying again", err)
	}
	for i := range threads {
		t := &threads[i]
		if err := s.DeleteThread(ctx, t.Owner, t.ID); err != nil && !errors.Is(err, ErrThreadBusy) && !errors.Is(err, ErrNoThread) {
			s.failed(ctx, "an expired thread cannot be removed; trying again", err)
		}
	}
	if _, err := s.store.Prune(ctx, now.Add(-s.config.KeepEvents), now.Add(-keepTokens)); err != nil {
		s.failed(ctx, "events of old runs cannot be removed; trying again", err)
	}
}

func (s *Service) failed(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.log.Error(what, "error", err)
	}
}
