package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
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

// keeping is a run's hold on its thread; nil in a run whose agent keeps none.
type keeping struct {
	session checkpoint.Session
	commit  checkpoint.Commit
	saved   *State // as it was saved last; nil: never
}

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
	case a.config.Checkpointer == nil && (again || r.thread != ""):
		return r.threadError(ErrNoCheckpointer)
	case again && r.thread == "":
		return r.threadError(ErrNoThread)
	case r.thread == "":
		return nil
	}
	session, err := a.config.Checkpointer.Open(ctx, r.thread)
	if err != nil {
		return r.threadError(err)
	}
	r.keeping = &keeping{session: session}
	held, err := session.Load(ctx)
	switch {
	case err != nil:
		return r.threadError(err)
	case held == nil && again:
		return r.threadError(ErrUnknownThread)
	case held == nil:
		return nil
	}
	if next := held.Checkpoint.Next; next != "" && !again && in.Messages == nil && in.State == nil {
		return r.threadError(fmt.Errorf("the input is empty, and the thread has a run that stopped before %q; "+
			"go on with it by Continue or Resume, or give it up by a new message", next))
	}
	r.restore(held)
	if !again {
		if held.Checkpoint.Next != "" {
			r.givenUp = held.Checkpoint.Run.ID
		}
		if held.Checkpoint.Run.Seed == r.seed { // the same seed each time, as in tests: ids still differ
			r.ids.n = held.Checkpoint.Run.IDs
		}
		return nil
	}
	if err := r.goOn(&held.Checkpoint); err != nil {
		return r.threadError(err)
	}
	return nil
}

func (r *run) threadError(err error) error { return &ThreadError{Thread: r.thread, Err: err} }

// restore takes over what the thread holds, and notes it as saved: the first commit has what differs.
func (r *run) restore(held *checkpoint.Thread) {
	table := &r.agent.fields
	state := &State{table: table, log: held.Log, values: table.initial()}
	saved := &State{table: table, log: held.Log, values: table.unset()}
	for slot := range table.fields {
		f := &table.fields[slot]
		if value := held.State.Get(f.Name); !value.IsZero() {
			state.values[slot], saved.values[slot] = value, value
			state.stepLive = state.stepLive || f.Lifetime == Step
		}
	}
	r.state, r.keeping.saved = state, saved
	r.finished = unkept(held.Checkpoint.Finished)
	for _, c := range held.Checkpoint.Cursors {
		if at := r.agent.program.find(c.Step); at >= 0 {
			r.cursors[at] = c.Seen
		}
	}
}

// goOn takes over the run that the checkpoint belongs to.
func (r *run) goOn(c *checkpoint.Checkpoint) error {
	r.id, r.seed, r.usage.sum = c.Run.ID, c.Run.Seed, c.Run.Usage
	r.ids = idSource{seed: c.Run.Seed, n: c.Run.IDs}
	r.steps, r.stepsBefore, r.modelSteps = c.Run.Steps, c.Run.Steps, c.Run.ModelSteps
	r.malformed, r.toolTokens = c.Run.Malformed, c.Run.ToolTokens
	r.at, r.passed, r.wasOver = endStep, c.Paused, c.Next == ""
	if c.Next != "" {
		if r.at = r.agent.program.find(c.Next); r.at < 0 {
			return fmt.Errorf("it stopped before the step %q, which this agent does not have", c.Next)
		}
	}
	r.questions = make([]question, len(c.Questions))
	for i := range c.Questions {
		r.questions[i].Question = c.Questions[i]
	}
	if r.input.Continue {
		return nil
	}
	return r.answer(r.input.Resume)
}

// save adds what changed since the last commit to the thread.
func (r *run) save(ctx context.Context) error {
	k := r.keeping
	if k == nil {
		return nil
	}
	c := &k.commit
	*c = checkpoint.Commit{Log: r.state.log, Checkpoint: r.checkpoint()}
	table := r.state.table
	for slot := range table.fields {
		value, name := r.state.values[slot], table.fields[slot].Name
		var was []byte
		if k.saved != nil {
			was = k.saved.values[slot]
		}
		switch {
		case value.Equal(was):
		case value.IsZero():
			c.Unset = append(c.Unset, name)
		default:
			c.State.Set(name, value)
		}
	}
	if k.saved != nil {
		c.Since = k.saved.log.Cursor()
	}
	if err := k.session.Save(ctx, c); err != nil {
		return r.threadError(err)
	}
	k.saved, r.unsaved = r.state, false
	return nil
}

func (r *run) checkpoint() checkpoint.Checkpoint {
	p := r.agent.program
	c := checkpoint.Checkpoint{
		Run: checkpoint.Run{
			ID: r.id, Seed: r.seed, IDs: r.ids.n, Steps: r.steps, ModelSteps: r.modelSteps, Malformed: r.malformed,
			ToolTokens: r.toolTokens, Usage: r.usage.total(),
		},
		Next: p.name(r.at), Paused: r.paused || r.passed,
	}
	for at := range r.cursors {
		if p.steps[at].cursors && r.cursors[at] != (history.Cursor{}) {
			c.Cursors = append(c.Cursors, checkpoint.Cursor{Step: p.steps[at].name, Seen: r.cursors[at]})
		}
	}
	for i := range r.questions {
		c.Questions = append(c.Questions, r.questions[i].Question)
	}
	c.Finished = kept(r.finished)
	return c
}

// close saves how the run ended, also when its context has, and lets go of the thread.
func (r *run) close(ctx context.Context, failure error) error {
	if r.keeping != nil && r.begun && r.unsaved {
		if err := r.save(context.WithoutCancel(ctx)); err != nil {
			failure = errors.Join(failure, err)
		}
	}
	if err := r.letGo(); err != nil {
		failure = errors.Join(failure, err)
	}
	return failure
}

// letGo ends the session.
func (r *run) letGo() error {
	k := r.keeping
	if k == nil {
		return nil
	}
	r.keeping = nil
	if err := k.session.Close(); err != nil {
		return r.threadError(err)
	}
	return nil
}
