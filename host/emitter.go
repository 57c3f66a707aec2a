package host

import "context"

// emitter puts events into a run's stream. The zero emitter has no listener and costs nothing.
type emitter struct {
	sink  *sink
	call  int // place in the batch of a tool call that runs beside others
	queue chan<- queuedEvent
	done  <-chan struct{} // closed when the queue is no longer read
}

// queuedEvent is an event of one of several tool calls that run at once; a nil event ends the call's events.
type queuedEvent struct {
	call  int
	event *Event
}

// on reports whether anybody listens. Ask before you build an event.
func (e emitter) on() bool { return e.sink != nil }

func (e emitter) send(event *Event) {
	if e.queue != nil {
		select {
		case e.queue <- queuedEvent{e.call, event}:
		case <-e.done: // the tool has already returned, or the goroutine of the run is gone
		}
		return
	}
	e.sink.send(event)
}

// sink passes events to the consumer of a stream. Only the goroutine of the run uses it.
type sink struct {
	run     *run
	yield   func(Event, error) bool
	stop    context.CancelCauseFunc
	stopped bool
	thrown  any // what the consumer panicked with
	seq     uint64
}

func (s *sink) send(event *Event) {
	if s.stopped {
		return
	}
	s.seq++
	event.Seq, event.Time = s.seq, s.run.agent.now()
	event.Agent, event.Run, event.Thread = s.run.agent.config.Name, s.run.id, s.run.thread.id
	if !s.deliver(event) {
		s.stopped = true
		s.stop(errStopped)
	}
}

// deliver passes an event to the consumer; false means that the consumer wants no more. A panic of the consumer is kept for
// rethrow, because the hook that emits the event must not recover it as its own, and tool calls must end first.
func (s *sink) deliver(event *Event) bool {
	defer func() {
		if thrown := recover(); thrown != nil {
			s.thrown = thrown
		}
	}()
	return s.yield(*event, nil)
}

// rethrow continues a panic of the consumer once the run has ended.
func (s *sink) rethrow() {
	if s.thrown != nil {
		panic(s.thrown)
	}
}

// merge sends the events of n tool calls that run at once, in the order of the calls: it passes on the events of the first call
// that is not done as they come, and holds those of later calls until their turn. It returns when all calls have ended.
func (s *sink) merge(n int, queue <-chan queuedEvent) {
	waiting := make([][]*Event, n)
	done := make([]bool, n)
	for current := 0; current < n; {
		q := <-queue
		switch {
		case q.event == nil:
			done[q.call] = true
		case q.call == current:
			s.send(q.event)
		default:
			waiting[q.call] = append(waiting[q.call], q.event)
		}
		for current < n && done[current] {
			current++
			if current < n {
				for _, event := range waiting[current] {
					s.send(event)
				}
				waiting[current] = nil
			}
		}
	}
}
