package runs

import (
	"context"
	"errors"
	"iter"
)

// Follow yields the events of a run that follow a position, those to come too, until the run is over. It ends with [ErrNoRun] if there is
// no such run, with the cause of the end of the context, or with an error of the store. If the run is removed meanwhile, as by a rollback, it
// ends without an error.
func (r *Reader) Follow(ctx context.Context, owner, run string, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := r.NewFollower(owner, run, after)
		defer f.Close()
		for {
			events, over, err := f.Next(ctx)
			for i := range events {
				if !yield(events[i], nil) {
					return
				}
			}
			if err == nil && !over && len(events) == 0 {
				err = pause(ctx, f.News())
			}
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(Event{}, err)
			}
			if err != nil || over {
				return
			}
		}
	}
}

// Follower follows a run as [Reader.Follow] does, without a goroutine that waits. Only one goroutine may use it at a time, and it must be closed.
type Follower struct {
	reader *Reader
	owner  string
	run    string
	after  uint64 // the position of the last event that was returned
	news   <-chan struct{}
	end    func()

	known   bool // there was such a run
	reading bool // the store may have more events for the look that has begun
	over    bool // the run was over when the look began
}

// NewFollower returns a follower of a run that begins after a position.
func (r *Reader) NewFollower(owner, run string, after uint64) *Follower {
	news, end := r.join(r.events, run)
	return &Follower{reader: r, owner: owner, run: run, after: after, news: news, end: end}
}

// Close ends the subscription.
func (f *Follower) Close() { f.end() }

// News has a value when there may be events that [Follower.Next] has not returned, and once a second until the reader is closed.
func (f *Follower) News() <-chan struct{} { return f.news }

// Next returns the events that come next, which must not be changed. None means that there are none yet, so that the caller waits for
// [Follower.News], or, with over, that there will be none. The errors are those of [Reader.Follow].
func (f *Follower) Next(ctx context.Context) (events []Event, over bool, err error) {
	if !f.reading {
		if events, here := f.live(); here {
			return events, false, nil
		}
		over, err := f.reader.isOver(ctx, f.owner, f.run) // before its events are read: the last ones come with the end
		switch {
		case f.known && errors.Is(err, ErrNoRun):
			return nil, true, nil
		case err != nil:
			return nil, false, err
		}
		f.known, f.reading, f.over = true, true, over
	}
	events, err = f.reader.store.Events(ctx, f.owner, f.run, f.after, 0)
	switch {
	case errors.Is(err, ErrNoRun):
		return nil, true, nil
	case err != nil:
		return nil, false, err
	case len(events) > 0:
		return f.pass(events), false, nil
	}
	if f.reading = false; f.over {
		return nil, true, nil
	}
	events, _ = f.live() // the store may have led to what it does not have yet
	return events, false, nil
}

// live returns the next events if this process performs the run and has them.
func (f *Follower) live() (events []Event, here bool) {
	events, here = f.reader.live.since(f.owner, f.run, f.after)
	f.known = f.known || here
	return f.pass(events), here
}

func (f *Follower) pass(events []Event) []Event {
	if len(events) > 0 {
		f.after = events[len(events)-1].Seq
	}
	return events
}
