package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/tracecontext"
	"github.com/agenthost/agenthost/runs"
)

// attempt performs a run that this process has claimed.
type attempt struct {
	engine *Engine
	run    *runs.Run
	agent  runs.Agent
	thread string          // name of the run's thread in the agent's store
	ctx    context.Context //nolint:containedctx // it is that of this attempt
	cancel context.CancelCauseFunc
	yield  atomic.Bool // the run is to stop at its next saved step
	done   chan struct{}
	over   *runs.Outcome // how the run ended here; nil: it did not
	seq    uint64        // of the last event
	begun  bool          // before is known
	before checkpoint.ID
	pays   *runs.Account // for its model calls

	head, last *host.Event  // the first event of the agent's run, until another one shows that it has begun; and the event of its end
	changes    []runs.Event // what steps changed, until another event shows whether it was saved
}

// cancelled is the cause of the cancellation of a run that somebody wants to end.
type cancelled struct{ how runs.Cancel }

func (*cancelled) Error() string { return "somebody has cancelled the run" }

// errTimeout is the cause of the cancellation of a run that takes too long.
var errTimeout = errors.New("the run takes longer than the server allows")

func newAttempt(ctx context.Context, e *Engine, r *runs.Run) *attempt {
	a := &attempt{
		engine: e, run: r, agent: e.config.Agents[r.Agent], thread: runs.ThreadName(r.Owner, r.Thread), seq: runs.FirstSeq(r.Attempt),
		done: make(chan struct{}), pays: runs.NewAccount(e.config.Store, e.config.Budget, r.Owner, e.log),
	}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	return a
}

// perform performs the run and ends it, or gives it back.
func (a *attempt) perform() {
	defer a.cancel(nil)
	if tell := a.engine.config.Began; tell != nil {
		tell(a.run)
	}
	a.engine.config.Live.Begin(a.run)
	result, err := a.drive()
	a.engine.config.Live.End(a.run.ID) // the store tells readers how it ended
	var how *cancelled
	cause := context.Cause(a.ctx)
	switch {
	case errors.Is(cause, runs.ErrNotClaimed):
		a.lost()
	case errors.As(cause, &how) && (how.how == runs.CancelRollback || err != nil || result.Status == host.Cancelled):
		a.finish(a.cancelledBy(how.how, result))
	case errors.Is(cause, errTimeout) && err != nil:
		a.finish(a.outcome(runs.TimedOut, result, errTimeout))
	case result != nil && result.Yielded, errors.Is(cause, errClosing) && err != nil, errors.Is(err, errGiveBack), errors.Is(err, host.ErrDraining):
		a.giveBack(err)
	default:
		a.finish(a.outcome(statusOf(result, err), result, err))
	}
}

// errGiveBack wraps errors that will pass, and that concern the databases instead of the run.
var errGiveBack = errors.New("the run is given back")

// passing marks an error of the store of threads that will pass.
func (a *attempt) passing(err error) error {
	if _, again := host.Retry(err); again || a.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errGiveBack, err)
	}
	return err
}

// drive runs the agent. It waits for the thread if a process that died still holds it.
func (a *attempt) drive() (*host.Result, error) {
	newest, err := a.newestOf(a.ctx)
	if err != nil {
		return nil, a.passing(err)
	}
	if a.before, err = a.engine.config.Store.Begin(a.ctx, a.engine.worker, a.run.ID, newest); err != nil {
		if errors.Is(err, runs.ErrNotClaimed) {
			a.cancel(err)
		}
		return nil, fmt.Errorf("%w: %w", errGiveBack, err)
	}
	a.begun = true
	if a.run.Cancel != "" {
		a.cancel(&cancelled{a.run.Cancel})
		return nil, context.Cause(a.ctx)
	}
	if a.run.Attempt > 1 && newest != a.before {
		if err := a.catchUp(); err != nil {
			return nil, a.passing(err)
		}
	}
	task, err := runs.TaskOf(a.run)
	if err != nil {
		return nil, err
	}
	if limit := a.engine.config.Timeout; limit > 0 {
		timer := time.AfterFunc(limit, func() { a.cancel(errTimeout) }) //nolint:forbidigo // limits go by real time
		defer timer.Stop()
	}
	in, ctx := task.Input(a.run), host.WithPurse(a.ctx, a.pays)
	if task.Trace != nil {
		ctx = tracecontext.With(ctx, *task.Trace)
	}
	if err := a.change(task, newest); err != nil {
		return nil, a.passing(err)
	}
	if err := a.answers(&in); err != nil {
		return nil, a.passing(err)
	}
	in.Yield = func(host.Boundary) bool { return a.yield.Load() }
	for told := a.seq; ; {
		result, err := a.agent.RunEvents(ctx, in, a.note)
		after, again := host.Retry(err)
		if model := (*host.ModelError)(nil); !again || errors.As(err, &model) || errors.Is(err, host.ErrDraining) || a.yield.Load() {
			return result, err
		}
		if a.seq != told { // readers must learn that what was told and not saved is void
			return result, fmt.Errorf("%w: %w", errGiveBack, err)
		}
		a.head, a.last = nil, nil
		if wait(a.ctx, min(max(after, 100*time.Millisecond), time.Second)) != nil {
			return result, err
		}
	}
}

// change changes the thread before the run if the task wants that, unless an earlier attempt has done so.
func (a *attempt) change(task *runs.Task, newest checkpoint.ID) error {
	update, wanted := task.Change()
	if !wanted || newest != a.before {
		return nil
	}
	update.Thread = a.thread
	if newest == 0 {
		update.As = "input"
	}
	if _, err := a.agent.UpdateState(a.ctx, update); err != nil {
		return err
	}
	return a.catchUp()
}

// answers leaves out the answers if nothing waits for them: the run then goes on without.
func (a *attempt) answers(in *host.Input) error {
	if len(in.Resume) == 0 {
		return nil
	}
	held, err := a.agent.State(a.ctx, a.thread, in.Checkpoint)
	if err != nil {
		return err
	}
	if len(held.Interrupts) == 0 {
		in.Resume, in.Continue = nil, true
	}
	return nil
}

// newestOf returns the newest checkpoint of the thread; 0 if there is none.
func (a *attempt) newestOf(ctx context.Context) (checkpoint.ID, error) {
	root, err := a.agent.Threads.Load(ctx, a.thread, checkpoint.Root)
	switch {
	case errors.Is(err, checkpoint.ErrNoThread):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return root.Newest, nil
}

// note takes an event of the agent. The first one waits until another one shows that the run has begun, and the last one for the end of
// the run.
func (a *attempt) note(event host.Event) error {
	switch event.Type {
	case host.EventRun:
		a.head = &event
		return nil
	case host.EventEnd:
		a.last = &event
		return nil
	default:
	}
	if a.head != nil {
		if err := a.send(a.head); err != nil {
			return err
		}
		a.head = nil
	}
	return a.send(&event)
}

// send hands an event to the journal. What a step changed waits for the event that says that this was saved, so that the store gets both or
// none: with one alone, the next attempt would tell readers of the change again.
func (a *attempt) send(event *host.Event) error {
	kept, err := a.kept(event)
	if err != nil {
		return err
	}
	a.changes = append(a.changes, *kept)
	if event.Type == host.EventState {
		return nil
	}
	events := a.changes
	a.changes = nil
	return a.engine.events.add(a.ctx, events...)
}
