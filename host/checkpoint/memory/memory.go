// Package memory keeps threads in memory for the life of the process. It keeps all checkpoints; they take less space than the
// messages.
package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Store keeps threads in memory. The zero value is not usable; see [New].
type Store struct {
	mu      sync.Mutex
	threads map[string]*thread // only saved threads
	names   []string           // of threads, sorted
	open    map[string]bool
	dropped map[string]checkpoint.ID // the largest ids of threads that were rolled back to the root
}

// thread is a saved thread.
type thread struct {
	newest  checkpoint.Thread
	created time.Time
	past    past
	journal []journalEntry
}

// journalEntry is a tool execution journalled after a checkpoint.
type journalEntry struct {
	at checkpoint.ID
	checkpoint.Execution
}

// executions returns the executions journalled after a checkpoint.
func (t *thread) executions(at checkpoint.ID) (out []checkpoint.Execution) {
	for i := range t.journal {
		if t.journal[i].at == at {
			out = append(out, t.journal[i].Execution)
		}
	}
	return out
}

// New returns an empty store.
func New() *Store {
	return &Store{threads: map[string]*thread{}, open: map[string]bool{}, dropped: map[string]checkpoint.ID{}}
}

// Open opens a thread, see [checkpoint.Store].
func (s *Store) Open(_ context.Context, name string) (checkpoint.Session, error) {
	if err := checkpoint.CheckName(name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[name] {
		return nil, &checkpoint.BusyError{}
	}
	s.open[name] = true
	return &session{store: s, name: name}, nil
}

// Load returns the contents of a thread, see [checkpoint.Store].
func (s *Store) Load(_ context.Context, name string, at checkpoint.ID) (*checkpoint.Thread, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[name]
	if t == nil {
		return nil, checkpoint.ErrNoThread
	}
	return t.load(at)
}

// load returns the contents of the thread at a checkpoint.
func (t *thread) load(at checkpoint.ID) (*checkpoint.Thread, error) {
	if at == checkpoint.Root {
		return &checkpoint.Thread{Newest: t.newest.ID}, nil
	}
	if at == 0 || at == t.newest.ID {
		out := t.newest
		out.Log = t.newest.Log.Fork()
		out.Executions = t.executions(out.ID)
		return &out, nil
	}
	records, err := t.path(at)
	if err != nil {
		return nil, err
	}
	out, err := checkpoint.Fold(records)
	if err == nil {
		out.Newest, out.Executions = t.newest.ID, t.executions(at)
	}
	return out, err
}

// path returns the checkpoints that lead to one.
func (t *thread) path(at checkpoint.ID) ([]checkpoint.Record, error) {
	var path []checkpoint.Record
	for at != 0 {
		r, err := t.past.record(at)
		if err != nil {
			return nil, err
		}
		path = append(path, *r)
		at = r.Parent
	}
	slices.Reverse(path)
	return path, nil
}

// History returns checkpoints of a thread, see [checkpoint.Store].
func (s *Store) History(_ context.Context, name string, before checkpoint.ID, limit int) ([]checkpoint.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[name]
	if t == nil {
		return nil, checkpoint.ErrNoThread
	}
	if before == 0 || before > t.newest.ID {
		before = t.newest.ID + 1
	}
	var out []checkpoint.Record
	for id := before - 1; id > 0 && len(out) < limit; id-- {
		r, err := t.past.record(id)
		switch {
		case errors.Is(err, checkpoint.ErrNoCheckpoint):
			continue
		case err != nil:
			return nil, err
		}
		out = append(out, *r)
	}
	return out, nil
}

// Fork copies a thread, see [checkpoint.Store].
func (s *Store) Fork(_ context.Context, name string, at checkpoint.ID, into string) error {
	if err := checkpoint.CheckName(into); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.threads[name]
	switch {
	case from == nil:
		return checkpoint.ErrNoThread
	case s.threads[into] != nil, s.open[into]:
		return checkpoint.ErrThreadExists
	case at == checkpoint.Root:
		return checkpoint.ErrNoCheckpoint
	case at == 0:
		at = from.newest.ID
	}
	newest, err := from.load(at)
	if err != nil {
		return err
	}
	path, err := from.path(at)
	if err != nil {
		return err
	}
	to := &thread{newest: *newest, created: newest.Record.Time}
	to.newest.Newest, to.newest.Executions = at, nil
	for _, e := range newest.Executions {
		to.journal = append(to.journal, journalEntry{at, e})
	}
	for i := range path {
		if err := to.past.add(path[i].ID, &path[i]); err != nil {
			return err
		}
	}
	to.past.skip(s.dropped[into])
	s.add(into, to)
	return nil
}

func (s *Store) add(name string, t *thread) {
	at, _ := slices.BinarySearch(s.names, name)
	s.names = slices.Insert(s.names, at, name)
	s.threads[name] = t
	delete(s.dropped, name)
}

func (s *Store) remove(name string) {
	delete(s.threads, name)
	at, _ := slices.BinarySearch(s.names, name)
	s.names = slices.Delete(s.names, at, at+1)
}

// Rollback removes the newest checkpoints of a thread, see [checkpoint.Store].
func (s *Store) Rollback(_ context.Context, name string, to checkpoint.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[name]
	switch {
	case t == nil:
		return checkpoint.ErrNoThread
	case s.open[name]:
		return &checkpoint.BusyError{}
	case to == checkpoint.Root:
		s.dropped[name] = checkpoint.ID(len(t.past.kept))
		s.remove(name)
		return nil
	case to == 0:
		return checkpoint.ErrNoCheckpoint
	}
	newest, err := t.load(to)
	if err != nil {
		return err
	}
	newest.Newest, newest.Executions = to, nil
	t.newest = *newest
	t.past.drop(to)
	t.journal = slices.DeleteFunc(t.journal, func(n journalEntry) bool { return n.at >= to })
	return nil
}

// Delete removes a thread, see [checkpoint.Store].
func (s *Store) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.threads[name] == nil:
		if !s.open[name] {
			delete(s.dropped, name)
		}
		return checkpoint.ErrNoThread
	case s.open[name]:
		return &checkpoint.BusyError{}
	}
	s.remove(name)
	return nil
}
