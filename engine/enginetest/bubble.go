package enginetest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
)

// aProcessThatEndsGivesItsRunsBack needs a bubble, to know that the engine waits for the tool.
func aProcessThatEndsGivesItsRunsBack(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, work(), scripted.Say("done"))
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

// aRunWaitsForAThreadThatADeadProcessHolds needs a bubble, to let the engine try in vain for a while.
func aRunWaitsForAThreadThatADeadProcessHolds(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, scripted.Say("hello"))
	held, err := r.threads.Open(t.Context(), runs.ThreadName("ann", "t"))
	require.NoError(t, err)
	r.start()
	run := r.submit(say("hi"))
	time.Sleep(time.Second) // of the bubble: the engine tries in vain meanwhile
	require.NoError(t, held.Close())
	require.Equal(t, runs.Success, r.over(run).Status)
	events := r.events(run)
	require.Equal(t, []string{"1 run", "1 end completed"}, []string{events[0], events[len(events)-1]})
	require.Len(t, events, 9, "attempts that found the thread busy leave no events")
}
