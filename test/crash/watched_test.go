//go:build unix

package crash_test

import (
	"context"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// watched is a store that reports every write to the parent, before and after it.
type watched struct {
	checkpoint.Store

	notes *notes
}

func (w watched) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	w.notes.pointf("opens")
	s, err := w.Store.Open(ctx, thread)
	if err != nil {
		return nil, err
	}
	w.notes.report(report{Kind: isOpen})
	return &watchedSession{s, w.notes}, nil
}

type watchedSession struct {
	checkpoint.Session

	notes *notes
}

func (s *watchedSession) Load(ctx context.Context, at checkpoint.ID) (*checkpoint.Thread, error) {
	t, err := s.Session.Load(ctx, at)
	if err != nil {
		return nil, err
	}
	found := report{Kind: isLoaded}
	if t != nil {
		found.Head = t.ID
		for i := range t.Executions {
			found.Journal = append(found.Journal, markOf(&t.Executions[i]))
		}
	}
	s.notes.report(found)
	return t, nil
}

func (s *watchedSession) Save(ctx context.Context, c *checkpoint.Commit) (checkpoint.ID, error) {
	s.notes.report(report{Kind: isSaving, Text: c.Checkpoint.Next})
	id, err := s.Session.Save(ctx, c)
	if err == nil {
		s.notes.report(report{Kind: isSaved, Head: id})
	}
	return id, err
}

func (s *watchedSession) Journal(ctx context.Context, e *checkpoint.Execution) error {
	s.notes.pointf("%s %s %d: is noted, ended %t", e.Tool, e.CallID, e.N, e.Outcome != nil)
	err := s.Session.Journal(ctx, e)
	if err == nil {
		s.notes.report(report{Kind: isJournalled, Journal: []mark{markOf(e)}})
	}
	return err
}

func (s *watchedSession) Close() error {
	s.notes.pointf("closes")
	return s.Session.Close()
}
