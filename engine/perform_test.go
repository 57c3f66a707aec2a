package engine_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/enginetest"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
)

// director tells a directed engine which threads have a run to perform.
type director struct {
	engine  *engine.Engine
	store   runs.Store
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

func direct(t *testing.T, c engine.Config) enginetest.Engine {
	t.Helper()
	c.Directed = true
	e, err := engine.Start(c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	d := &director{engine: e, store: c.Store, stop: cancel}
	d.stopped.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			found, err := c.Store.Claimable(ctx, []string{"helper"}, 10)
			if err == nil {
				for i := range found {
					d.stopped.Go(func() { _, _ = e.Perform(context.Background(), found[i].Owner, found[i].Thread) })
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return d
}

func (d *director) Close(ctx context.Context) {
	d.stop()
	d.engine.Close(ctx)
	d.stopped.Wait()
}

func TestDirectedEngine(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, enginetest.Options{Bubble: true, Start: direct})
}

func TestNothingToPerform(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{})
	e, err := engine.Start(engine.Config{Store: store, Agents: map[string]runs.Agent{"helper": {}}, Directed: true})
	require.NoError(t, err)
	_, err = e.Perform(t.Context(), "ann", "t")
	require.ErrorIs(t, err, runs.ErrNoThread)
	require.NoError(t, store.CreateThread(t.Context(), &runs.Thread{Owner: "ann", ID: "t"}))
	performed, err := e.Perform(t.Context(), "ann", "t")
	require.NoError(t, err)
	require.Nil(t, performed)
	e.Close(t.Context())
	_, err = e.Perform(t.Context(), "ann", "t")
	require.ErrorIs(t, err, host.ErrDraining)
}
