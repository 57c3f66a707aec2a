package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// Submission is a run as a client asks for it.
type Submission struct {
	Owner string
	// ID is the id of the run, see [NewRunID]; "": a new one.
	ID string
	// Thread is where the run takes place; "": a thread of its own, which goes with the run unless Keep says otherwise.
	Thread    string
	Assistant *Assistant
	Task      Task
	Request   Document // what the client sent
	Config    Document // the configuration of the run, as the thread shows it
	Metadata  Metadata
	Strategy  Strategy      // "": [StrategyEnqueue]
	After     time.Duration // it begins no earlier than after this time
	Create    bool          // a missing thread is created
	Keep      bool          // a thread of its own is kept
	Resumable bool          // its tokens can be read again
	Webhook   string        // an address that is told how it ended; "": none
}

// Submit submits a run. The errors are those of [Runs], [ErrInvalidTask], a [*BudgetError], and that of CheckWebhook.
func (s *Service) Submit(ctx context.Context, sub *Submission) (*Run, error) {
	if err := s.CheckSubmission(sub); err != nil {
		return nil, err
	}
	if span := tracecontext.From(ctx); span.Parent != "" {
		sub.Task.Trace = &span
	}
	if err := s.config.Budget.Check(ctx, s.store, sub.Owner); err != nil {
		return nil, err
	}
	run, err := sub.run()
	if err != nil {
		return nil, err
	}
	// Without a time, a run can be claimed at once: the clock by which a store looks may be behind, and SQLite's counts whole milliseconds.
	if sub.After > 0 {
		run.Due = Moment(time.Now()).Add(sub.After) //nolint:forbidigo // runs wait in real time
	}
	own := map[string]any{"graph_id": run.Agent, "assistant_id": run.Assistant}
	err = s.store.Submit(ctx, run, sub.Create || sub.Thread == "", s.config.MaxQueued, func(t *Thread) {
		if t.Metadata == nil {
			t.Metadata = Metadata{}
		}
		maps.Copy(t.Metadata, own)
		t.Config = sub.Config
		switch {
		case sub.Thread == "" && !sub.Keep:
			t.Temporary, t.Expiry = true, &Expiry{After: keepTemporary}
		case t.Expiry == nil:
			t.Expiry = s.config.Expiry
		}
	})
	return run, err
}

// CheckSubmission returns the error with which Submit would refuse a run because of what it asks for.
func (s *Service) CheckSubmission(sub *Submission) error {
	agent, err := s.Agent(sub.Assistant.Agent)
	if err != nil {
		return err
	}
	if err := sub.Task.Check(&agent); err != nil {
		return err
	}
	if sub.Webhook == "" {
		return nil
	}
	if s.config.CheckWebhook == nil {
		return fmt.Errorf("%w: this server calls no webhooks", ErrInvalidTask)
	}
	return s.config.CheckWebhook(sub.Webhook)
}

// keepTemporary is how long the events and the state of a run without a thread can be read after its end.
const keepTemporary = time.Minute

// NewRunID returns an id for a run, for callers that must know it before they submit the run.
func NewRunID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

// run returns the run to submit.
func (sub *Submission) run() (*Run, error) {
	task, err := sub.Task.Document()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidTask, err)
	}
	id := sub.ID
	if id == "" {
		if id, err = NewRunID(); err != nil {
			return nil, err
		}
	}
	run := &Run{
		Owner: sub.Owner, ID: id, Thread: sub.Thread, Agent: sub.Assistant.Agent, Assistant: sub.Assistant.ID, Task: task, Request: sub.Request,
		Strategy: sub.Strategy, Resumable: sub.Resumable, Webhook: sub.Webhook, Metadata: Metadata{},
	}
	if run.Thread == "" {
		thread, err := uuid.NewRandom()
		if err != nil {
			return nil, err
		}
		run.Thread = thread.String()
	}
	maps.Copy(run.Metadata, sub.Assistant.Metadata)
	maps.Copy(run.Metadata, sub.Metadata)
	run.Metadata["graph_id"], run.Metadata["assistant_id"] = run.Agent, run.Assistant
	return run, nil
}

// Check returns an error that wraps [ErrInvalidTask] if the agent cannot do the task.
func (t *Task) Check(agent *Agent) error {
	if t.Goto != "" || len(t.InterruptBefore)+len(t.InterruptAfter) > 0 { // a program is not made for nothing
		if err := t.checkSteps(agent.Program().Steps); err != nil {
			return err
		}
	}
	if t.RecursionLimit < 0 {
		return fmt.Errorf("%w: the recursion limit is %d", ErrInvalidTask, t.RecursionLimit)
	}
	if err := agent.CheckClientTools(t.ClientTools); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidTask, err)
	}
	if t.Model != "" {
		return t.checkModel(agent.Models)
	}
	return nil
}

// checkSteps checks the names of steps: a misspelt breakpoint would not stop the run.
func (t *Task) checkSteps(steps []host.ProgramStep) error {
	has := func(name string) bool {
		return slices.ContainsFunc(steps, func(s host.ProgramStep) bool { return s.Name == name })
	}
	for _, breakpoints := range []struct {
		what  string
		names []string
	}{{"interrupt_before", t.InterruptBefore}, {"interrupt_after", t.InterruptAfter}} {
		for _, name := range breakpoints.names {
			if name != host.AllSteps && !has(name) {
				return fmt.Errorf("%w: %s names the step %q, which the agent does not have", ErrInvalidTask, breakpoints.what, name)
			}
		}
	}
	if t.Goto != "" && t.Goto != host.EndStep && !has(t.Goto) {
		return fmt.Errorf("%w: goto names the step %q, which the agent does not have", ErrInvalidTask, t.Goto)
	}
	return nil
}

func (t *Task) checkModel(names []string) error {
	if slices.Contains(names, t.Model) {
		return nil
	}
	return fmt.Errorf("%w: there is no model %q; the agent has %q", ErrInvalidTask, t.Model, names)
}
