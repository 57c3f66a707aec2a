package runs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// State is the content of a thread at a checkpoint.
type State struct {
	*host.Snapshot // nil: nothing was saved, or there is no such checkpoint

	Agent string // the agent whose state it is
	Run   *Run   // the run that made the checkpoint; nil: none, or its row is gone
	// Then is the newest checkpoint that follows, with what the next step changed; nil: none, or nobody looked for it, as for the newest
	// state.
	Then *checkpoint.Record
}

// State returns the content of a thread at a checkpoint; 0 is the newest, and [checkpoint.Root] the place before the first.
func (s *Service) State(ctx context.Context, owner, thread string, at checkpoint.ID) (*State, error) {
	t, agent, err := s.threadAndAgent(ctx, owner, thread)
	if err != nil {
		return nil, err
	}
	made, err := s.madeBy(ctx, owner, thread)
	if err != nil {
		return nil, err
	}
	out, err := stateOf(ctx, &agent, t, made, at)
	if err != nil || at == 0 || out.Snapshot == nil {
		return out, err
	}
	out.Then, err = after(ctx, &agent, t, at)
	return out, err
}

// Snapshot returns what [Service.State] does of a thread that was read, without the run and what follows, for which the runs and the history
// of the thread are read.
func (s *Service) Snapshot(ctx context.Context, t *Thread, at checkpoint.ID) (*State, error) {
	agent, err := s.AgentOf(t)
	if err != nil {
		return nil, err
	}
	return stateOf(ctx, &agent, t, nil, at)
}

// threadAndAgent returns a thread and its agent.
func (s *Service) threadAndAgent(ctx context.Context, owner, thread string) (*Thread, Agent, error) {
	t, err := s.Thread(ctx, owner, thread)
	if err != nil {
		return nil, Agent{}, err
	}
	agent, err := s.AgentOf(t)
	return t, agent, err
}

// after returns the newest checkpoint that follows another one.
func after(ctx context.Context, agent *Agent, t *Thread, at checkpoint.ID) (*checkpoint.Record, error) {
	for record, err := range agent.History(ctx, ThreadName(t.Owner, t.ID)) {
		switch {
		case err != nil:
			return nil, err
		case follows(record, at):
			return record, nil
		case record.ID <= at && at != checkpoint.Root:
			return nil, nil
		}
	}
	return nil, nil
}

// follows reports whether a checkpoint is the next one after another.
func follows(record *checkpoint.Record, at checkpoint.ID) bool {
	return record.Parent == at || at == checkpoint.Root && record.Parent == 0
}

// AgentOf returns the agent of a thread: that of its last run, or the one that its metadata names as graph_id, or the only one.
func (s *Service) AgentOf(t *Thread) (Agent, error) {
	name := t.Agent
	if name == "" {
		name, _ = t.Metadata["graph_id"].(string)
	}
	if name == "" && len(s.names) == 1 {
		name = s.names[0]
	}
	if name == "" {
		return Agent{}, fmt.Errorf("%w: the thread has no run yet; name its agent as graph_id in the metadata", ErrNoAgent)
	}
	return s.Agent(name)
}

func stateOf(ctx context.Context, agent *Agent, t *Thread, made []Run, at checkpoint.ID) (*State, error) {
	out := &State{Agent: agent.Name}
	snapshot, err := agent.State(ctx, ThreadName(t.Owner, t.ID), at)
	switch {
	case errors.Is(err, checkpoint.ErrNoThread), errors.Is(err, checkpoint.ErrNoCheckpoint), errors.Is(err, host.ErrUnknownThread):
		return out, nil
	case err != nil:
		return nil, err
	}
	out.Snapshot, out.Run = snapshot, runOf(made, snapshot.Checkpoint)
	return out, nil
}

// madeBy returns the newest runs of a thread that have begun, among which is the one that made a checkpoint.
func (s *Service) madeBy(ctx context.Context, owner, thread string) ([]Run, error) {
	return s.store.FindRuns(ctx, owner, thread, &RunQuery{Limit: MaxPage})
}

// runOf returns the run that made a checkpoint: runs of a thread come one after the other, and each knows where it began and ended.
func runOf(made []Run, id checkpoint.ID) *Run {
	for i := range made {
		if r := &made[i]; r.Attempt > 0 && id > r.Before && (id <= r.After || !r.Status.Over()) {
			return r
		}
	}
	return nil
}

// History yields the contents of a thread at its checkpoints of all branches, the newest first: those before one, unless that is 0. The last is
// the empty thread before the first checkpoint, whose id is [checkpoint.Root].
func (s *Service) History(ctx context.Context, owner, thread string, before checkpoint.ID) iter.Seq2[*State, error] {
	return func(yield func(*State, error) bool) {
		t, agent, err := s.threadAndAgent(ctx, owner, thread)
		if err != nil {
			yield(nil, err)
			return
		}
		made, err := s.madeBy(ctx, owner, thread)
		if err != nil {
			yield(nil, err)
			return
		}
		if before == checkpoint.Root {
			return
		}
		next := map[checkpoint.ID]*checkpoint.Record{} // by what they follow
		for past, err := range agent.States(ctx, ThreadName(owner, thread)) {
			if errors.Is(err, checkpoint.ErrNoThread) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			record := past.Record
			if next[record.Parent] == nil {
				next[record.Parent] = record
			}
			if before > 0 && record.ID >= before {
				continue
			}
			state := &State{Snapshot: past.Snapshot, Agent: agent.Name, Run: runOf(made, record.ID), Then: next[record.ID]}
			if !yield(state, nil) {
				return
			}
		}
		if len(next) == 0 {
			return
		}
		state, err := stateOf(ctx, &agent, t, made, checkpoint.Root)
		if err == nil {
			state.Then = next[0]
		}
		yield(state, err)
	}
}

// UpdateState changes the state of a thread that was read, between its runs, see [host.Agent.UpdateState]. The update's thread is filled in.
func (s *Service) UpdateState(ctx context.Context, t *Thread, u host.StateUpdate) (*State, error) {
	agent, err := s.AgentOf(t)
	if err != nil {
		return nil, err
	}
	u.Thread = ThreadName(t.Owner, t.ID)
	if u.As == "" && u.Goto == "" {
		if _, err := agent.Threads.Load(ctx, u.Thread, checkpoint.Root); errors.Is(err, checkpoint.ErrNoThread) {
			u.As = "input" // the first change of a thread is like an input
		}
	}
	snapshot, err := agent.UpdateState(ctx, u)
	if err != nil {
		if errors.Is(err, checkpoint.ErrBusy) {
			return nil, fmt.Errorf("%w: %w", ErrThreadBusy, err)
		}
		return nil, err
	}
	_, err = s.ChangeThread(ctx, t.Owner, t.ID, func(t *Thread) error {
		t.Agent, t.Failure, t.Waiting, t.Status = agent.Name, nil, InterruptsOf(snapshot.Interrupts), ThreadIdle
		if len(t.Waiting) > 0 {
			t.Status = ThreadInterrupted
		}
		t.Stepped = time.Now() //nolint:forbidigo // the times of a store are those of the machine
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &State{Snapshot: snapshot, Agent: agent.Name}, nil
}
