package main

import (
	"maps"
	"slices"
	"sync"
)

// stopper lets runs end their present step when the command is told to stop, so that no tool is cut off.
type stopper struct {
	end func() // ends the command

	mu    sync.Mutex
	runs  map[int]func() // that are under way, with what makes each stop
	begun int
	told  bool
}

// during notes that a run is under way. yield makes it stop after its present step. The caller must call ended when it has stopped; then the
// command ends if it was told to.
func (s *stopper) during(yield func()) (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	id := s.begun
	if s.runs == nil {
		s.runs = map[int]func(){}
	}
	s.runs[id] = yield
	if s.told {
		yield()
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.runs, id)
		if s.told && len(s.runs) == 0 {
			s.end()
		}
	})
}

// tell makes the runs that are under way stop. It returns false if there are none, or if they were told before: then the command is to end at once.
func (s *stopper) tell() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told || len(s.runs) == 0 {
		return false
	}
	s.told = true
	for _, id := range slices.Sorted(maps.Keys(s.runs)) {
		s.runs[id]()
	}
	return true
}
