package memory

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Find returns threads, see [checkpoint.Store].
func (s *Store) Find(_ context.Context, q checkpoint.Query) ([]checkpoint.Info, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []checkpoint.Info
	first, including, end := q.Names()
	at, found := slices.BinarySearch(s.names, first)
	if found && !including {
		at++
	}
	for _, name := range s.names[at:] {
		if len(out) == q.Most() || end != "" && name >= end {
			break
		}
		if info := s.info(name); matches(&q, &info) {
			out = append(out, info)
		}
	}
	return out, nil
}

// info describes a thread. A session here ends only when it is closed, so no thread is orphaned.
func (s *Store) info(name string) checkpoint.Info {
	t := s.threads[name]
	newest := &t.newest.Record
	state := newest.Checkpoint.State(false)
	if s.open[name] {
		state = checkpoint.Running
	}
	return checkpoint.Info{
		Thread: name, Head: t.newest.ID, Created: t.created, Updated: newest.Time, State: state,
		Newest: newest.Checkpoint, Messages: newest.Messages,
	}
}

func matches(q *checkpoint.Query, info *checkpoint.Info) bool {
	return (q.State == "" || q.State == info.State) &&
		(q.UpdatedSince.IsZero() || !info.Updated.Before(q.UpdatedSince)) &&
		(q.UpdatedBefore.IsZero() || info.Updated.Before(q.UpdatedBefore))
}
