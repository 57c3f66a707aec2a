package filewatch

import (
	"context"
	"time"
)

// Await waits until the files that the patterns name are no longer in the known state, and then have stayed the same from one tick to the
// next, so that many changes at once are one. It returns their state. The error is that of the context.
func Await(ctx context.Context, ticks <-chan time.Time, patterns []Pattern, known State) (State, error) {
	before := known
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-ticks:
		}
		now := Take(patterns)
		if !now.Equal(known) && now.Equal(before) {
			return now, nil
		}
		before = now
	}
}
