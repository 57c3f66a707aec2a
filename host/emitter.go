package host

import "context"

// emitter puts events into a run's stream. The zero emitter has no listener and costs nothing.
type emitter struct {
	sink  *sink
	call  int // of a tool call that runs beside others: its place in the batch
	queue chan<- queued
	done  <-chan struct{} // closed when nobody reads the queue any more
}

// queued is an event of one of several tool calls that run at once; a nil event ends the call's events.
type queued struct {
	call  int
	event *Event
}

// on reports whether somebody listens. Who makes an event asks first.
func (e emitter) on() bool { return e.sink != nil }

func (e emitter) send(event *Event) {
	if e.queue != nil {
		select {
		case e.queue <- queued{e.call, event}:
		case <-e.done: // a tool that emits after it returned, or the run's goroutine is gone
		}
		return
	}
	e.sink.send(event)
}

// sink hands events to the consumer of a stream. Only the goroutine of the run uses it.
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

// deliver hands an event over; false if the consumer wants no more. A panic of the consumer is kept for rethrow: a hook
// in whose middle the event happens must not take it for its own, and tool calls must end first.
func (s *sink) deliver(event *Event) bool {
	defer func() {
		if thrown := recover(); thrown != nil {
			s.thrown = thrown
		}
	}()
	return s.yield(*event, nil)
}

// rethrow goes on with a panic of the consumer when the run has ended.
func (s *sink) rethrow() {
	if s.thrown != nil {
		panic(s.thrown)
	}
}

// merge sends the events of n tool calls that run at once in the order of the calls: those of the first call that is
// not done as they come, those of later calls when it is their turn. It returns when all have ended.
func (s *sink) merge(n int, queue <-chan queued) {
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
