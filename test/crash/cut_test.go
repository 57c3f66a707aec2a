//go:build unix

package crash_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/test/pgtest"
)

// TestTheWayToTheServerIsCut cuts the connections of a process to its server. It cuts before or after the server receives
// the data, briefly or for longer, and sometimes without either side noticing. The run ends with an error that says so,
// or continues, and later runs finish the work.
func TestTheWayToTheServerIsCut(t *testing.T) {
	t.Parallel()
	seed := seedOf(t)
	address := pgtest.Address(t)
	direct, closer, err := openStore(t.Context(), address, lease)
	require.NoError(t, err)
	defer func() { require.NoError(t, closer.Close()) }()
	w := &way{t: t, draw: rand.New(rand.NewPCG(seed, 4)), direct: direct}
	w.proxy, w.address = newProxy(t, address)
	for wanted := killsOf(t); w.cuts < wanted; {
		w.threads++
		w.thread(seed+uint64(w.threads), wanted)
	}
	t.Logf("%d threads, %d cuts, %d errors, %d leases lost, %d questions, %d branches",
		w.threads, w.cuts, w.errors, w.lost, w.questions, w.branches)
}

// way is a connection path to a server that is cut again and again.
type way struct {
	t       *testing.T
	draw    *rand.Rand
	direct  checkpoint.Store
	proxy   *proxy
	address string // through the proxy

	threads, cuts, errors, lost, questions, branches int
}

// thread is one thread from its beginning to its end.
func (w *way) thread(seed uint64, wanted int) {
	l := newLife(w.t, newPlan(seed, full), w.draw)
	l.loose = true
	for tries := 0; ; tries++ {
		c := cut{}
		if tries < perThread && w.cuts < wanted {
			c = w.cut()
		}
		began := time.Now()
		err := w.drive(l, c)
		require.Less(w.t, time.Since(began), stuck, "it hangs")
		if err == nil {
			break
		}
		require.LessOrEqual(w.t, tries, perThread, "nobody cuts it any more: %v", err)
		w.errors++
		unlucky := errors.Is(err, errUnlucky) // a parallel tool failed, and has no retries left
		require.True(w.t, unlucky || errors.Is(err, checkpoint.ErrUnavailable), "%+v: %v", c, err)
		if _, err := w.direct.Load(w.t.Context(), "t", 0); !errors.Is(err, checkpoint.ErrNoThread) {
			require.NoError(w.t, err)
		}
	}
	got := outcomeOf(w.t, w.direct, "t", l.world)
	l.check(undisturbed(w.t, l.plan), got)
	w.questions += l.questions
	w.branches += got.branches
	require.Eventually(w.t, func() bool { return w.direct.Delete(w.t.Context(), "t") == nil }, 20*lease, lease/20)
}

// cut draws how the path is cut.
func (w *way) cut() cut {
	c := cut{at: 1 + w.draw.IntN(150)}
	switch w.draw.IntN(8) {
	case 0:
		c.hangs = true
	case 1:
		c.down = true
	case 2:
		c.down, c.late = true, true
	case 3, 4:
	default:
		c.late = true
	}
	return c
}

// drive drives the agent through its plan until the path is cut.
func (w *way) drive(l *life, c cut) error {
	w.proxy.arm(c)
	defer func() {
		select {
		case <-w.proxy.happens:
			w.cuts++
		default:
		}
	}()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	store, closer, err := openStore(ctx, w.address, lease)
	if err != nil {
		return err
	}
	d := l.driver()
	err = d.drive(w.t.Context(), store, l.world, nil)
	w.lost += d.lost
	return errors.Join(err, closer.Close())
}

// TestAServerThatIsSilent makes a server fall silent in the middle of a tool, without closing a connection. The run
// ends when its lease expires, and a later run finds everything that was saved.
func TestAServerThatIsSilent(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	w := &way{t: t, draw: rand.New(rand.NewPCG(1, 1))}
	w.proxy, w.address = newProxy(t, address)
	store, closer, err := openStore(t.Context(), w.address, nap)
	require.NoError(t, err)
	defer func() { require.NoError(t, closer.Close()) }()

	l := newLife(t, sends(), w.draw)
	l.world.within = func(context.Context, string) error { w.proxy.hush(); return nil }
	agent, err := newAgent(l.plan, store, l.world, new(atomic.Int64), nil)
	require.NoError(t, err)
	in := l.plan.input(0)
	in.Thread = "t"
	began := time.Now()
	_, err = agent.Run(t.Context(), in)
	require.ErrorIs(t, err, checkpoint.ErrLost)
	require.Less(t, time.Since(began), stuck/2)
	require.NoError(t, agent.Close())

	l.world.within = nil
	require.NoError(t, w.drive(l, cut{}))
	require.Equal(t, 1, l.questions, "of the tool that ran then nobody knows the end")
	l.check(undisturbed(t, l.plan), outcomeOf(t, store, "t", l.world))
}

// TestTheServerRestarts crashes and restarts a server while tools run.
func TestTheServerRestarts(t *testing.T) {
	t.Parallel()
	const lease = time.Minute
	server := pgtest.Own(t)
	address := server.Database(t)
	l := newLife(t, newPlan(1, full), rand.New(rand.NewPCG(1, 1)))
	l.loose, l.plan.parallel = true, 1
	ran, restarts, failures := 0, 0, 0
	l.world.within = func(context.Context, string) error {
		ran++
		if ran%20 != 0 {
			return nil
		}
		restarts++
		return server.Restart()
	}
	for {
		store, closer, err := openStore(t.Context(), address, lease)
		require.NoError(t, err)
		err = errors.Join(l.driver().drive(t.Context(), store, l.world, nil), closer.Close())
		if err == nil {
			break
		}
		failures++
		require.ErrorIs(t, err, checkpoint.ErrUnavailable)
		require.LessOrEqual(t, failures, restarts)
	}
	require.Positive(t, restarts)
	store, closer, err := openStore(t.Context(), address, lease)
	require.NoError(t, err)
	l.check(undisturbed(t, l.plan), outcomeOf(t, store, "t", l.world))
	require.NoError(t, closer.Close())
	t.Logf("%d restarts, %d errors, %d questions", restarts, failures, l.questions)
}
