package door

import (
	"context"
	"io"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// Translation makes the frames of a run.
type Translation struct {
	// Event returns the frames of an event; nil if it has none.
	Event func(ctx context.Context, e *runs.Event) ([]sse.Event, error)
	// End returns the last frames, after the run is over and all of its events were translated; nil: there are none.
	End func(ctx context.Context) ([]sse.Event, error)
}

// Follower makes the frames of a stream that follows a run until it is over. Only one goroutine may use it at a time, and it must be closed.
type Follower struct {
	translate Translation
	follower  *runs.Follower
	events    []runs.Event // that have led to no frames yet
}

// Follow begins to follow a run behind a position.
func (d *Door) Follow(owner, run string, after uint64, translate Translation) *Follower {
	return &Follower{translate: translate, follower: d.Service.Reader().NewFollower(owner, run, after)}
}

// Close ends the subscription.
func (f *Follower) Close() { f.follower.Close() }

// Next returns the next frames, see [sse.Source].
func (f *Follower) Next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	for {
		for len(f.events) > 0 {
			event := &f.events[0]
			f.events = f.events[1:]
			if out, err := f.translate.Event(ctx, event); err != nil || len(out) > 0 {
				return out, nil, err
			}
		}
		f.events = nil // or the memory of the last ones would be kept
		events, over, err := f.follower.Next(ctx)
		switch {
		case err != nil:
			return nil, nil, err
		case over:
			return f.end(ctx)
		case len(events) == 0:
			return nil, f.follower.News(), nil
		}
		f.events = events
	}
}

func (f *Follower) end(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	if f.translate.End == nil {
		return nil, nil, io.EOF
	}
	out, err := f.translate.End(ctx)
	if err == nil {
		err = io.EOF
	}
	return out, nil, err
}
