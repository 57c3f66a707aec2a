package runs

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// CreateThread adds a thread, see [Threads]. One without an expiry gets that of the service.
func (s *Service) CreateThread(ctx context.Context, t *Thread) error {
	if t.Expiry == nil {
		t.Expiry = s.config.Expiry
	}
	return s.store.CreateThread(ctx, t)
}

// DeleteThread removes a thread with its runs and its checkpoints. The errors are [ErrNoThread], and [ErrThreadBusy] if a run of it is running.
func (s *Service) DeleteThread(ctx context.Context, owner, id string) error {
	t, err := s.Thread(ctx, owner, id)
	if err != nil {
		return err
	}
	if t.Status == ThreadBusy {
		running, err := s.store.FindRuns(ctx, owner, id, &RunQuery{Status: Running, Limit: 1})
		if err != nil {
			return err
		}
		if len(running) > 0 {
			return ErrThreadBusy
		}
	}
	// The checkpoints go first: the row leads to them, so that what fails here can be repeated.
	names := s.AgentNames()
	if i := slices.Index(names, t.Agent); i > 0 {
		names[0], names[i] = names[i], names[0] // whoever removes a waiting run is told that it is over
	}
	for _, name := range names {
		agent, err := s.Agent(name)
		if err != nil {
			return err
		}
		err = agent.Forget(ctx, ThreadName(owner, id))
		if errors.Is(err, checkpoint.ErrBusy) {
			return ErrThreadBusy
		}
		if err != nil {
			return err
		}
	}
	return s.store.DeleteThread(ctx, owner, id)
}

// CopyThread copies a thread as it is, with the checkpoints that lead to its state, and returns the copy. Runs are not copied.
func (s *Service) CopyThread(ctx context.Context, owner, id string) (*Thread, error) {
	t, err := s.Thread(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	random, err := uuid.NewRandom()
	if err != nil {
		return nil, err
	}
	into := &Thread{
		Owner: owner, ID: random.String(), Metadata: maps.Clone(t.Metadata), Agent: t.Agent, Status: t.Status, Waiting: t.Waiting, Failure: t.Failure,
		Stepped: t.Stepped, Expiry: t.Expiry,
	}
	if into.Status == ThreadBusy { // its run is not copied
		into.Status = ThreadIdle
	}
	var agent Agent
	if t.Agent != "" {
		if agent, err = s.Agent(t.Agent); err != nil {
			return nil, err
		}
		err = agent.Threads.Fork(ctx, ThreadName(owner, id), 0, ThreadName(owner, into.ID))
		if err != nil && !errors.Is(err, checkpoint.ErrNoThread) {
			return nil, err
		}
	}
	if err := s.store.CreateThread(ctx, into); err != nil {
		if t.Agent != "" {
			err = errors.Join(err, agent.Forget(context.WithoutCancel(ctx), ThreadName(owner, into.ID)))
		}
		return nil, err
	}
	return into, nil
}

// KeepThread keeps the thread of a run that had none: its client has something to do there. It expires as expiry says; nil: as new threads do. A
// thread that is kept stays as it is.
func (s *Service) KeepThread(ctx context.Context, owner, id string, expiry *Expiry) error {
	if expiry == nil {
		expiry = s.config.Expiry
	}
	_, err := s.ChangeThread(ctx, owner, id, func(t *Thread) error {
		if t.Temporary {
			t.Temporary, t.Expiry = false, expiry
		}
		return nil
	})
	return err
}
