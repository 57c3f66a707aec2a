package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
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
	Data Document // the rest of the event of the host, in its JSON form, see [NewEvent]
}

// lean is the JSON form of an event without what is known from elsewhere.
type lean struct {
	*host.Event

	Type   *struct{} `json:"type,omitempty"`
	Time   *struct{} `json:"time,omitempty"`
	Agent  *struct{} `json:"agent,omitempty"`
	Thread *struct{} `json:"thread,omitempty"`
}

// NewEvent returns an event of the host as an event of a run. Its data lacks the type and the time, which the event has beside them, and the agent
// and the thread, which are those of the run: of a piece of an answer, they would be most of what a store keeps. It may be too large, see [Event.Check].
func NewEvent(run string, seq uint64, e *host.Event) (*Event, error) {
	data, err := json.Marshal(lean{Event: e})
	if err != nil {
		return nil, err
	}
	return &Event{Run: run, Seq: seq, Time: e.Time, Type: string(e.Type), Data: data}, nil
}

// Host returns the event of the host, without its agent and its thread.
func (e *Event) Host() (*host.Event, error) {
	event := &host.Event{}
	if err := json.Unmarshal(e.Data, event); err != nil {
		return nil, fmt.Errorf("the event %d of the run %s cannot be read: %w", e.Seq, e.Run, err)
	}
	event.Type, event.Time = host.EventType(e.Type), e.Time
	return event, nil
}

// Whole returns the JSON form of the event of the host, with the agent and the thread of its run.
func (e *Event) Whole(r *Run) Document {
	head, err := json.Marshal(struct {
		Type   string    `json:"type"`
		Time   time.Time `json:"time"`
		Agent  string    `json:"agent,omitempty"`
		Thread string    `json:"thread,omitempty"`
	}{e.Type, e.Time, r.Agent, r.Thread})
	rest, ok := bytes.CutPrefix(e.Data, []byte("{"))
	if err != nil || !ok || len(rest) < 2 { // the time is out of range, or there is no rest
		return head
	}
	return slices.Concat(head[:len(head)-1], []byte(","), rest)
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
