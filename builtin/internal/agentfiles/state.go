package agentfiles

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// State gives access to the files in the state of threads. Tool calls that run at once in one step see each other's
// changes, as they would on a disk, before these are in the state. The zero value is ready; it may be used by several
// goroutines.
type State struct {
	mu    sync.Mutex
	runs  map[string]*step
	order []string // of the runs, the oldest first
}

// maxRuns is how many runs are remembered: one that waits for a human may wait for ever. Of a run that is forgotten the
// calls of a step that is going on do not see what those before them did.
const maxRuns = 1024

// step is what the calls of one step of a run have changed.
type step struct {
	key     string // of the step
	calls   []*callChanges
	version int // of what they have changed
}

// callChanges is what one call has changed.
type callChanges struct {
	id      string
	changes map[string]change
}

// At returns the files as the runtime's state and the other calls of its step have them. Call is the id of the tool call
// that asks: what it changed when it ran before in this step is forgotten. The changes are in the state when the hook or
// tool returns [View.Update].
func (s *State) At(rt *host.Runtime, call string) (*View, error) {
	base, err := entriesOf(rt.State().Get(Field.Name))
	if err != nil {
		return nil, err
	}
	v := &View{state: s, base: base, now: rt.Now, own: &callChanges{id: call, changes: map[string]change{}}}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.step = s.stepOf(rt)
	v.step.forget(call)
	v.step.calls = append(v.step.calls, v.own)
	return v, nil
}

// Forget lets go of what is known of a run. It is for [host.Hooks].End.
func (s *State) Forget(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, run)
	s.order = slices.DeleteFunc(s.order, func(other string) bool { return other == run })
}

// stepOf returns the step that the runtime is in, under the lock. A step leaves messages behind, so that they tell it from
// the one before.
func (s *State) stepOf(rt *host.Runtime) *step {
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

// Update returns the update that puts the changes into the state; nil if there are none.
func (v *View) Update() *host.Update {
	v.state.mu.Lock()
	defer v.state.mu.Unlock()
	if len(v.own.changes) == 0 {
		return nil
	}
	var files wire.Map
	for name, c := range v.own.changes {
		files.Set(name, c.raw())
	}
	return &host.Update{State: wire.Map{{Key: Field.Name, Value: files.Raw()}}}
}
