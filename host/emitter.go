package host

import "context"

// emitter puts events into a run's stream. The zero emitter has no listener and costs nothing.
type emitter struct {
	sink  *sink
	turns *eventTurns // of the batch of tool calls that this call runs in; nil: no other call runs beside it
	call  int         // place of the call in the batch
}

// on reports whether anybody listens. Ask before you build an event.
func (e emitter) on() bool { return e.sink != nil }

func (e emitter) send(event *Event) {
	if e.turns != nil {
		e.turns.send(queuedEvent{e.call, event})
		return
	}
	e.sink.send(event)
}

// crowded reports whether so many events wait that the call must not cause more of them before its turn.
func (e emitter) crowded() bool { return e.turns != nil && e.turns.crowded(e.call) }

// sink passes events to the consumer of a stream. Only the goroutine of the run uses it.
type sink struct {
	run     *run
	yield   func(Event, error) bool
	stop    context.CancelCauseFunc
	stopped bool
	thrown  any // what the consumer panicked with
	seq     uint64
	asked   bool // the run has told what its agent asks the model, see Input.Requests
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
