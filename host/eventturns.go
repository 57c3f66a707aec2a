package host

import (
	"fmt"
	"sync"
)

// maxWaitingEvents is how many bytes of events may wait for the turn of their tool calls. When more wait, no other call of the
// batch begins, calls by hooks and tools are refused with [ErrBusy], and events of the type custom are dropped. A call that already
// runs is never held up: it may have what the call whose turn it is needs, such as an instance of a plugin.
const maxWaitingEvents = 16 << 20

// eventTurns brings the events of tool calls that run at once into the order of the calls. The events of the first call that is not
// done pass as they come; those of later calls wait for their turn.
type eventTurns struct {
	queue chan queuedEvent
	done  chan struct{} // closed when the queue is no longer read

	mu      sync.Mutex
	room    sync.Cond // signals that fewer events wait, or that the turn has passed on
	turn    int       // the call whose events pass
	waiting int       // size of all events that wait, in bytes
	calls   []waitingEvents
}

// waitingEvents is what is known about the events of one call that had to wait.
type waitingEvents struct {
	size    int // of those that wait, in bytes
	dropped int
}

// queuedEvent is an event of one of several tool calls that run at once; a nil event ends the call's events.
type queuedEvent struct {
	call  int
	event *Event
}

func newEventTurns(calls int) *eventTurns {
	t := &eventTurns{queue: make(chan queuedEvent), done: make(chan struct{}), calls: make([]waitingEvents, calls)}
	t.room.L = &t.mu
	return t
}

// send queues an event of a call.
func (t *eventTurns) send(q queuedEvent) {
	if q.event != nil && !t.takes(q.call, q.event) {
		return
	}
	select {
	case t.queue <- q:
	case <-t.done: // the tool has already returned, or the goroutine of the run is gone
	}
}

// takes counts an event, and reports whether it may be queued.
func (t *eventTurns) takes(call int, event *Event) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch c := &t.calls[call]; {
	case call == t.turn:
		return true
	case event.Type == EventCustom && t.full(call):
		c.dropped++
		return false
	default:
		size := event.size()
		c.size += size
		t.waiting += size
		return true
	}
}

func (t *eventTurns) crowded(call int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.full(call)
}

func (t *eventTurns) full(call int) bool { return t.waiting > maxWaitingEvents && call != t.turn }

// await waits until a call may begin. The call whose turn it is has begun before, so somebody always makes progress.
func (t *eventTurns) await(call int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.full(call) {
		t.room.Wait()
	}
}

// pass sends the events of all calls to the sink, those of each call in its turn. It returns when all calls have ended.
func (t *eventTurns) pass(to *sink) {
	n := len(t.calls)
	waiting, ended := make([][]*Event, n), make([]bool, n)
	for turn := 0; turn < n; {
		q := <-t.queue
		switch {
		case q.event == nil:
			ended[q.call] = true
		case q.call == turn:
			to.send(q.event)
		default:
			waiting[q.call] = append(waiting[q.call], q.event)
		}
		for turn < n && ended[turn] {
			t.tellDropped(to, turn)
			turn++
			if turn == n {
				break
			}
			for _, event := range waiting[turn] {
				to.send(event)
			}
			waiting[turn] = nil
			t.advance(turn)
		}
	}
}

// advance passes the turn on to a call, whose events no longer wait.
func (t *eventTurns) advance(call int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn = call
	t.waiting -= t.calls[call].size
	t.room.Broadcast()
}

// tellDropped warns about the dropped events of a call that has ended.
func (t *eventTurns) tellDropped(to *sink, call int) {
	t.mu.Lock()
	dropped := t.calls[call].dropped
	t.mu.Unlock()
	if dropped == 0 {
		return
	}
	text := fmt.Sprintf("%d custom events of a tool call were dropped: they waited for earlier calls to end, and more than %d MiB waited",
		dropped, maxWaitingEvents>>20)
	to.run.agent.logger.Warn(text, "run", to.run.id, "step", ToolsStep)
	to.send(&Event{Type: EventWarn, Step: ToolsStep, Text: text})
}

// eventOverhead is what an event takes in memory beside its content, in bytes.
const eventOverhead = 640

// size returns about how many bytes the event holds.
func (e *Event) size() int {
	size := eventOverhead + len(e.Text) + len(e.Reasoning) + len(e.Data)
	if e.Call != nil {
		size += len(e.Call.Args)
	}
	for i := range e.Messages {
		size += e.Messages[i].Msgsize()
	}
	if u := e.Update; u != nil {
		for i := range u.Messages {
			size += u.Messages[i].Msgsize()
		}
		for i := range u.Patch {
			size += u.Patch[i].Msgsize()
		}
		size += u.State.Msgsize()
	}
	for i := range e.Interrupts {
		size += len(e.Interrupts[i].Value)
	}
	if e.Error != nil {
		size += len(e.Error.Message)
	}
	return size
}
