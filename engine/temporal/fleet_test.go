package temporal_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/host"
	checkpoints "github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
)

// fleet is stores that workers and dispatchers share, as they share a database.
type fleet struct {
	t       *testing.T
	client  client.Client
	config  temporal.Config
	store   runs.Store
	threads *checkpoints.Store
	tools   []host.Tool
	worked  atomic.Int64

	concurrent int // runs that a worker performs at once; 0: the default
	n          atomic.Int64
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	s := shared(t)
	return &fleet{
		t: t, client: s.Client(), store: memory.New(memory.Options{}), threads: checkpoints.New(),
		config: temporal.Config{Client: s.Client(), Queue: queueOf(t)},
	}
}

// obeying is a model that does what the last message of a person says: it calls the tool of that name once, or says something.
type obeying struct{}

func (obeying) Info() model.Info { return model.Info{Provider: "test", Name: "obeying"} }

func (obeying) Generate(_ context.Context, r *model.Request) (*model.Response, error) {
	last := r.Messages.At(r.Messages.Len() - 1)
	if last.Role == abi.RoleHuman && last.Content.Text() != "hi" {
		return model.Reply(abi.AI("", abi.Call("call", last.Content.Text(), map[string]any{}))), nil
	}
	return model.Reply(abi.AI("done")), nil
}

// agents returns an agent with a program of its own for each version.
func (f *fleet) agents(version string) map[string]runs.Agent {
	f.t.Helper()
	ask := tool.Func("ask", "Asks a person.", func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := host.RuntimeOf(ctx).Interrupt("ok", wire.String("may I?"))
		if err != nil {
			return "", err
		}
		return "answered " + answer.JSON(), nil
	})
	agent, err := host.New(host.Config{
		Name: "helper", Model: obeying{}, Checkpointer: f.threads, Durability: host.DurabilityStep, Tools: append(f.tools, ask),
		Middleware: []host.Middleware{versioned{version}},
	})
	require.NoError(f.t, err)
	f.t.Cleanup(func() { require.NoError(f.t, agent.Close()) })
	return map[string]runs.Agent{"helper": {Agent: agent, Name: "helper", Threads: f.threads}}
}

// versioned stands for a plugin, whose digest is part of the program.
type versioned struct{ version string }

func (versioned) Name() string { return "plugin" }

func (v versioned) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{Version: v.version, Digest: "sha256:" + v.version}, nil
}

// worker starts a worker, which is closed when the test ends.
func (f *fleet) worker(version string) *temporal.Worker {
	f.t.Helper()
	w, err := temporal.StartWorker(f.t.Context(), f.config, f.engine(version))
	require.NoError(f.t, err)
	f.t.Cleanup(func() { w.Close(context.Background()) })
	return w
}

func (f *fleet) engine(version string) engine.Config {
	f.t.Helper()
	return engine.Config{Store: f.store, Agents: f.agents(version), Poll: 200 * time.Millisecond, Concurrent: f.concurrent}
}

// dispatcher starts a dispatcher, and returns the store of a server.
func (f *fleet) dispatcher() runs.Store {
	f.t.Helper()
	d, err := temporal.Dispatch(f.t.Context(), f.config, f.engine("1"))
	require.NoError(f.t, err)
	f.t.Cleanup(func() { d.Close(context.Background()) })
	return d.Store()
}

// submit submits a run.
func (f *fleet) submit(to runs.Store, thread string, task runs.Task) *runs.Run {
	f.t.Helper()
	document, err := task.Document()
	require.NoError(f.t, err)
	r := &runs.Run{Owner: "ann", ID: fmt.Sprint("run-", f.n.Add(1)), Thread: thread, Agent: "helper", Assistant: "a", Task: document}
	require.NoError(f.t, to.Submit(f.t.Context(), r, true, 0, nil))
	return r
}

func say(text string) runs.Task { return runs.Task{Messages: []abi.Message{abi.Human(text)}} }

// over waits for the end of a run.
func (f *fleet) over(r *runs.Run) (ended *runs.Run) {
	f.t.Helper()
	require.Eventually(f.t, func() bool {
		var err error
		ended, err = f.store.Run(f.t.Context(), r.Owner, r.ID)
		return err == nil && ended.Status.Over()
	}, 30*time.Second, 5*time.Millisecond)
	return ended
}

// waiting waits for the question of a thread.
func (f *fleet) waiting(thread string) string {
	f.t.Helper()
	var id string
	require.Eventually(f.t, func() bool {
		t, err := f.store.Thread(f.t.Context(), "ann", thread)
		if err == nil && len(t.Waiting) == 1 {
			id = t.Waiting[0].ID
		}
		return id != ""
	}, 30*time.Second, 5*time.Millisecond)
	return id
}

func answer(question string) runs.Task {
	return runs.Task{Answers: []runs.Answer{{Interrupt: question, Value: wire.String("yes")}}}
}

// closed waits until the workflow of a thread is no longer open, and returns how it ended.
func (f *fleet) closed(thread string) (status enums.WorkflowExecutionStatus) {
	f.t.Helper()
	require.Eventually(f.t, func() bool {
		found, err := f.client.DescribeWorkflowExecution(f.t.Context(), f.config.Queue+"/"+runs.ThreadName("ann", thread), "")
		if err == nil {
			status = found.GetWorkflowExecutionInfo().GetStatus()
		}
		return err == nil && status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	}, 30*time.Second, 10*time.Millisecond)
	return status
}

func TestAWorkflowIsOpenWhileThereIsSomethingToDo(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.worker("1")
	server := f.dispatcher()
	asked := f.over(f.submit(server, "t", say("ask")))
	require.Equal(t, runs.Success, asked.Status)
	question := f.waiting("t")
	require.Eventually(t, func() bool {
		found, err := f.client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: fmt.Sprintf("TaskQueue = %q AND AgenthostOwner = 'ann' AND AgenthostAgent = 'helper' AND AgenthostStatus = 'waiting' AND ExecutionStatus = 'Running'",
				f.config.Queue),
		})
		return err == nil && len(found.GetExecutions()) == 1
	}, 30*time.Second, 20*time.Millisecond, "people who operate agents find what waits")
	require.Equal(t, runs.Success, f.over(f.submit(server, "t", answer(question))).Status)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, f.closed("t"))
	f.keep("t", "answered")
}

func TestADeletedThreadLeavesNoWorkflow(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.worker("1")
	server := f.dispatcher()
	f.over(f.submit(server, "t", say("ask")))
	f.waiting("t")
	require.NoError(t, server.DeleteThread(t.Context(), "ann", "t"))
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, f.closed("t"))
	require.NoError(t, f.store.CreateThread(t.Context(), &runs.Thread{Owner: "ann", ID: "never"}))
	require.NoError(t, server.DeleteThread(t.Context(), "ann", "never"))
	_, err := f.client.DescribeWorkflowExecution(t.Context(), f.config.Queue+"/"+runs.ThreadName("ann", "never"), "")
	var missing *serviceerror.NotFound
	require.ErrorAs(t, err, &missing)
}

// blocks adds a tool that waits for the test, or for its context.
func (f *fleet) blocks() (began chan string, let chan struct{}) {
	began, let = make(chan string, 10), make(chan struct{})
	f.tools = append(f.tools, tool.Func("block", "Blocks.", func(ctx context.Context, _ struct{}) (string, error) {
		f.worked.Add(1)
		began <- host.RuntimeOf(ctx).IdempotencyKey()
		select {
		case <-let:
			return "ok", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}))
	return began, let
}

// drain closes a worker that performs a tool, and lets the tool end.
func (f *fleet) drain(w *temporal.Worker, let chan struct{}) {
	f.t.Helper()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		w.Close(context.Background())
	}()
	select {
	case <-closed:
		f.t.Fatal("the worker did not wait for the tool")
	case <-time.After(300 * time.Millisecond):
	}
	close(let)
	<-closed
}

func TestADeploymentCutsNoToolOff(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	began, let := f.blocks()
	first := f.worker("1")
	r := f.submit(f.dispatcher(), "t", say("block"))
	<-began
	f.worker("1")
	f.drain(first, let)
	ended := f.over(r)
	require.Equal(t, []any{runs.Success, 2, int64(1)}, []any{ended.Status, ended.Attempt, f.worked.Load()}, "another worker goes on behind the tool")
	require.Empty(t, f.thread("t").Waiting)
}

func (f *fleet) thread(id string) *runs.Thread {
	f.t.Helper()
	t, err := f.store.Thread(f.t.Context(), "ann", id)
	require.NoError(f.t, err)
	return t
}

func TestCancellingTheWorkflowCancelsTheRun(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	began, _ := f.blocks()
	f.worker("1")
	r := f.submit(f.dispatcher(), "t", say("block"))
	<-began
	require.NoError(t, f.client.CancelWorkflow(t.Context(), f.config.Queue+"/"+runs.ThreadName("ann", "t"), ""))
	require.Equal(t, runs.Interrupted, f.over(r).Status)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, f.closed("t"))
	f.keep("t", "cancelled")
}

func TestARunOfATerminatedWorkflowGoesOn(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	server := f.dispatcher()
	r := f.submit(server, "t", say("hi")) // there is no worker yet
	id := f.config.Queue + "/" + runs.ThreadName("ann", "t")
	require.Eventually(t, func() bool { return f.client.TerminateWorkflow(t.Context(), id, "", "by mistake") == nil }, 30*time.Second, 10*time.Millisecond)
	f.worker("1") // whose dispatcher finds it
	require.Equal(t, runs.Success, f.over(r).Status)
}

func TestPinnedVersions(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.config.Pinned = true
	one := temporal.Version(f.agents("1"))
	require.Equal(t, one, temporal.Version(f.agents("1")))
	two := temporal.Version(f.agents("2"))
	require.NotEqual(t, one, two)
	require.ErrorIs(t, temporal.Promote(t.Context(), f.config, two), temporal.ErrNoVersion)
	f.worker("1")
	server := f.dispatcher()
	require.Eventually(t, func() bool {
		current, err := temporal.Current(t.Context(), f.config)
		return err == nil && current == one
	}, 60*time.Second, 50*time.Millisecond, "the first version is promoted by itself")
	require.Equal(t, runs.Success, f.over(f.submit(server, "old", say("ask"))).Status)
	question := f.waiting("old")

	f.worker("2")
	require.Eventually(t, func() bool { return temporal.Promote(t.Context(), f.config, two) == nil }, 60*time.Second, 50*time.Millisecond)
	require.Equal(t, runs.Success, f.over(f.submit(server, "new", say("hi"))).Status)
	require.Equal(t, runs.Success, f.over(f.submit(server, "old", answer(question))).Status, "with another program it would have failed")
	require.Equal(t, "sha256:2", f.plugin("new"))
	require.Equal(t, "sha256:1", f.plugin("old"))
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, f.closed("old"))
	f.keep("old", "pinned")
}

// Somebody stops the last worker of a version while threads are under way.
func TestThreadsWithoutAWorkerOfTheirVersion(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.config.Pinned = true
	f.config.Hasty(500*time.Millisecond, 2*time.Second)
	began, let := f.blocks()
	first := f.worker("1")
	server := f.dispatcher()
	for _, thread := range []string{"input", "answer"} {
		require.Equal(t, runs.Success, f.over(f.submit(server, thread, say("ask"))).Status)
	}
	question := f.waiting("answer")
	f.waiting("input")
	under := f.submit(server, "under-way", say("block"))
	<-began
	f.drain(first, let)
	early := f.submit(server, "input", say("hi"))

	f.worker("2")
	two := temporal.Version(f.agents("2"))
	require.Eventually(t, func() bool { return temporal.Promote(t.Context(), f.config, two) == nil }, 60*time.Second, 50*time.Millisecond)
	require.Equal(t, runs.Success, f.over(early).Status, "a new input needs nothing of the old version")
	require.Equal(t, "sha256:2", f.plugin("input"))
	for _, r := range []*runs.Run{under, f.submit(server, "answer", answer(question))} {
		ended := f.over(r)
		require.Equal(t, runs.Failed, ended.Status, "a run goes on only with the program that it began with")
		require.Contains(t, ended.Failure.Message, `the run began with another program: middleware "plugin" has the version "2", it had "1"`)
	}
	require.Equal(t, runs.Success, f.over(f.submit(server, "answer", say("hi"))).Status)
	require.Equal(t, "sha256:2", f.plugin("answer"))
	require.Equal(t, int64(1), f.worked.Load())
}

// A version whose workers have too much to do is not abandoned.
func TestThreadsOfABusyVersionStay(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.config.Pinned, f.concurrent = true, 1
	f.config.Hasty(100*time.Millisecond, 500*time.Millisecond)
	began, let := f.blocks()
	f.worker("1")
	server := f.dispatcher()
	require.Equal(t, runs.Success, f.over(f.submit(server, "asks", say("ask"))).Status)
	question := f.waiting("asks")
	f.submit(server, "busy", say("block"))
	<-began
	f.worker("2")
	two := temporal.Version(f.agents("2"))
	require.Eventually(t, func() bool { return temporal.Promote(t.Context(), f.config, two) == nil }, 60*time.Second, 50*time.Millisecond)
	r := f.submit(server, "asks", answer(question))
	require.Never(t, func() bool {
		got, err := f.store.Run(t.Context(), r.Owner, r.ID)
		return err != nil || got.Status != runs.Pending
	}, 3*time.Second, 50*time.Millisecond)
	close(let)
	require.Equal(t, runs.Success, f.over(r).Status)
	require.Equal(t, "sha256:1", f.plugin("asks"))
}

// plugin returns the digest of the plugin that a thread's run was performed with.
func (f *fleet) plugin(thread string) string {
	f.t.Helper()
	held, err := f.threads.Load(f.t.Context(), runs.ThreadName("ann", thread), 0)
	require.NoError(f.t, err)
	return held.Program.Middleware[0].Digest
}

func TestAnAgentInAWorkflowOfAUser(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.worker("1")
	own := worker.New(f.client, f.config.Queue+"-user", worker.Options{})
	own.RegisterWorkflowWithOptions(func(ctx workflow.Context, queue, thread string) (text string, err error) {
		asked, err := temporal.Agent(ctx, temporal.Call{Queue: queue, Owner: "ann", Agent: "helper", Thread: thread, Task: say("ask")})
		if err != nil {
			return "", err
		}
		ended, err := temporal.Agent(ctx, temporal.Call{Queue: queue, Owner: "ann", Agent: "helper", Thread: thread, Task: answer(asked.Waiting[0])})
		if err != nil {
			return "", err
		}
		return fmt.Sprintln(asked.Status, len(asked.Waiting), ended.Status, len(ended.Waiting), asked.Thread), nil
	}, workflow.RegisterOptions{Name: "refund"})
	require.NoError(t, own.Start())
	t.Cleanup(own.Stop)
	run, err := f.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: f.config.Queue + "-user"}, "refund", f.config.Queue, "t")
	require.NoError(t, err)
	var text string
	require.NoError(t, run.Get(t.Context(), &text))
	require.Equal(t, "success 1 success 0 t\n", text)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, f.closed("t"))
	f.keep("t", "awaited")
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	_, err := temporal.StartWorker(t.Context(), temporal.Config{}, f.engine("1"))
	require.EqualError(t, err, "temporal: the client is missing; make one with Dial")
	_, err = temporal.Dispatch(t.Context(), f.config, engine.Config{})
	require.EqualError(t, err, "temporal: the store is missing")
	_, err = temporal.Dial(t.Context(), temporal.Server{Address: "127.0.0.1:1"})
	require.ErrorContains(t, err, "temporal: 127.0.0.1:1, namespace default: ")
	elsewhere := f.config
	elsewhere.Namespace = "nowhere"
	elsewhere.Client, err = temporal.Dial(t.Context(), temporal.Server{Address: shared(t).FrontendHostPort(), Namespace: "nowhere"})
	require.NoError(t, err)
	t.Cleanup(elsewhere.Client.Close)
	missing := `temporal: there is no namespace "nowhere"; create it: temporal operator namespace create --namespace nowhere`
	_, err = temporal.Dispatch(t.Context(), elsewhere, f.engine("1"))
	require.EqualError(t, err, missing)
	_, err = temporal.StartWorker(t.Context(), elsewhere, f.engine("1"))
	require.EqualError(t, err, missing)
}
