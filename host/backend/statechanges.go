package backend

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// stateSteps gives access to the files in the state of threads. Parallel tool calls of one step see each other's changes before
// these are in the state, as they would on a disk. The zero value is ready to use and safe for concurrent use.
type stateSteps struct {
	mu    sync.Mutex
	runs  map[string]*step
	order []string // the runs, oldest first
}

// maxRuns is the number of runs that are remembered: a run that waits for a human may wait for ever. If a run is forgotten
// during a step, its next calls do not see the changes of the earlier calls of that step.
const maxRuns = 1024

// step holds the changes of the calls of one step of a run.
type step struct {
	key     string // identifies the step
	calls   []*callChanges
	version int // increases with each change
}

// callChanges holds the changes of one call.
type callChanges struct {
	id      string
	changes map[string]change
}

// at returns the files as the runtime's state and the other calls of its step have them. Call is the id of the tool call;
// the changes of an earlier execution of the same call in this step are forgotten. The changes get into the state when the
// hook or tool returns [View.Update].
func (s *stateSteps) at(rt *host.Runtime, call string) (*stateView, error) {
	base, err := entriesOf(rt.State().Get(Field.Name))
	if err != nil {
		return nil, err
	}
	v := &stateView{state: s, base: base, now: rt.Now, own: &callChanges{id: call, changes: map[string]change{}}}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.step = s.stepOf(rt)
	v.step.forget(call)
	v.step.calls = append(v.step.calls, v.own)
	return v, nil
}

// forget forgets a run.
func (s *stateSteps) forget(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
	s.order = slices.DeleteFunc(s.order, func(other string) bool { return other == run })
}

// stepOf returns the current step of the run. The caller holds the lock. Each step adds messages, so the last message
// identifies the step.
func (s *stateSteps) stepOf(rt *host.Runtime) *step {
	messages := rt.State().Messages()
	last, _ := messages.Last()
	key := fmt.Sprintf("%d %s", messages.Len(), last.ID)
	present, known := s.runs[rt.RunID()]
	if known && present.key == key {
		return present
	}
	if s.runs == nil {
		s.runs = map[string]*step{}
	}
	if !known {
		if len(s.order) >= maxRuns {
			delete(s.runs, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, rt.RunID())
	}
	present = &step{key: key}
	s.runs[rt.RunID()] = present
	return present
}

func (s *step) forget(call string) {
	for i, other := range s.calls {
		if other.id == call {
			s.calls = append(s.calls[:i:i], s.calls[i+1:]...)
			s.version++
			return
		}
	}
}

// update returns the field with the call's changes; nil if there are none.
func (v *stateView) update() wire.Map {
	v.state.mu.Lock()
	defer v.state.mu.Unlock()
	if len(v.own.changes) == 0 {
		return nil
	}
	var files wire.Map
	for name, c := range v.own.changes {
		files.Set(name, c.raw())
	}
	return wire.Map{{Key: Field.Name, Value: files.Raw()}}
}
