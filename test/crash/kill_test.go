//go:build unix

package crash_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/test/pgtest"
)

// lease is short, because every death costs one lease.
const lease = 250 * time.Millisecond

// stores are the stores that several processes can share, each with an empty database.
var stores = map[string]func(t *testing.T) string{
	"sqlite": func(t *testing.T) string {
		t.Helper()
		return "sqlite:" + filepath.Join(t.TempDir(), "agent.db")
	},
	"postgres": pgtest.Address,
}

// eachStore runs a test for each store. The function fresh makes an empty database.
func eachStore(t *testing.T, test func(t *testing.T, fresh func(t *testing.T) string)) {
	t.Helper()
	for name, fresh := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh)
		})
	}
}

// seedOf returns the seed of a test's random choices. A failing test prints it.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := number(t, "AGENTHOST_SEED", rand.Uint64()>>16)
	t.Logf("AGENTHOST_SEED=%d", seed)
	return seed
}

// killsOf returns the number of kills of a test per store.
func killsOf(t *testing.T) int {
	t.Helper()
	return int(number(t, "AGENTHOST_KILLS", 5))
}

// number returns a number from an environment variable.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// TestKill kills processes, in one thread after the other, until it reaches the wanted number of kills.
func TestKill(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, fresh func(t *testing.T) string) {
		t.Helper()
		c := &campaign{t: t, store: fresh(t), seed: seedOf(t), shape: full, wanted: killsOf(t)}
		c.measure()
		for c.kills < c.wanted {
			c.thread()
		}
		t.Logf("%d threads, %d kills, %d restarts, %d questions, %d executions, %d messages",
			c.threads, c.kills, c.restarts, c.questions, c.executions, c.messages)
	})
}

// campaign is many kills on one store.
type campaign struct {
	t       *testing.T
	store   string
	seed    uint64
	shape   shape
	wanted  int           // kills
	lines   int           // number of lines that an undisturbed child reports
	typical time.Duration // how long an undisturbed child lives

	threads, kills, restarts, questions, executions, messages int
}

// perThread is the maximum number of kills in one thread.
const perThread = 15

// measure performs a plan undisturbed in another process. The outcome must be the same as in this process.
func (c *campaign) measure() {
	l, o := c.begin()
	began := time.Now()
	v := start(c.t, o)
	for r := range v.reports() {
		c.lines++
		l.hear(&r)
		if r.Kind == isAsking {
			v.give(l.answer(&r))
		}
	}
	v.ends()
	c.typical = time.Since(began)
	require.True(c.t, l.questions == 0 || l.lost > 0, "nobody was killed, and the lease was not lost, on a machine that is too slow")
	c.finish(l, o)
}

// begin starts the next thread.
func (c *campaign) begin() (*life, order) {
	c.threads++
	seed := c.seed + uint64(c.threads)
	l := newLife(c.t, newPlan(seed, c.shape), rand.New(rand.NewPCG(seed, 2)))
	return l, order{
		Role: roleRun, Store: c.store, Dir: l.world.dir, Thread: fmt.Sprintf("thread %d", seed), Seed: seed, Shape: c.shape, Lease: lease,
	}
}

// thread is one thread from its beginning to its end.
func (c *campaign) thread() {
	l, o := c.begin()
	for killed := 0; ; killed++ {
		doom := doom{}
		if killed < perThread && c.kills < c.wanted {
			doom = c.draw(l.draw)
		}
		if !c.live(l, o, doom) {
			break
		}
		c.kills++
		c.restarts++
		require.LessOrEqual(c.t, killed, perThread, "nobody kills it any more")
	}
	c.finish(l, o)
}

// doom says how a process dies.
type doom struct {
	self      int           // it kills itself at this line
	lines     int           // the parent kills it after reading this many lines
	after     time.Duration // the parent then waits this long
	fromStart bool          // the wait counts from the start of the process
}

func (c *campaign) draw(draw *rand.Rand) doom {
	few := 1 + draw.IntN(max(2, c.lines/4))
	switch draw.IntN(8) {
	case 0:
		return doom{fromStart: true, after: time.Duration(draw.Int64N(int64(c.typical)))}
	case 1, 2:
		return doom{lines: few}
	case 3, 4:
		return doom{lines: few, after: time.Duration(draw.Int64N(int64(5 * time.Millisecond)))}
	default:
		return doom{self: few}
	}
}

// live runs one process, and reports whether it was killed before it was done.
func (c *campaign) live(l *life, o order, d doom) (killed bool) {
	o.DieAt = d.self
	v := start(c.t, o)
	var timer *time.Timer
	if d.fromStart {
		timer = time.AfterFunc(d.after, v.kill)
	}
	lines, done := 0, false
	for r := range v.reports() {
		l.hear(&r)
		switch r.Kind {
		case isBusy:
			continue // polling happens any number of times, so it does not count as a place
		case isAsking:
			require.Less(c.t, l.questions, 1000, "it asks again and again")
			v.give(l.answer(&r))
		case isDone:
			done = true
		}
		lines++
		if lines == d.lines {
			timer = time.AfterFunc(d.after, v.kill)
		}
	}
	killed, err := v.end()
	if timer != nil {
		timer.Stop()
	}
	require.True(c.t, killed || err == nil && done, "the child has failed: %v\n%s", err, v.says.String())
	return killed
}

// finish checks a thread that is done.
func (c *campaign) finish(l *life, o order) {
	store, closer, err := openStore(c.t.Context(), c.store, lease)
	require.NoError(c.t, err)
	defer func() { require.NoError(c.t, closer.Close()) }()
	got := outcomeOf(c.t, store, o.Thread, l.world)
	require.True(c.t, got.branches == 0 || l.lost > 0, "a process that dies leaves no branch")
	l.check(undisturbed(c.t, l.plan), got)
	c.isFree(store, o.Thread)
	c.questions += l.questions
	c.executions += got.effects.total()
	c.messages += len(got.runs[len(got.runs)-1].messages)
}

// isFree checks that nobody holds a thread. A process that was killed at its very end may hold it until its lease
// expires.
func (c *campaign) isFree(store checkpoint.Store, thread string) {
	require.Eventually(c.t, func() bool {
		s, err := store.Open(c.t.Context(), thread)
		if errors.Is(err, checkpoint.ErrBusy) {
			return false
		}
		require.NoError(c.t, err)
		require.NoError(c.t, s.Close())
		return true
	}, 20*lease, lease/20)
}
