// Package memory keeps threads in memory, as long as the process lives.
package memory

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Store keeps threads in memory. The zero value is not usable; see [New].
type Store struct {
	mu      sync.Mutex
	threads map[string]*checkpoint.Thread // those that were saved
	open    map[string]bool
}

// New returns an empty store.
func New() *Store {
	return &Store{threads: map[string]*checkpoint.Thread{}, open: map[string]bool{}}
}

// Open opens a thread, see [checkpoint.Store].
func (s *Store) Open(_ context.Context, thread string) (checkpoint.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[thread] {
		return nil, checkpoint.ErrBusy
	}
	s.open[thread] = true
	return &session{store: s, thread: thread}, nil
}

// session is a run's hold on a thread.
type session struct {
	store  *Store
	thread string
	closed bool
}

// Load returns what the thread holds.
func (s *session) Load(context.Context) (*checkpoint.Thread, error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	held := s.store.threads[s.thread]
	if held == nil {
		return nil, nil //nolint:nilnil // the interface says so
	}
	out := *held
	out.Log = held.Log.Fork()
	return &out, nil
}

// Save adds a commit to the thread.
func (s *session) Save(_ context.Context, c *checkpoint.Commit) error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.closed {
		return checkpoint.ErrClosed
	}
	next := checkpoint.Thread{Log: c.Log.Fork(), Checkpoint: c.Checkpoint}
	if held := s.store.threads[s.thread]; held != nil {
		next.State = held.State
	}
	if len(c.State) > 0 || len(c.Unset) > 0 { // what Load returned keeps its own
		next.State = next.State.With(c.State)
		for _, name := range c.Unset {
			next.State.Delete(name)
		}
	}
	s.store.threads[s.thread] = &next
	return nil
}

// Close ends the session.
func (s *session) Close() error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if !s.closed {
		s.closed = true
		delete(s.store.open, s.thread)
	}
	return nil
}
