package memory

import (
	"context"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// session is an open thread.
type session struct {
	store  *Store
	name   string
	at     checkpoint.ID // the checkpoint last loaded or saved; 0: none
	closed bool
}

// Load returns the contents of the thread.
func (s *session) Load(_ context.Context, at checkpoint.ID) (*checkpoint.Thread, error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	t := s.store.threads[s.name]
	if t == nil {
		return nil, nil //nolint:nilnil // the interface says so
	}
	held, err := t.load(at)
	if err == nil {
		s.at = held.ID
	}
	return held, err
}

// Save adds a checkpoint to the thread.
func (s *session) Save(_ context.Context, c *checkpoint.Commit) (checkpoint.ID, error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.closed {
		return 0, checkpoint.ErrClosed
	}
	t := s.store.threads[s.name]
	isNew := t == nil
	if isNew {
		t = &thread{created: c.Time}
		t.past.skip(s.store.dropped[s.name])
	}
	id := checkpoint.ID(len(t.past.kept)) + 1
	state, program, err := t.after(c)
	if err != nil {
		return 0, err
	}
	if err := t.past.add(id, &c.Record); err != nil {
		return 0, err
	}
	if c.Parent != 0 && c.Parent == t.newest.ID && len(t.journal) > 0 {
		t.journal = slices.DeleteFunc(t.journal, func(n journalEntry) bool { return n.at == c.Parent })
	}
	t.renew(id, c, state, program)
	s.at = id
	if isNew {
		s.store.add(s.name, t)
	}
	return id, nil
}

// after returns the fields and the program of the thread after a commit.
func (t *thread) after(c *checkpoint.Commit) (wire.Map, *checkpoint.Program, error) {
	var state wire.Map
	program := c.Program
	if c.Parent == checkpoint.Root {
		return nil, nil, checkpoint.ErrNoCheckpoint
	}
	if !c.Whole {
		before := &t.newest
		if c.Parent != before.ID {
			var err error
			if before, err = t.load(c.Parent); err != nil {
				return nil, nil, err
			}
		}
		state = before.State
		if program == nil {
			program = before.Program
		}
	}
	if len(c.State) > 0 || len(c.Unset) > 0 { // copy, because Load has returned the old state
		state = state.With(c.State)
		for _, name := range c.Unset {
			state.Delete(name)
		}
	}
	return state, program, nil
}

// renew makes a commit the newest checkpoint. It writes in place, since a thread is large to copy and is saved twice a round.
func (t *thread) renew(id checkpoint.ID, c *checkpoint.Commit, state wire.Map, program *checkpoint.Program) {
	n := &t.newest
	n.ID, n.Newest, n.Log, n.State, n.Program, n.Executions = id, id, c.Log.Fork(), state, program, nil
	n.Record = c.Record
	n.Record.ID, n.Record.Time = id, time.UnixMilli(c.Time.UnixMilli()).UTC()
	n.Record.Forget()
}

// Journal records an execution of a tool.
func (s *session) Journal(_ context.Context, e *checkpoint.Execution) error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	t := s.store.threads[s.name]
	switch {
	case s.closed:
		return checkpoint.ErrClosed
	case t == nil || s.at == 0:
		return checkpoint.ErrNoCheckpoint
	}
	if err := e.Readable(); err != nil { // all stores must refuse the same documents
		return err
	}
	same := func(other journalEntry) bool { return other.at == s.at && other.Same(e) }
	if at := slices.IndexFunc(t.journal, same); at >= 0 {
		t.journal[at].Execution = *e
	} else {
		t.journal = append(t.journal, journalEntry{s.at, *e})
	}
	return nil
}

// Lost returns nil: nothing takes the thread away.
func (*session) Lost() <-chan struct{} { return nil }

// Close ends the session.
func (s *session) Close() error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	delete(s.store.open, s.name)
	if t := s.store.threads[s.name]; t != nil {
		t.past.trim()
		if len(t.journal) == 0 {
			t.journal = nil
		}
	}
	return nil
}
