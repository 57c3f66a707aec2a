package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// open opens the run's thread, if it has one, and takes over what the thread holds: the state and, if the input goes on with a
// run, that run.
func (r *run) open(ctx context.Context) error {
	if err := r.input.check(r.agent.config.Checkpointer != nil); err != nil {
		return r.thread.fail(err)
	}
	a, in, t := r.agent, &r.input, &r.thread
	if t.id == "" {
		return nil
	}
	session, err := a.config.Checkpointer.Open(ctx, t.id)
	if err != nil {
		return t.fail(err)
	}
	t.session = session
	held, err := r.load(ctx)
	switch {
	case err != nil:
		return t.fail(err)
	case held == nil && (in.goesOn() || in.Checkpoint != 0 && in.Checkpoint != checkpoint.Root):
		return t.fail(ErrUnknownThread)
	case held == nil:
		return nil
	}
	c := &held.Record.Checkpoint
	if c.Next != "" && !in.goesOn() && in.Messages == nil && in.State == nil {
		return t.fail(fmt.Errorf("the input is empty, and the thread has a run that stopped before %q; "+
			"go on with it by Continue or Resume, or give it up by a new message", c.Next))
	}
	if in.KeepWaiting && !in.goesOn() {
		if err := keepWaiting(ctx, session, held); err != nil {
			return t.fail(err)
		}
	}
	if in.goesOn() && in.ClientTools == nil && held.Program != nil {
		if err := r.equip(held.Program.ClientTools); err != nil {
			return t.fail(err)
		}
	}
	r.restore(held)
	if in.goesOn() {
		if err := r.goOn(held); err != nil {
			return t.fail(err)
		}
		return nil
	}
	t.unmet = clientCallsOf(c)
	t.spent = costOf(c.Earlier).Add(costOf(c.Cost))
	if c.Next != "" && held.ID == held.Newest {
		t.givenUp = c.Run.ID
	}
	if c.Run.IDSeed == r.seed { // a seed that repeats, as in tests: ids still differ
		r.ids.n = c.Run.IDs
	}
	return nil
}

// load returns the thread at the place where the input begins. An input that is taken once, and that the thread has taken, becomes one that
// goes on from the newest checkpoint.
func (r *run) load(ctx context.Context) (*checkpoint.Thread, error) {
	in, session := &r.input, r.thread.session
	if !in.Once {
		return session.Load(ctx, in.Checkpoint)
	}
	newest, err := session.Load(ctx, 0)
	switch {
	case err != nil:
		return nil, err
	case newest != nil && newest.Record.Checkpoint.Input == in.Seed:
		in.Messages, in.State, in.Resume, in.Checkpoint, in.KeepWaiting, in.Continue = nil, nil, nil, 0, false, true
		r.progress.stays = newest.Record.Checkpoint.Paused
		return newest, nil
	case in.Checkpoint == 0:
		return newest, nil
	default:
		return session.Load(ctx, in.Checkpoint)
	}
}

// keepWaiting returns an error if the newest run of a thread waits for answers. A new run that begins at an older checkpoint would
// abandon it, too.
func keepWaiting(ctx context.Context, session checkpoint.Session, held *checkpoint.Thread) (err error) {
	if held.ID != held.Newest {
		if held, err = session.Load(ctx, 0); err != nil {
			return err
		}
	}
	if len(held.Record.Checkpoint.Waiting()) > 0 {
		return ErrWaiting
	}
	return nil
}

// check refuses inputs that contradict themselves, or that need a thread where there is none. keeps says that the agent keeps
// threads.
func (in *Input) check(keeps bool) error {
	switch {
	case in.Continue && in.Resume != nil:
		return errors.New("the input has both Continue and Resume; use Resume alone, since an answer goes on by itself")
	case in.goesOn() && (len(in.Messages) > 0 || len(in.State) > 0):
		return errors.New("the input has messages or state as well as Continue or Resume; new messages start a new run")
	case in.Once && in.Seed == 0:
		return errors.New("the input has Once without a Seed, by which it would be recognized")
	case !keeps && (in.goesOn() || in.Thread != "" || in.Checkpoint != 0):
		return ErrNoCheckpointer
	case (in.goesOn() || in.Checkpoint != 0) && in.Thread == "":
		return ErrNoThread
	case in.goesOn() && in.Checkpoint == checkpoint.Root:
		return errors.New("the input goes on before the thread's first checkpoint, where no run has stopped; start one by messages")
	default:
		return nil
	}
}

// restore takes over what the thread holds, and regards it as saved: the first commit has what differs.
func (r *run) restore(held *checkpoint.Thread) {
	table := &r.agent.fields
	state := &State{table: table, log: held.Log, values: table.initial()}
	saved := &State{table: table, log: held.Log, values: table.unset()}
	r.thread.withdrawn = nil
	if held.ID != held.Newest {
		for _, p := range held.State {
			if strings.HasPrefix(p.Key, SealedPrefix) {
				r.thread.withdrawn = append(r.thread.withdrawn, p.Key)
			}
		}
	}
	for slot := range table.fields {
		f := &table.fields[slot]
		if f.Sealed && held.ID != held.Newest {
			continue
		}
		if value := held.State.Get(f.Name); !value.IsZero() {
			state.values[slot], saved.values[slot] = value, value
			state.stepLive = state.stepLive || f.Lifetime == LifetimeStep
		}
	}
	c, t := &held.Record.Checkpoint, &r.thread
	r.state, t.saved, t.parent, t.program = state, saved, held.ID, held.Program
	if held.ID == 0 { // before the first checkpoint, nothing is saved
		t.saved = nil
	}
	for _, p := range held.State {
		if _, ok := table.slots[p.Key]; !ok && !slices.Contains(t.withdrawn, p.Key) {
			t.foreign.Set(p.Key, p.Value)
		}
	}
	r.batch.restore(c.Finished, state.asking())
	r.journal.restore(checkpoint.Journalled(c, held.Executions))
	t.failure, t.cancelled = c.Failure, c.Cancelled
	for _, seen := range c.Cursors {
		if at := r.agent.program.find(seen.Step); at >= 0 {
			r.progress.cursors[at] = seen.Seen()
		}
	}
}

// goOn takes over the run that the checkpoint belongs to. From a checkpoint older than the thread's newest it goes on as another
// run: what the first one did after that checkpoint has happened.
func (r *run) goOn(held *checkpoint.Thread) error {
	c, t := &held.Record.Checkpoint, &r.thread
	r.ids = idSource{seed: c.Run.IDSeed, n: c.Run.IDs}
	if t.branches = held.ID != held.Newest; t.branches {
		r.ids.seed = r.seed // no other branch has its ids
	} else {
		r.id = c.Run.ID
	}
	r.seed, r.traced = c.Run.Seed, c.Trace
	r.budget.restore(&c.Run)
	r.budget.usage.cost, t.spent = costOf(c.Cost), costOf(c.Earlier)
	r.progress.step, r.progress.passed, r.progress.last = endStep, c.Paused, held.Record.Step
	t.wasOver = c.Next == ""
	if c.Next != "" {
		if err := r.agent.checkProgram(held.Program, c.Next, r.input.AcceptChanges); err != nil {
			return err
		}
		r.progress.step = r.agent.program.find(c.Next)
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
