// Package runstest has the tests that every store of runs must pass.
package runstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// Run tests the stores that open returns. Every store that open returns must be empty.
func Run(t *testing.T, open func(t *testing.T) runs.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(c *check)
	}{
		{"threads are created once", (*check).createThread},
		{"threads change", (*check).changeThread},
		{"the status of a busy thread", (*check).busyThread},
		{"threads are found by what they are", (*check).findThreads},
		{"pages of threads", (*check).pageThreads},
		{"threads are deleted with their runs", (*check).deleteThread},

		{"a run is submitted", (*check).submit},
		{"a run makes its thread, or not", (*check).submitThread},
		{"strategies: reject", (*check).reject},
		{"strategies: interrupt and rollback", (*check).displace},
		{"a full queue", (*check).queueFull},
		{"runs of a thread", (*check).findRuns},
		{"a pending run is cancelled", (*check).cancelPending},
		{"a running run is cancelled", (*check).cancelRunning},
		{"runs are deleted", (*check).deleteRun},

		{"runs are claimed in their order", (*check).claim},
		{"runs wait until they are due", (*check).due},
		{"a thread has one running run", (*check).exclusive},
		{"a worker claims runs of its agents", (*check).agents},
		{"runs of one thread are claimed", (*check).claimIn},
		{"a claim expires", (*check).expire},
		{"a claim is renewed", (*check).renew},
		{"the checkpoint before a run", (*check).begin},
		{"a run is given back", (*check).release},
		{"a run ends", (*check).finish},
		{"a run ends while others wait", (*check).finishBusy},
		{"a run that ends without a word about its thread", (*check).finishQuietly},
		{"a run is rolled back", (*check).rollback},
		{"whoever lost a run cannot end it", (*check).finishLost},

		{"events are read from any position", (*check).events},
		{"events come in pieces", (*check).manyEvents},
		{"events of a run that was lost are left out", (*check).fencedEvents},
		{"tokens of a run that is over", (*check).tokens},
		{"old events are removed", (*check).prune},

		{"assistants are created once", (*check).createAssistant},
		{"assistants have versions", (*check).versions},
		{"assistants are found", (*check).findAssistants},
		{"assistants are deleted with their schedules", (*check).deleteAssistant},

		{"schedules are kept", (*check).schedules},
		{"schedules are found", (*check).findSchedules},
		{"schedules fire", (*check).fire},
		{"schedules end", (*check).endSchedule},
		{"threads expire", (*check).expired},

		{"what owners have spent", (*check).spending},
		{"a stranger finds and changes nothing", (*check).stranger},
		{"owners may use the same ids", (*check).sameIDs},
		{"what no store keeps", (*check).invalid},
		{"what no store answers", (*check).badQueries},
		{"rows are the caller's", (*check).copies},
		{"documents stay as they are", (*check).documents},
		{"metadata", (*check).metadata},
		{"metadata contains other metadata", (*check).containment},
		{"hints", (*check).hints},
		{"contexts end", (*check).contexts},
		{"many work at once", (*check).concurrent},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(&check{t: t, s: open(t)})
		})
	}
}

// check is one test of one store.
type check struct {
	t   *testing.T
	s   runs.Store
	ids int
}

// The owners of the tests.
const (
	ann = "ann"
	bob = "bob"
)

func (c *check) ctx() context.Context { return c.t.Context() }

// id returns an id that the test has not used. Later ones are larger.
func (c *check) id() string {
	c.ids++
	return fmt.Sprintf("0b7f5a8e-5d3c-4c6e-9a53-%012d", c.ids)
}

// missing is the id of no row.
const missing = "ffffffff-ffff-4fff-bfff-ffffffffffff"

// thread creates a thread of ann.
func (c *check) thread(change ...func(t *runs.Thread)) *runs.Thread {
	c.t.Helper()
	t := &runs.Thread{Owner: ann, ID: c.id()}
	for _, f := range change {
		f(t)
	}
	require.NoError(c.t, c.s.CreateThread(c.ctx(), t))
	return t
}

// submitTo submits a run of ann to a thread, which it creates if necessary.
func (c *check) submitTo(thread string, change ...func(r *runs.Run)) *runs.Run {
	c.t.Helper()
	r := c.newRun(thread, change...)
	require.NoError(c.t, c.s.Submit(c.ctx(), r, true, 0, nil))
	return r
}

func (c *check) newRun(thread string, change ...func(r *runs.Run)) *runs.Run {
	r := &runs.Run{Owner: ann, ID: c.id(), Thread: thread, Agent: "agent", Task: runs.Document(`{"do":"it"}`)}
	for _, f := range change {
		f(r)
	}
	return r
}

func worker(id string, agents ...string) *runs.Worker {
	if agents == nil {
		agents = []string{"agent"}
	}
	return &runs.Worker{ID: id, Agents: agents, Lease: time.Hour}
}

// hasty returns a worker whose claims expire at once.
func hasty(id string) *runs.Worker {
	w := worker(id)
	w.Lease = 1
	return w
}

// claims lets a worker claim runs, and returns their ids.
func (c *check) claims(w *runs.Worker, limit int) []string {
	c.t.Helper()
	claimed, err := c.s.Claim(c.ctx(), w, limit)
	require.NoError(c.t, err)
	return runIDs(claimed)
}

func runIDs(rows []runs.Run) []string {
	ids := []string{}
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	return ids
}

// mine claims one run, which is the one that is wanted.
func (c *check) mine(w *runs.Worker, want *runs.Run) *runs.Run {
	c.t.Helper()
	claimed, err := c.s.Claim(c.ctx(), w, 1)
	require.NoError(c.t, err)
	require.Equal(c.t, []string{want.ID}, runIDs(claimed))
	return &claimed[0]
}

// takes claims one run as soon as the claim of another worker has expired.
func (c *check) takes(w *runs.Worker, want *runs.Run) *runs.Run {
	c.t.Helper()
	var claimed []runs.Run
	require.Eventually(c.t, func() bool {
		var err error
		claimed, err = c.s.Claim(c.ctx(), w, 1)
		return err != nil || len(claimed) > 0
	}, patience, time.Millisecond)
	require.Equal(c.t, []string{want.ID}, runIDs(claimed))
	return &claimed[0]
}

// patience is how long a test waits for what comes soon.
const patience = 20 * time.Second

func (c *check) readThread(id string) *runs.Thread {
	c.t.Helper()
	t, err := c.s.Thread(c.ctx(), ann, id)
	require.NoError(c.t, err)
	return t
}

func (c *check) readRun(id string) *runs.Run {
	c.t.Helper()
	r, err := c.s.Run(c.ctx(), ann, id)
	require.NoError(c.t, err)
	return r
}

func (c *check) readEvents(run string) []runs.Event {
	c.t.Helper()
	events, err := c.s.Events(c.ctx(), ann, run, 0, 0)
	require.NoError(c.t, err)
	return events
}

// succeed ends a run, and leaves its thread idle.
func (c *check) succeed(w *runs.Worker, run string) {
	c.t.Helper()
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{
		Run: run, Status: runs.Success, Thread: func(t *runs.Thread) { t.Status = runs.ThreadIdle },
	}))
}

// anEvent returns an event of the first attempt of a run.
func anEvent(run string, n int) runs.Event { return attemptEvent(run, 1, n) }

func attemptEvent(run string, attempt, n int) runs.Event {
	return runs.Event{
		Run: run, Seq: runs.FirstSeq(attempt) + uint64(n), Time: time.UnixMicro(1_700_000_000_000_000 + int64(n)).UTC(), Type: "step",
		Data: runs.Document(fmt.Sprintf(`{"n": %d}`, n)),
	}
}

func seqs(events []runs.Event) []uint64 {
	out := []uint64{}
	for i := range events {
		out = append(out, events[i].Seq-runs.FirstSeq(events[i].Attempt()))
	}
	return out
}
