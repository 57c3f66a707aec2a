package enginetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
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
	begin   Start
	store   runs.Store
	threads checkpoint.Store
	config  host.Config
	n       atomic.Int64
}

func setup(t *testing.T, start Start, script ...scripted.Turn) *rig {
	t.Helper()
	threads := checkpoints.New()
	return &rig{t: t, begin: start, store: memory.New(memory.Options{}), threads: threads, config: host.Config{
		Model: scripted.NewTurns(script...), Checkpointer: threads,
	}}
}

// start starts an engine, which is closed when the test ends.
func (r *rig) start(change ...func(c *engine.Config)) Engine {
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
	e := r.begin(r.t, c)
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
		e, err := events[i].Host()
		require.NoError(r.t, err)
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
