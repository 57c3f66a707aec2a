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
		news, end := r.subscribe(run)
		defer end()
		f := &follower{Reader: r, owner: owner, run: run, after: after, yield: yield}
		for {
			over, err := f.look(ctx)
			switch {
			case f.left:
				return
			case err == nil && !over:
				err = pause(ctx, news)
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

// follower follows a run for a client.
type follower struct {
	*Reader

	owner string
	run   string
	after uint64 // the position of the last event that the client has
	known bool   // there was such a run
	left  bool   // the client wants no more
	yield func(Event, error) bool
}

// look yields the events that are there now, and returns whether there will be no more.
func (f *follower) look(ctx context.Context) (over bool, err error) {
	events, here := f.live.since(f.owner, f.run, f.after)
	if !here {
		if over, err = f.read(ctx); over || err != nil {
			return over, err
		}
		events, here = f.live.since(f.owner, f.run, f.after) // the store may have led to what it does not have yet
	}
	f.known = f.known || here
	for i := range events {
		if !f.pass(events[i]) {
			break
		}
	}
	return false, nil
}

// read yields the events that the store has.
func (f *follower) read(ctx context.Context) (over bool, err error) {
	over, err = f.isOver(ctx, f.owner, f.run) // before its events are read: the last ones come with the end
	switch {
	case f.known && errors.Is(err, ErrNoRun):
		return true, nil
	case err != nil:
		return false, err
	}
	f.known = true
	for event, err := range AllEvents(ctx, f.store, f.owner, f.run, f.after) {
		switch {
		case errors.Is(err, ErrNoRun):
			return true, nil
		case err != nil:
			return false, err
		case !f.pass(event):
			return false, nil
		}
	}
	return over, nil
}

// pass hands an event to the client, and returns whether it wants more.
func (f *follower) pass(e Event) bool {
	if f.left = !f.yield(e, nil); !f.left {
		f.after = e.Seq
	}
	return !f.left
}
