package runstest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
)

func (c *check) claim() {
	first, second, third := c.submitTo(c.id()), c.submitTo(c.id()), c.submitTo(c.id(), func(r *runs.Run) { r.Owner = bob })
	w := worker("w")
	require.Empty(c.t, c.claims(w, 0))
	require.Empty(c.t, c.claims(w, -1))
	claimed, err := c.s.Claim(c.ctx(), w, 2)
	require.NoError(c.t, err)
	require.Equal(c.t, []string{first.ID, second.ID}, runIDs(claimed))
	require.Equal(c.t, *c.readRun(first.ID), claimed[0], "a claim has whole runs")
	require.Equal(c.t, []any{runs.Running, 1, runs.ThreadBusy},
		[]any{claimed[0].Status, claimed[0].Attempt, c.readThread(first.Thread).Status})
	require.Equal(c.t, []string{third.ID}, c.claims(worker("v"), 10), "workers act for all owners, and claim no run twice")
	require.Empty(c.t, c.claims(w, 10))
}

func (c *check) due() {
	t := c.thread()
	later := c.submitTo(t.ID, func(r *runs.Run) { r.Due = time.Now().Add(time.Hour) })
	sooner := c.submitTo(t.ID, func(r *runs.Run) { r.Due = time.Now().Add(-time.Hour) })
	w := worker("w")
	require.Equal(c.t, []string{sooner.ID}, c.claims(w, 10), "a run that is not due lets others pass")
	c.succeed(w, sooner.ID)
	require.Empty(c.t, c.claims(w, 10))
	soon := c.submitTo(c.id(), func(r *runs.Run) { r.Due = time.Now().Add(20 * time.Millisecond) })
	c.takes(w, soon)
	require.False(c.t, time.Now().Before(soon.Due))
	require.Equal(c.t, runs.Pending, c.readRun(later.ID).Status)

	other := c.thread()
	first := c.submitTo(other.ID, func(r *runs.Run) { r.Due = time.Now().Add(20 * time.Millisecond) })
	second := c.submitTo(other.ID, func(r *runs.Run) { r.Due = time.Now().Add(-time.Hour) })
	passed := c.claims(w, 1)[0]
	require.Eventually(c.t, func() bool { return time.Now().After(first.Due.Add(time.Millisecond)) }, patience, time.Millisecond)
	waits := map[string]string{first.ID: second.ID, second.ID: first.ID}[passed]
	require.Empty(c.t, c.claims(w, 10), "a run that becomes due waits for the one that runs")
	c.succeed(w, passed)
	require.Equal(c.t, []string{waits}, c.claims(w, 10))
}

func (c *check) exclusive() {
	t, w := c.thread(), worker("w")
	queue := []*runs.Run{c.submitTo(t.ID), c.submitTo(t.ID), c.submitTo(t.ID)}
	for i, r := range queue {
		require.Equal(c.t, []string{r.ID}, c.claims(w, 10))
		require.Empty(c.t, c.claims(worker("v"), 10))
		for _, other := range queue[i+1:] {
			require.Equal(c.t, runs.Pending, c.readRun(other.ID).Status)
		}
		c.succeed(w, r.ID)
	}
}

func (c *check) agents() {
	t := c.thread()
	a := c.submitTo(t.ID, func(r *runs.Run) { r.Agent = "a" })
	b := c.submitTo(t.ID, func(r *runs.Run) { r.Agent = "b" })
	other := c.submitTo(c.id(), func(r *runs.Run) { r.Agent = "b" })
	require.Empty(c.t, c.claims(worker("w", "c"), 10))
	require.Empty(c.t, c.claims(&runs.Worker{ID: "none", Lease: time.Hour}, 10))
	w := worker("w", "b", "c")
	require.Equal(c.t, []string{other.ID}, c.claims(w, 10), "a run waits for its turn, whoever performs the ones before")
	v := hasty("v")
	v.Agents = []string{"a"}
	c.mine(v, a)
	require.Empty(c.t, c.claims(w, 10))
	both := worker("u", "b", "a")
	c.takes(both, a)
	c.succeed(both, a.ID)
	c.mine(w, b)
}

func (c *check) claimIn() {
	other := c.submitTo(c.id())
	t := c.thread()
	later := c.submitTo(t.ID, func(r *runs.Run) { r.Due = time.Now().Add(time.Hour) })
	first, second := c.submitTo(t.ID), c.submitTo(t.ID, func(r *runs.Run) { r.Agent = "b" })
	claimable := func(limit int, agents ...string) []string {
		found, err := c.s.Claimable(c.ctx(), agents, limit)
		require.NoError(c.t, err)
		return runIDs(found)
	}
	claimIn := func(w *runs.Worker, thread string) *runs.Run {
		got, err := c.s.ClaimIn(c.ctx(), w, ann, thread)
		require.NoError(c.t, err)
		return got
	}
	require.Equal(c.t, []string{other.ID, first.ID}, claimable(10, "agent", "b"))
	require.Equal(c.t, []string{other.ID}, claimable(1, "agent"))
	require.Empty(c.t, claimable(10, "b"), "a run waits for its turn")
	require.Empty(c.t, claimable(0, "agent"))
	require.Empty(c.t, claimable(10))
	queued := func(agents ...string) map[string]int {
		found, err := c.s.Queued(c.ctx(), agents)
		require.NoError(c.t, err)
		return found
	}
	require.Equal(c.t, map[string]int{"agent": 2}, queued("agent", "b"), "a run that waits for its turn needs no worker yet")
	require.Empty(c.t, queued("b"))
	require.Empty(c.t, queued())

	w := hasty("w")
	require.Nil(c.t, claimIn(&runs.Worker{ID: "w", Agents: []string{"b"}, Lease: 1}, t.ID))
	got := claimIn(w, t.ID)
	require.Equal(c.t, c.readRun(first.ID), got)
	require.Equal(c.t, []any{runs.Running, 1}, []any{got.Status, got.Attempt})
	v := worker("v", "agent", "b")
	require.Eventually(c.t, func() bool {
		again := claimIn(v, t.ID)
		return again != nil && again.ID == first.ID && again.Attempt == 2
	}, patience, time.Millisecond, "the claim of a worker that is silent expires")
	require.Nil(c.t, claimIn(worker("u", "agent", "b"), t.ID))
	require.Equal(c.t, map[string]int{"agent": 1}, queued("agent", "b"), "a run that is performed is not queued")
	c.succeed(v, first.ID)
	require.Equal(c.t, second.ID, claimIn(v, t.ID).ID)
	c.succeed(v, second.ID)
	require.Nil(c.t, claimIn(v, t.ID), "the last one is not due")
	require.Equal(c.t, runs.Pending, c.readRun(later.ID).Status)
	_, err := c.s.ClaimIn(c.ctx(), v, ann, c.id())
	require.ErrorIs(c.t, err, runs.ErrNoThread)
	_, err = c.s.ClaimIn(c.ctx(), v, bob, other.Thread)
	require.ErrorIs(c.t, err, runs.ErrNoThread)
}

func (c *check) expire() {
	old, w := hasty("old"), worker("new")
	r, later := c.submitTo(c.id()), c.submitTo(c.id())
	first := c.mine(old, r)
	require.Equal(c.t, 1, first.Attempt)
	require.NoError(c.t, c.s.Append(c.ctx(), old, []runs.Event{anEvent(r.ID, 1)}), "until somebody takes it, it is still the old one's")
	second := c.takes(w, r)
	require.Equal(c.t, []any{2, runs.Running}, []any{second.Attempt, second.Status})
	require.Equal(c.t, second, c.readRun(r.ID))
	require.Equal(c.t, []string{later.ID}, c.claims(w, 10), "what others have claimed does not expire with it")
	renewal, err := c.s.Renew(c.ctx(), old, []string{r.ID})
	require.NoError(c.t, err)
	require.Equal(c.t, []string{r.ID}, renewal.Lost)
	require.ErrorIs(c.t, c.s.Release(c.ctx(), old, r.ID), runs.ErrNotClaimed)
	require.Equal(c.t, runs.Running, c.readRun(r.ID).Status)
}

func (c *check) renew() {
	w := hasty("w")
	a, b, ended := c.submitTo(c.id()), c.submitTo(c.id()), c.submitTo(c.id())
	require.Len(c.t, c.claims(w, 3), 3)
	c.succeed(w, ended.ID)
	w.Lease = time.Hour
	_, err := c.s.Cancel(c.ctx(), ann, b.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	renewal, err := c.s.Renew(c.ctx(), w, []string{a.ID, b.ID, ended.ID, missing})
	require.NoError(c.t, err)
	require.Equal(c.t, &runs.Renewal{Lost: []string{ended.ID, missing}, Cancel: map[string]runs.Cancel{b.ID: runs.CancelKeep}}, renewal)
	require.Empty(c.t, c.claims(worker("v"), 10), "all claims were renewed")

	w.Lease = 1
	renewal, err = c.s.Renew(c.ctx(), w, nil)
	require.NoError(c.t, err)
	require.Equal(c.t, &runs.Renewal{Cancel: map[string]runs.Cancel{}}, renewal)
	require.Eventually(c.t, func() bool { return len(c.claims(worker("v"), 1)) == 1 }, patience, time.Millisecond)
	w.Lease = time.Hour
	require.Empty(c.t, c.claims(w, 10), "a claim renews the others")
	require.Empty(c.t, c.claims(worker("u"), 10))
}

func (c *check) begin() {
	r, w := c.submitTo(c.id()), hasty("w")
	_, err := c.s.Begin(c.ctx(), w, r.ID, 1)
	require.ErrorIs(c.t, err, runs.ErrNotClaimed)
	c.mine(w, r)
	before, err := c.s.Begin(c.ctx(), w, r.ID, 0)
	require.NoError(c.t, err)
	require.Zero(c.t, before)
	v := worker("v")
	c.takes(v, r)
	_, err = c.s.Begin(c.ctx(), w, r.ID, 1)
	require.ErrorIs(c.t, err, runs.ErrNotClaimed)
	before, err = c.s.Begin(c.ctx(), v, r.ID, 5)
	require.NoError(c.t, err)
	require.Zero(c.t, before, "that of the first attempt stays, also if there was none")

	second := c.submitTo(c.id())
	c.mine(v, second)
	before, err = c.s.Begin(c.ctx(), v, second.ID, 1<<40)
	require.NoError(c.t, err)
	require.Equal(c.t, []checkpoint.ID{1 << 40, 1 << 40}, []checkpoint.ID{before, c.readRun(second.ID).Before})
	_, err = c.s.Begin(c.ctx(), v, missing, 1)
	require.ErrorIs(c.t, err, runs.ErrNotClaimed)
}

func (c *check) release() {
	t, w := c.thread(), worker("w")
	first, second := c.submitTo(t.ID), c.submitTo(t.ID)
	c.mine(w, first)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(first.ID, 1)}))
	require.NoError(c.t, c.s.Release(c.ctx(), w, first.ID))
	require.ErrorIs(c.t, c.s.Release(c.ctx(), w, first.ID), runs.ErrNotClaimed)
	require.Equal(c.t, []any{runs.Pending, 1}, []any{c.readRun(first.ID).Status, c.readRun(first.ID).Attempt})
	require.Equal(c.t, runs.ThreadBusy, c.readThread(t.ID).Status)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(first.ID, 2)}))
	require.Equal(c.t, []uint64{1}, seqs(c.readEvents(first.ID)), "the worker no longer has it")
	again := c.mine(worker("v"), first)
	require.Equal(c.t, 2, again.Attempt)
	require.Equal(c.t, runs.Pending, c.readRun(second.ID).Status)
	require.ErrorIs(c.t, c.s.Release(c.ctx(), w, missing), runs.ErrNotClaimed)
}

func (c *check) finish() {
	r, w := c.submitTo(c.id()), worker("w")
	c.mine(w, r)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(r.ID, 1)}))
	stepped := time.UnixMicro(1_700_000_000_000_000).UTC()
	waiting := []runs.Interrupt{{ID: "i", Step: "tools", Value: runs.Document(`{"a":1}`)}}
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{
		Run: r.ID, Status: runs.Failed, Failure: &runs.Failure{Type: "model_error", Message: "no"}, After: 7,
		Events: []runs.Event{anEvent(r.ID, 2), anEvent(r.ID, 3)},
		Thread: func(t *runs.Thread) {
			require.Equal(c.t, []any{r.Thread, runs.ThreadBusy}, []any{t.ID, t.Status})
			t.Status, t.Waiting, t.Stepped, t.Agent, t.Failure = runs.ThreadInterrupted, waiting, stepped, "agent", &runs.Failure{Type: "x"}
		},
	}))
	ended := c.readRun(r.ID)
	require.Equal(c.t, []any{runs.Failed, &runs.Failure{Type: "model_error", Message: "no"}, checkpoint.ID(7), 1},
		[]any{ended.Status, ended.Failure, ended.After, ended.Attempt})
	require.False(c.t, ended.Updated.Before(r.Updated))
	require.Equal(c.t, []uint64{1, 2, 3}, seqs(c.readEvents(r.ID)))
	t := c.readThread(r.Thread)
	require.Equal(c.t, []any{runs.ThreadInterrupted, waiting, stepped, "agent", &runs.Failure{Type: "x"}},
		[]any{t.Status, t.Waiting, t.Stepped, t.Agent, t.Failure})
	require.False(c.t, t.Updated.Before(t.Created))
	require.ErrorIs(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: r.ID, Status: runs.Success}), runs.ErrNotClaimed, "it is over")
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(r.ID, 4)}))
	require.Equal(c.t, []uint64{1, 2, 3}, seqs(c.readEvents(r.ID)))

	odd := c.submitTo(c.id())
	c.mine(w, odd)
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: odd.ID, Status: runs.TimedOut, Failure: &runs.Failure{Message: "\xff\x00a"}}))
	require.Equal(c.t, "��a", c.readRun(odd.ID).Failure.Message, "no error keeps a run from ending")
}

func (c *check) finishBusy() {
	t, w := c.thread(), worker("w")
	first, second := c.submitTo(t.ID), c.submitTo(t.ID)
	c.mine(w, first)
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: first.ID, Status: runs.Success, Thread: func(t *runs.Thread) {
		t.Status, t.Waiting = runs.ThreadInterrupted, []runs.Interrupt{{ID: "i"}}
		t.Metadata["ended"] = true
	}}))
	busy := c.readThread(t.ID)
	require.Equal(c.t, []any{runs.ThreadBusy, runs.Metadata{"ended": true}}, []any{busy.Status, busy.Metadata})
	require.Empty(c.t, busy.Waiting)
	_, err := c.s.Cancel(c.ctx(), ann, second.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	after := c.readThread(t.ID)
	require.Equal(c.t, []any{runs.ThreadInterrupted, []runs.Interrupt{{ID: "i", Value: runs.Document("null")}}}, []any{after.Status, after.Waiting})
}

func (c *check) finishQuietly() {
	t := c.thread(func(t *runs.Thread) { t.Status = runs.ThreadFailed })
	w := worker("w")
	for _, note := range []func(t *runs.Thread){nil, func(*runs.Thread) {}} {
		r := c.submitTo(t.ID)
		c.mine(w, r)
		require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: r.ID, Status: runs.Interrupted, Thread: note}))
		require.Equal(c.t, runs.ThreadFailed, c.readThread(t.ID).Status)
	}
	r := c.submitTo(t.ID)
	c.mine(w, r)
	require.ErrorIs(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{
		Run: r.ID, Status: runs.Success, Events: []runs.Event{anEvent(r.ID, 1)}, Thread: func(t *runs.Thread) { t.Status = "asleep" },
	}), runs.ErrInvalidValue)
	require.Equal(c.t, runs.Running, c.readRun(r.ID).Status, "all of it happens, or nothing")
	require.Empty(c.t, c.readEvents(r.ID))
}

func (c *check) rollback() {
	t, w := c.thread(), worker("w")
	r, next := c.submitTo(t.ID), c.submitTo(t.ID)
	c.mine(w, r)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(r.ID, 1)}))
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: r.ID, Remove: true, Thread: func(t *runs.Thread) { t.Metadata["back"] = true }}))
	_, err := c.s.Run(c.ctx(), ann, r.ID)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
	_, err = c.s.Events(c.ctx(), ann, r.ID, 0, 1)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
	require.Equal(c.t, []any{runs.ThreadBusy, runs.Metadata{"back": true}}, []any{c.readThread(t.ID).Status, c.readThread(t.ID).Metadata})
	c.mine(w, next)
	require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: next.ID, Remove: true}))
	require.Equal(c.t, runs.ThreadIdle, c.readThread(t.ID).Status)
}

func (c *check) finishLost() {
	t, old, w := c.thread(), hasty("old"), worker("new")
	r := c.submitTo(t.ID)
	c.mine(old, r)
	c.takes(w, r)
	finish := func(w *runs.Worker, events ...runs.Event) error {
		return c.s.Finish(c.ctx(), w, &runs.Outcome{
			Run: r.ID, Status: runs.Success, Events: events, Thread: func(t *runs.Thread) { t.Metadata["ended"] = true },
		})
	}
	require.ErrorIs(c.t, finish(old, anEvent(r.ID, 1)), runs.ErrNotClaimed)
	require.ErrorIs(c.t, finish(w, anEvent(r.ID, 1)), runs.ErrNotClaimed, "its events are those of the attempt that was lost")
	require.ErrorIs(c.t, c.s.Finish(c.ctx(), old, &runs.Outcome{Run: r.ID, Remove: true}), runs.ErrNotClaimed)
	require.ErrorIs(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: missing, Status: runs.Success}), runs.ErrNotClaimed)
	require.Equal(c.t, runs.Running, c.readRun(r.ID).Status)
	require.Empty(c.t, c.readEvents(r.ID))
	require.Empty(c.t, c.readThread(t.ID).Metadata)
	require.NoError(c.t, finish(w, attemptEvent(r.ID, 2, 1)))
	require.Equal(c.t, runs.Success, c.readRun(r.ID).Status)
}
