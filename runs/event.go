package runs

import (
	"context"
	"iter"
	"time"

	"github.com/agenthost/agenthost/host"
)

// Event is one thing that happened in a run, as readers get it.
//
// A process that dies may have told more than it saved. So with the first event of a later attempt, those events of earlier attempts are void
// that follow their last event of the type checkpoint. The later attempt first tells what was saved and not told.
type Event struct {
	Run  string
	Seq  uint64 // orders the events of a run; the attempt<<32 plus a number from 1, see [FirstSeq]
	Time time.Time
	Type string   // an [github.com/agenthost/agenthost/host.EventType]
	Data Document // the event of the host, in its JSON form
}

// FirstSeq returns the position before the first event of an attempt. Each attempt has positions of its own, so that a process
// that wrongly believes that it still performs a run cannot take those of the one that took over.
func FirstSeq(attempt int) uint64 { return uint64(attempt) << 32 }

// Attempt returns the number of the attempt that an event belongs to.
func (e *Event) Attempt() int { return int(e.Seq >> 32) }

// TypeToken is the type of events that are pieces of an answer.
const TypeToken = string(host.EventToken)

// Token reports whether the event is a piece of an answer, which the whole message repeats.
func (e *Event) Token() bool { return e.Type == TypeToken }

// AllEvents yields the events of a run that are there after a position, however many pages they take. An error is that of the lister, and
// ends it.
func AllEvents(ctx context.Context, from EventLister, owner, run string, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			events, err := from.Events(ctx, owner, run, after, 0)
			if err != nil {
				yield(Event{}, err)
				return
			}
			if len(events) == 0 {
				return
			}
			for i := range events {
				if !yield(events[i], nil) {
					return
				}
				after = events[i].Seq
			}
		}
	}
}
