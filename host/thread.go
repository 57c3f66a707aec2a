package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// What is wrong with an input for the thread that it names.
var (
	ErrNoCheckpointer = errors.New("the agent keeps no threads; set Config.Checkpointer")
	ErrNoThread       = errors.New("the input names no thread")
	ErrUnknownThread  = errors.New("there is no such thread; start it with messages")
	ErrNotWaiting     = errors.New("nothing in the thread waits for an answer")
)

// ThreadError is a thread that a run cannot use as its input asks, or that could not be kept.
type ThreadError struct {
	Thread string
	Err    error
}

func (e *ThreadError) Error() string { return fmt.Sprintf("thread %q: %v", e.Thread, e.Err) }

// Unwrap returns the cause.
func (e *ThreadError) Unwrap() error { return e.Err }

// ErrorType names the type of the error in documents.
func (*ThreadError) ErrorType() string { return "thread_error" }

// open opens the run's thread, if it has one, and takes over what it holds: the state, and when the input goes on with a
// run, that run too.
func (r *run) open(ctx context.Context) error {
	a, in := r.agent, &r.input
	again := in.goesOn()
	switch {
	case in.Continue && in.Resume != nil:
		return r.threadError(errors.New("the input has both Continue and Resume; an answer goes on by itself"))
	case again && (len(in.Messages) > 0 || len(in.State) > 0):
		return r.threadError(errors.New("the input has messages or state beside Continue or Resume; new messages start a new run"))
	case a.config.Checkpointer == nil && (again || r.input.Thread != "" || in.Checkpoint != 0):
		return r.threadError(ErrNoCheckpointer)
	case (again || in.Checkpoint != 0) && r.input.Thread == "":
		return r.threadError(ErrNoThread)
	case r.input.Thread == "":
		return nil
	}
	session, err := a.config.Checkpointer.Open(ctx, r.input.Thread)
	if err != nil {
		return r.threadError(err)
	}
	r.keeping = &keeping{session: session, durability: a.config.Durability}
	held, err := session.Load(ctx, in.Checkpoint)
	switch {
	case err != nil:
		return r.threadError(err)
	case held == nil && (again || in.Checkpoint != 0):
		return r.threadError(ErrUnknownThread)
	case held == nil:
		return nil
	}
	c := &held.Record.Checkpoint
	if c.Next != "" && !again && in.Messages == nil && in.State == nil {
		return r.threadError(fmt.Errorf("the input is empty, and the thread has a run that stopped before %q; "+
			"go on with it by Continue or Resume, or give it up by a new message", c.Next))
	}
	r.restore(held)
	if !again {
		if c.Next != "" && held.ID == held.Newest {
			r.givenUp = c.Run.ID
		}
		if c.Run.IDSeed == r.seed { // the same seed each time, as in tests: ids still differ
			r.ids.n = c.Run.IDs
		}
		return nil
	}
	if err := r.goOn(held); err != nil {
		return r.threadError(err)
	}
	return nil
}

func (r *run) threadError(err error) error { return &ThreadError{Thread: r.input.Thread, Err: err} }

// restore takes over what the thread holds, and notes it as saved: the first commit has what differs.
func (r *run) restore(held *checkpoint.Thread) {
	table := &r.agent.fields
	state := &State{table: table, log: held.Log, values: table.initial()}
	saved := &State{table: table, log: held.Log, values: table.unset()}
	for slot := range table.fields {
		f := &table.fields[slot]
		if value := held.State.Get(f.Name); !value.IsZero() {
			state.values[slot], saved.values[slot] = value, value
			state.stepLive = state.stepLive || f.Lifetime == LifetimeStep
		}
	}
	k := r.keeping
	r.state, k.saved, k.parent, k.program = state, saved, held.ID, held.Program
	for _, p := range held.State {
		if _, ok := table.slots[p.Key]; !ok {
			k.foreign.Set(p.Key, p.Value)
		}
	}
	r.batch.restore(held.Record.Checkpoint.Finished, state.asking())
	r.journal.restore(checkpoint.Journalled(&held.Record.Checkpoint, held.Executions))
	r.failed = held.Record.Checkpoint.Failure
	for _, c := range held.Record.Checkpoint.Cursors {
		if at := r.agent.program.find(c.Step); at >= 0 {
			r.cursors[at] = c.Seen()
		}
	}
}

// goOn takes over the run that the checkpoint belongs to. Behind an older checkpoint than the thread's newest it becomes
// another run: what the first one did behind it has happened.
func (r *run) goOn(held *checkpoint.Thread) error {
	c := &held.Record.Checkpoint
	r.ids = idSource{seed: c.Run.IDSeed, n: c.Run.IDs}
	if r.branches = held.ID != held.Newest; r.branches {
		r.ids.seed = r.seed // no other branch has its ids
	} else {
		r.id = c.Run.ID
	}
	r.seed = c.Run.Seed
	r.budget.restore(&c.Run)
	r.at, r.passed, r.wasOver, r.last = endStep, c.Paused, c.Next == "", held.Record.Step
	if c.Next != "" {
		if err := r.checkProgram(held.Program, c.Next); err != nil {
			return err
		}
		r.at = r.agent.program.find(c.Next)
	}
	for i := range c.Questions {
		if q := &c.Questions[i]; r.state.isAbout(q) {
			r.questions.asked = append(r.questions.asked, question{*q})
		}
	}
	if r.input.Continue {
		return nil
	}
	return r.questions.answer(r.input.Resume, r.agent.now())
}
