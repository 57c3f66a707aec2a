package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	checkpoints "github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
)

// rig is an agent with a store of runs.
type rig struct {
	t       *testing.T
	store   runs.Store
	threads checkpoint.Store
	config  host.Config
	n       atomic.Int64
}

func setup(t *testing.T, script ...scripted.Turn) *rig {
	t.Helper()
	threads := checkpoints.New()
	return &rig{t: t, store: memory.New(memory.Options{}), threads: threads, config: host.Config{
		Model: scripted.NewTurns(script...), Checkpointer: threads,
	}}
}

// start starts an engine, which is closed when the test ends.
func (r *rig) start(change ...func(c *engine.Config)) *engine.Engine {
	r.t.Helper()
	agent, err := host.New(r.config)
	require.NoError(r.t, err)
	c := engine.Config{
		Store: r.store, Agents: map[string]runs.Agent{"helper": {Agent: agent, Threads: r.threads}}, Lease: 300 * time.Millisecond,
		Poll: 50 * time.Millisecond,
	}
	for _, do := range change {
		do(&c)
	}
	e, err := engine.Start(c)
	require.NoError(r.t, err)
	r.t.Cleanup(func() {
		e.Close(r.t.Context())
		require.NoError(r.t, agent.Close())
	})
	return e
}

// submit submits a run.
func (r *rig) submit(task runs.Task, change ...func(run *runs.Run)) *runs.Run {
	r.t.Helper()
	document, err := task.Document()
	require.NoError(r.t, err)
	run := &runs.Run{Owner: "ann", ID: fmt.Sprintf("run-%d", r.n.Add(1)), Thread: "t", Agent: "helper", Assistant: "a", Task: document}
	for _, do := range change {
		do(run)
	}
	require.NoError(r.t, r.store.Submit(r.t.Context(), run, true, 0, nil))
	return run
}

func say(text string) runs.Task { return runs.Task{Messages: []abi.Message{abi.Human(text)}} }

// over waits for the end of a run.
func (r *rig) over(run *runs.Run) *runs.Run {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	look := make(chan struct{}, 1)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	listening.Go(func() {
		_ = r.store.Listen(ctx, func(runs.Hint) {
			select {
			case look <- struct{}{}:
			default:
			}
		})
	})
	for {
		got, err := r.store.Run(ctx, run.Owner, run.ID)
		require.NoError(r.t, err)
		if got.Status.Over() {
			return got
		}
		select {
		case <-look:
		case <-ctx.Done():
			require.Fail(r.t, "the run does not end", "%+v", got)
		}
	}
}

// events returns the events of a run in one line each, without tokens.
func (r *rig) events(run *runs.Run) (out []string) {
	r.t.Helper()
	events, err := r.store.Events(r.t.Context(), run.Owner, run.ID, 0, 0)
	require.NoError(r.t, err)
	for i := range events {
		var e host.Event
		require.NoError(r.t, json.Unmarshal(events[i].Data, &e))
		if events[i].Token() {
			continue
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s%s", events[i].Attempt(), e.Type, e.Step, e.Status)))
	}
	return out
}

func (r *rig) thread() *runs.Thread {
	r.t.Helper()
	t, err := r.store.Thread(r.t.Context(), "ann", "t")
	require.NoError(r.t, err)
	return t
}

// messages returns the texts of the thread's messages.
func (r *rig) messages() (out []string) {
	r.t.Helper()
	held, err := r.threads.Load(r.t.Context(), runs.ThreadName("ann", "t"), 0)
	require.NoError(r.t, err)
	for i := range held.Log.List().Len() {
		m := held.Log.List().At(i)
		out = append(out, string(m.Role)+": "+m.Content.Text())
	}
	return out
}

// work is an answer that calls the tool block.
func work() scripted.Turn { return scripted.CallTools(abi.Call("1", "block", map[string]any{})) }

// blocks adds a tool that waits for the test, or for its context. Each call is counted.
func (r *rig) blocks() (began, let chan struct{}, count *atomic.Int64) {
	began, let, count = make(chan struct{}, 10), make(chan struct{}), &atomic.Int64{}
	r.config.Tools = append(r.config.Tools, tool.Func("block", "Blocks.", func(ctx context.Context, _ struct{}) (string, error) {
		count.Add(1)
		began <- struct{}{}
		select {
		case <-let:
			return "ok", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}))
	return began, let, count
}

func TestARunIsPerformed(t *testing.T) {
	t.Parallel()
	r := setup(t, scripted.Say("hello"))
	r.start()
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Success, run.Status)
	require.Equal(t, []any{1, checkpoint.ID(0), checkpoint.ID(2)}, []any{run.Attempt, run.Before, run.After})
	require.Equal(t, []string{
		"1 run", "1 state input", "1 checkpoint", "1 step model", "1 model model", "1 state model", "1 checkpoint model", "1 end completed",
	}, r.events(run))
	require.Equal(t, []any{runs.ThreadIdle, "helper"}, []any{r.thread().Status, r.thread().Agent})
	require.False(t, r.thread().Stepped.IsZero())
	require.Equal(t, []string{"human: hi", "ai: hello"}, r.messages())
}

func TestRunsOfAThreadAreInOrder(t *testing.T) {
	t.Parallel()
	r := setup(t, scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))
	all := []*runs.Run{r.submit(say("1")), r.submit(say("2")), r.submit(say("3"))}
	r.start()
	for _, run := range all {
		require.Equal(t, runs.Success, r.over(run).Status)
	}
	require.Equal(t, []string{"human: 1", "ai: one", "human: 2", "ai: two", "human: 3", "ai: three"}, r.messages())
}

func TestAQuestionIsAnsweredByAnotherRun(t *testing.T) {
	t.Parallel()
	r := setup(t, scripted.Say("done"))
	r.config.Middleware = []host.Middleware{host.BeforeAgent("ask", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Interrupt("ok", wire.String("may I?"))
		return nil, err
	})}
	r.start()
	asked := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Success, asked.Status, "as in LangGraph's API")
	waiting := r.thread()
	require.Equal(t, runs.ThreadInterrupted, waiting.Status)
	require.Len(t, waiting.Waiting, 1)
	require.Equal(t, `"may I?"`, string(waiting.Waiting[0].Value))

	answered := r.over(r.submit(runs.Task{Answers: []runs.Answer{{Interrupt: waiting.Waiting[0].ID, Value: wire.String("yes")}}}))
	require.Equal(t, runs.Success, answered.Status)
	require.Equal(t, asked.After, answered.Before)
	require.Equal(t, runs.ThreadIdle, r.thread().Status)
	require.Empty(t, r.thread().Waiting)
	require.Equal(t, []string{"human: hi", "ai: done"}, r.messages())
}

func TestAFailureIsNoted(t *testing.T) {
	t.Parallel()
	r := setup(t, scripted.Fail(errors.New("down")))
	r.start()
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.Failed, run.Status)
	require.Equal(t, &runs.Failure{Type: "model_error", Message: `model "scripted": down`}, run.Failure)
	require.Equal(t, runs.ThreadFailed, r.thread().Status)
	require.Contains(t, r.events(run), "1 end failed")

	unreadable := r.over(r.submit(say("hi"), func(run *runs.Run) { run.Task = runs.Document(`{"mesages": []}`) }))
	require.Equal(t, runs.Failed, unreadable.Status)
	require.Contains(t, unreadable.Failure.Message, `unknown field "mesages"`)
	require.Equal(t, []string{"1 end failed"}, r.events(unreadable), "each run has an end")
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for how, test := range map[runs.Cancel]struct {
		status   runs.ThreadStatus
		messages []string
	}{
		runs.CancelKeep:     {runs.ThreadInterrupted, []string{"human: hi", "ai: hello", "human: work", "ai: "}},
		runs.CancelRollback: {runs.ThreadIdle, []string{"human: hi", "ai: hello"}},
	} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			r := setup(t, scripted.Say("hello"), work())
			began, _, _ := r.blocks()
			r.start()
			first := r.over(r.submit(say("hi")))
			run := r.submit(say("work"))
			<-began
			_, err := r.store.Cancel(t.Context(), "ann", run.ID, how)
			require.NoError(t, err)
			if how == runs.CancelKeep {
				got := r.over(run)
				require.Equal(t, runs.Interrupted, got.Status)
				require.Contains(t, r.events(run), "1 end cancelled")
			} else {
				require.Eventually(t, func() bool {
					_, err := r.store.Run(t.Context(), "ann", run.ID)
					return errors.Is(err, runs.ErrNoRun)
				}, 10*time.Second, 5*time.Millisecond)
				held, err := r.threads.Load(t.Context(), runs.ThreadName("ann", "t"), 0)
				require.NoError(t, err)
				require.Equal(t, first.After, held.Newest)
			}
			require.Equal(t, test.status, r.thread().Status)
			require.Equal(t, test.messages, r.messages())
		})
	}
}

func TestAProcessThatEndsGivesItsRunsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, endsAndGivesBack)
}

func endsAndGivesBack(t *testing.T) {
	t.Helper()
	r := setup(t, work(), scripted.Say("done"))
	began, let, count := r.blocks()
	e := r.start()
	run := r.submit(say("hi"))
	<-began
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		e.Close(t.Context())
	}()
	synctest.Wait() // it waits for the tool
	close(let)
	<-closed
	got, err := r.store.Run(t.Context(), "ann", run.ID)
	require.NoError(t, err)
	require.Equal(t, runs.Pending, got.Status)

	r.start()
	require.Equal(t, runs.Success, r.over(run).Status)
	require.EqualValues(t, 1, count.Load(), "the tool ran once")
	require.Equal(t, []string{"human: hi", "ai: ", "tool: ok", "ai: done"}, r.messages())
	events := r.events(run)
	require.Contains(t, events, "2 end completed")
	require.NotContains(t, strings.Join(events, "\n"), "1 end")
}

func TestARunWaitsForAThreadThatADeadProcessHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, waitsForTheThread)
}

func waitsForTheThread(t *testing.T) {
	t.Helper()
	r := setup(t, scripted.Say("hello"))
	held, err := r.threads.Open(t.Context(), runs.ThreadName("ann", "t"))
	require.NoError(t, err)
	r.start()
	run := r.submit(say("hi"))
	time.Sleep(time.Second) // of the bubble: the engine tries in vain meanwhile
	require.NoError(t, held.Close())
	require.Equal(t, runs.Success, r.over(run).Status)
	events := r.events(run)
	require.Equal(t, []string{"1 run", "1 end completed"}, []string{events[0], events[len(events)-1]})
	require.Len(t, events, 8, "attempts that found the thread busy leave no events")
}

func TestARunThatTakesTooLong(t *testing.T) {
	t.Parallel()
	r := setup(t, work())
	r.blocks()
	r.start(func(c *engine.Config) { c.Timeout = 50 * time.Millisecond })
	run := r.over(r.submit(say("hi")))
	require.Equal(t, runs.TimedOut, run.Status)
	require.Equal(t, "the run takes longer than the server allows", run.Failure.Message)
}

// dying is a store that a process no longer reaches from some moment on, as if it had died.
type dying struct {
	runs.Store

	dead atomic.Bool
}

var errDead = errors.New("the process is dead")

func (d *dying) Claim(ctx context.Context, w *runs.Worker, limit int) ([]runs.Run, error) {
	if d.dead.Load() {
		return nil, errDead
	}
	return d.Store.Claim(ctx, w, limit)
}

func (d *dying) Renew(ctx context.Context, w *runs.Worker, ids []string) (*runs.Renewal, error) {
	if d.dead.Load() {
		return nil, errDead
	}
	return d.Store.Renew(ctx, w, ids)
}

func (d *dying) Append(ctx context.Context, w *runs.Worker, events []runs.Event) error {
	if d.dead.Load() {
		return errDead
	}
	return d.Store.Append(ctx, w, events)
}

func (d *dying) Finish(ctx context.Context, w *runs.Worker, o *runs.Outcome) error {
	if d.dead.Load() {
		return errDead
	}
	return d.Store.Finish(ctx, w, o)
}

func (d *dying) Release(ctx context.Context, w *runs.Worker, run string) error {
	if d.dead.Load() {
		return errDead
	}
	return d.Store.Release(ctx, w, run)
}

func TestAnotherProcessTakesOver(t *testing.T) {
	t.Parallel()
	r := setup(t, work(), scripted.Say("done"))
	began, let, count := r.blocks()
	shared := r.store
	lost := &dying{Store: shared}
	r.store = lost
	r.config.Middleware = []host.Middleware{host.BeforeModel("dies", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.State().Messages().Len() == 3 && lost.dead.CompareAndSwap(false, true) {
			return nil, errDead // after the tool, whose result is saved
		}
		return nil, nil
	})}
	r.start()
	run := r.submit(say("hi"))
	<-began
	let <- struct{}{}
	require.Eventually(t, lost.dead.Load, 10*time.Second, time.Millisecond)
	r.store = shared
	r.start()
	got := r.over(run)
	require.Equal(t, []any{runs.Success, 2}, []any{got.Status, got.Attempt})
	require.EqualValues(t, 1, count.Load(), "the tool ran once")
	require.Equal(t, []string{"human: hi", "ai: ", "tool: ok", "ai: done"}, r.messages())

	events, err := shared.Events(t.Context(), "ann", run.ID, 0, 0)
	require.NoError(t, err)
	var known []string // what a reader knows who drops what is void
	var saved int
	for i := range events {
		var e host.Event
		require.NoError(t, json.Unmarshal(events[i].Data, &e))
		if i > 0 && events[i].Attempt() > events[i-1].Attempt() {
			known = known[:saved]
		}
		for j := range e.Messages {
			if e.Type == host.EventState {
				known = append(known, string(e.Messages[j].Role)+": "+e.Messages[j].Content.Text())
			}
		}
		if e.Type == host.EventCheckpoint {
			saved = len(known)
		}
	}
	require.Equal(t, r.messages(), known, "nothing is missing, and nothing comes twice")
}

// lateBegin is a store in which the first Begin does not come through before the run is cancelled.
type lateBegin struct {
	runs.Store

	late atomic.Bool
	here chan struct{}
}

func (l *lateBegin) Begin(ctx context.Context, w *runs.Worker, run string, newest checkpoint.ID) (checkpoint.ID, error) {
	if l.late.CompareAndSwap(true, false) {
		close(l.here)
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
	return l.Store.Begin(ctx, w, run, newest)
}

func TestARollbackBeforeTheBeginTakesNothingElse(t *testing.T) {
	t.Parallel()
	r := setup(t, scripted.Say("hello"), scripted.Say("never"))
	store := &lateBegin{Store: r.store, here: make(chan struct{})}
	r.store = store
	r.start()
	r.over(r.submit(say("hi")))
	store.late.Store(true)
	run := r.submit(say("more"))
	<-store.here
	_, err := r.store.Cancel(t.Context(), "ann", run.ID, runs.CancelRollback)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := r.store.Run(t.Context(), "ann", run.ID)
		return errors.Is(err, runs.ErrNoRun)
	}, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, []string{"human: hi", "ai: hello"}, r.messages())
}

// broken is a store of threads that cannot read one.
type broken struct{ checkpoint.Store }

func (broken) Load(context.Context, string, checkpoint.ID) (*checkpoint.Thread, error) {
	return nil, checkpoint.ErrCorrupt
}

func TestARunOfABrokenThreadFails(t *testing.T) {
	t.Parallel()
	r := setup(t, scripted.Say("never"))
	r.threads = broken{r.threads}
	r.start()
	run := r.over(r.submit(say("hi")))
	require.Equal(t, []any{runs.Failed, 1}, []any{run.Status, run.Attempt}, "it would never succeed")
	require.Contains(t, run.Failure.Message, "restore it from a backup")
}
