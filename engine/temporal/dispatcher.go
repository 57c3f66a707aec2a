package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/runs"
)

const (
	// remindAfter is how long a dispatcher relies on a workflow that it has told of a run. Somebody may have terminated the workflow.
	remindAfter = 30 * time.Second
	// tellers is how many workflows a dispatcher tells at once.
	tellers = 16
	// maxTold is how many threads may wait to be told. Others are found in the store.
	maxTold = 4096
	// maxLook is how many runs a dispatcher finds at once.
	maxLook = 1000
)

// Dispatcher tells Temporal which threads have something to do. Several may share one store; then Temporal may hear of a run twice, which does
// no harm. It is the engine of a server whose runs are performed by workers.
type Dispatcher struct {
	config     Config
	store      runs.Store
	agents     []string
	poll       time.Duration
	heartbeat  time.Duration
	remind     time.Duration
	abandon    time.Duration
	log        *slog.Logger
	attributes bool
	tells      chan tell
	stop       context.CancelFunc
	stopped    sync.WaitGroup

	mu   sync.Mutex
	told map[attemptOf]*notice
}

// notice is what a dispatcher knows of a run that it has told a workflow of.
type notice struct {
	at       time.Time // when it told the workflow last
	reminded bool      // it has told the workflow more than once
	stuck    time.Time // since when no worker has taken up the workflow; the zero time: one has
}

// attemptOf names a run that waits for an attempt.
type attemptOf struct {
	run     string
	attempt int
}

// tell is a workflow to tell of something.
type tell struct {
	ctx           context.Context //nolint:containedctx // that of the request, for its values
	owner, thread string
	agent         string
	of            attemptOf // what it is to do; the zero value: nothing in particular
	again         bool      // the workflow has been told before
	waiter        *waiter
	only          bool // if it is open
}

// Dispatch begins to tell Temporal of runs. Of the engine's configuration it uses Store, Agents, Logger, Lease and Poll. The caller must close it.
func Dispatch(ctx context.Context, config Config, c engine.Config) (*Dispatcher, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	if c.Store == nil {
		return nil, errors.New("temporal: the store is missing")
	}
	config.Queue = config.queue()
	d := &Dispatcher{
		config: config, store: c.Store, agents: slices.Sorted(maps.Keys(c.Agents)), poll: cmp.Or(c.Poll, time.Second), log: logger(c.Logger),
		remind: cmp.Or(config.remind, remindAfter), abandon: cmp.Or(config.abandon, abandonAfter), heartbeat: heartbeat(c.Lease),
		tells: make(chan tell, maxTold), told: map[attemptOf]*notice{},
	}
	if !config.NoAttributes {
		err := addAttributes(ctx, config.Client, config.namespace())
		if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing {
			return nil, fmt.Errorf("temporal: there is no namespace %q; create it: temporal operator namespace create --namespace %[1]s", config.namespace())
		}
		if err != nil {
			d.log.Warn("workflows have no search attributes; let an administrator add AgenthostAgent, AgenthostOwner and AgenthostStatus to the "+
				"namespace, as keywords", "namespace", config.namespace(), "error", err)
		} else {
			d.attributes = true
		}
	}
	run, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.stopped.Go(func() { d.look(run) })
	for range tellers {
		d.stopped.Go(func() { d.tellAll(run) })
	}
	return d, nil
}

// heartbeat returns after which silence of an activity its worker counts as dead: that of its claims.
func heartbeat(lease time.Duration) time.Duration {
	return max(time.Second, cmp.Or(lease, engine.DefaultLease))
}

// Close stops the dispatcher. What it has not told Temporal yet, others find in the store, or it does when it starts again.
func (d *Dispatcher) Close(context.Context) {
	d.stop()
	d.stopped.Wait()
}

// look looks into the store for runs that nobody performs, until the context ends.
func (d *Dispatcher) look(ctx context.Context) {
	tick := time.NewTicker(d.poll) //nolint:forbidigo // runs wait in real time
	defer tick.Stop()
	for {
		found, err := d.store.Claimable(ctx, d.agents, maxLook)
		if err != nil && ctx.Err() == nil {
			d.log.Error("the store does not say which runs wait; looking again", "error", err)
		}
		for i := range found {
			if r := &found[i]; d.due(r) {
				d.add(d.about(ctx, r))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// about returns what a workflow must be told of a run.
func (d *Dispatcher) about(ctx context.Context, r *runs.Run) tell {
	t := tell{ctx: ctx, owner: r.Owner, thread: r.Thread, agent: r.Agent, of: attemptOf{r.ID, r.Attempt}}
	d.mu.Lock()
	defer d.mu.Unlock()
	t.again = d.told[t.of] != nil && d.told[t.of].reminded
	return t
}

// due reports whether Temporal must be told of a run, and notes that it is.
func (d *Dispatcher) due(r *runs.Run) bool {
	now := time.Now() //nolint:forbidigo // runs wait in real time
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.told) > maxTold { // those that still wait are found again before that
		maps.DeleteFunc(d.told, func(_ attemptOf, n *notice) bool { return now.Sub(n.at) > 2*d.remind })
	}
	key := attemptOf{r.ID, r.Attempt}
	n := d.told[key]
	switch {
	case n == nil:
		d.told[key] = &notice{at: now}
	case now.Sub(n.at) < d.remind:
		return false
	default:
		n.at, n.reminded = now, true
	}
	return true
}

// add has a workflow told. If too many wait for that, the store is asked again.
func (d *Dispatcher) add(t tell) {
	select {
	case d.tells <- t:
	default:
		d.forget(t.of)
	}
}

func (d *Dispatcher) tellAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-d.tells:
			d.tell(ctx, t)
		}
	}
}

// tell tells a workflow. If that fails, the run is found again in the store.
func (d *Dispatcher) tell(ctx context.Context, t tell) {
	within, done := context.WithTimeout(t.ctx, 10*time.Second)
	defer done()
	stop := context.AfterFunc(ctx, done)
	defer stop()
	if t.again && d.config.Pinned {
		if err := d.upgrade(within, t); err != nil && ctx.Err() == nil {
			d.log.Error("Temporal does not say whether a worker is left for a thread; asking again", "thread", t.thread, "error", err)
		}
	}
	err := d.wake(within, t)
	if err != nil && ctx.Err() == nil {
		d.log.Error("Temporal cannot be told of a run; trying again", "thread", t.thread, "error", err)
		d.forget(t.of)
	}
}

// forget lets Temporal be told of a run again.
func (d *Dispatcher) forget(key attemptOf) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.told, key)
}

// wake tells the workflow of a thread that there may be something to do, and starts it if it is not there.
func (d *Dispatcher) wake(ctx context.Context, t tell) error {
	id, signal := d.config.workflowID(t.owner, t.thread), wake{Waiter: t.waiter}
	if t.only {
		err := d.config.Client.SignalWorkflow(ctx, id, "", wakeName, signal)
		if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
			return nil
		}
		return err
	}
	options := client.StartWorkflowOptions{TaskQueue: d.config.Queue}
	began := thread{Owner: t.owner, ID: t.thread, Heartbeat: d.heartbeat, Attributes: d.attributes}
	if d.attributes {
		began.Agent = t.agent
		options.TypedSearchAttributes = temporal.NewSearchAttributes(
			agentAttribute.ValueSet(t.agent), ownerAttribute.ValueSet(t.owner), statusAttribute.ValueSet(statusRunning))
	}
	if t.waiter == nil { // mostly the workflow is not there, and one that begins looks by itself; Temporal would keep the signal as long as it is open
		options.ID, options.WorkflowExecutionErrorWhenAlreadyStarted = id, true
		_, err := d.config.Client.ExecuteWorkflow(ctx, options, workflowName, began)
		if _, open := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); !open {
			return err
		}
	}
	_, err := d.config.Client.SignalWithStartWorkflow(ctx, id, wakeName, signal, options, workflowName, began)
	return err
}
