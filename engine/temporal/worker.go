package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/runs"
)

// DefaultQueue is the task queue of agents.
const DefaultQueue = "agenthost"

// Config says how agents use Temporal.
type Config struct {
	Client    client.Client // a connection, see [Dial]; it stays the caller's
	Namespace string        // that of the connection; "": default
	// Queue is the task queue on which workers wait for work; "": [DefaultQueue]. All its workers have the same agents.
	Queue string
	// Pinned pins the workflow of a thread to workers with the programs that it began with, see [Version]. Workers of another version can
	// be started beside them at any time. If no worker of its version is left for five minutes while there is something to do, the thread goes on with
	// the current version.
	Pinned bool
	// NoAttributes leaves workflows without search attributes.
	NoAttributes bool
	// Interceptors are called around activities and workflows of a worker, such as for telemetry. Those for the side of the client belong to [Server].
	Interceptors []interceptor.WorkerInterceptor
	// Drain is how long runs may go on after [Worker.Close], for Temporal's SDK; 0: 30 s.
	Drain time.Duration

	remind, abandon time.Duration // see remindAfter and abandonAfter; 0: as they are
}

func (c *Config) check() error {
	if c.Client == nil {
		return errors.New("temporal: the client is missing; make one with Dial")
	}
	if len(c.Queue) > maxQueue {
		return fmt.Errorf("temporal: the name of the queue has %d bytes; at most %d are possible", len(c.Queue), maxQueue)
	}
	return nil
}

// maxQueue is how long the name of a queue may be, in bytes: it is a part of the ids of workflows.
const maxQueue = 100

func (c *Config) namespace() string { return cmp.Or(c.Namespace, client.DefaultNamespace) }

func (c *Config) queue() string { return cmp.Or(c.Queue, DefaultQueue) }

// workflowID returns the id of the workflow of a thread.
func (c *Config) workflowID(owner, thread string) string {
	return c.Queue + "/" + runs.ThreadName(owner, thread)
}

// Worker performs runs that Temporal directs.
type Worker struct {
	config     Config
	engine     *engine.Engine
	store      runs.Store
	agents     map[string]runs.Agent
	lease      time.Duration
	dispatcher *Dispatcher // tells of what workflows submit
	worker     worker.Worker
	log        *slog.Logger
	closed     sync.Once
	promoting  sync.WaitGroup
	promoted   context.CancelFunc
}

// StartWorker begins to perform runs. The caller must close the worker.
func StartWorker(ctx context.Context, config Config, c engine.Config) (*Worker, error) {
	d, err := Dispatch(ctx, config, c)
	if err != nil {
		return nil, err
	}
	c.Directed = true
	c.Concurrent = cmp.Or(c.Concurrent, engine.DefaultConcurrent)
	e, err := engine.Start(c)
	if err != nil {
		d.Close(ctx)
		return nil, err
	}
	w := &Worker{
		config: d.config, engine: e, store: c.Store, agents: c.Agents, lease: cmp.Or(c.Lease, engine.DefaultLease), dispatcher: d, log: d.log,
	}
	promoting, promoted := context.WithCancel(context.WithoutCancel(ctx))
	w.promoted = promoted
	options := worker.Options{
		MaxConcurrentActivityExecutionSize: c.Concurrent,
		WorkerStopTimeout:                  cmp.Or(config.Drain, 30*time.Second),
		Interceptors:                       config.Interceptors,
		DisableRegistrationAliasing:        true,
	}
	register := workflow.RegisterOptions{Name: workflowName}
	if config.Pinned {
		options.DeploymentOptions = worker.DeploymentOptions{UseVersioning: true, Version: worker.WorkerDeploymentVersion{
			DeploymentName: w.config.Queue, BuildID: Version(c.Agents),
		}}
		register.VersioningBehavior = workflow.VersioningBehaviorPinned
	}
	w.worker = worker.New(config.Client, w.config.Queue, options)
	w.worker.RegisterWorkflowWithOptions(threadWorkflow, register)
	w.worker.RegisterActivityWithOptions(w.perform, activity.RegisterOptions{Name: performName})
	w.worker.RegisterActivityWithOptions(w.submit, activity.RegisterOptions{Name: submitName})
	w.worker.RegisterActivityWithOptions(w.cancel, activity.RegisterOptions{Name: cancelName})
	w.worker.RegisterActivityWithOptions(w.answer, activity.RegisterOptions{Name: answerName})
	if err := w.worker.Start(); err != nil {
		w.stop(ctx)
		return nil, fmt.Errorf("temporal: the worker cannot start: %w", err)
	}
	if config.Pinned {
		w.promoting.Go(func() { w.promoteFirst(promoting) })
	}
	return w, nil
}

// Close stops the worker. Runs yield at their next saved step, and another worker goes on with them. When ctx ends, those that have not
// yielded are cut off. It may be called again.
func (w *Worker) Close(ctx context.Context) {
	w.closed.Do(func() {
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			w.worker.Stop() // takes no more work, and waits for what it has
		}()
		w.stop(ctx)
		<-stopped
	})
}

func (w *Worker) stop(ctx context.Context) {
	w.promoted()
	w.promoting.Wait()
	w.engine.Close(ctx)
	w.dispatcher.Close(ctx)
}

// logger returns a logger that is never nil.
func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// sdkLogger lets Temporal's SDK write to a logger.
func sdkLogger(l *slog.Logger) sdklog.Logger { return sdklog.NewStructuredLogger(logger(l)) }
