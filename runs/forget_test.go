package runs_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
)

// ending notes which agent is told that a run is over for good.
type ending struct {
	agent string
	told  *[]string
}

func (ending) Name() string { return "ending" }

func (e ending) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{End: func(context.Context, string) { *e.told = append(*e.told, e.agent) }}, nil
}

// A run that has stopped in a thread is over when the thread is removed. The agent whose run it is learns it, although all agents keep
// their threads in one place.
func TestDeletedThreadEndsRunOfItsAgent(t *testing.T) {
	t.Parallel()
	var told []string
	threads := memory.New()
	agents := map[string]runs.Agent{}
	for _, name := range []string{"ann", "bob", "eve"} {
		agent, err := host.New(host.Config{
			Name: name, Model: scripted.NewTurns(), Checkpointer: threads, InterruptBefore: []string{"model"},
			Middleware: []host.Middleware{ending{name, &told}},
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
		agents[name] = runs.Agent{Agent: agent, Threads: threads}
	}
	service, err := runs.NewService(runs.ServiceConfig{Store: runsmemory.New(runsmemory.Options{}), Agents: agents})
	require.NoError(t, err)
	defer service.Close()
	for range 10 { // the agents are in a map
		for name := range agents {
			thread := &runs.Thread{Owner: "owner", ID: uuid.NewString(), Agent: name}
			require.NoError(t, service.CreateThread(t.Context(), thread))
			result, err := agents[name].Run(t.Context(), host.Input{
				Thread: runs.ThreadName(thread.Owner, thread.ID), Messages: []abi.Message{abi.Human("hi")},
			})
			require.NoError(t, err)
			require.Equal(t, host.Interrupted, result.Status)
			told = nil
			require.NoError(t, service.DeleteThread(t.Context(), thread.Owner, thread.ID))
			require.Equal(t, []string{name}, told)
			_, err = threads.Load(t.Context(), runs.ThreadName(thread.Owner, thread.ID), checkpoint.Root)
			require.ErrorIs(t, err, checkpoint.ErrNoThread)
		}
	}
}

func TestAThreadOfARunIsKept(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Name: "agent", Model: scripted.NewTurns(), Checkpointer: memory.New()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	hour := &runs.Expiry{After: time.Hour}
	service, err := runs.NewService(runs.ServiceConfig{
		Store: runsmemory.New(runsmemory.Options{}), Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: memory.New()}}, Expiry: hour,
	})
	require.NoError(t, err)
	defer service.Close()
	assistant, err := service.Resolve(t.Context(), "owner", "agent")
	require.NoError(t, err)
	run, err := service.Submit(t.Context(), &runs.Submission{Owner: "owner", Assistant: assistant})
	require.NoError(t, err)
	require.ErrorIs(t, service.KeepThread(t.Context(), "stranger", run.Thread, nil), runs.ErrNoThread)
	for range 2 {
		require.NoError(t, service.KeepThread(t.Context(), "owner", run.Thread, nil))
		thread, err := service.Thread(t.Context(), "owner", run.Thread)
		require.NoError(t, err)
		require.False(t, thread.Temporary)
		require.Equal(t, hour, thread.Expiry)
	}
}
