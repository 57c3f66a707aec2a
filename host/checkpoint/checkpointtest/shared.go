package checkpointtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Shared is two handles on one empty store, as two processes would have.
type Shared struct {
	A, B checkpoint.Store
	// Expire makes the lease of a thread expire for good, as if its process had hung: the session cannot renew it.
	Expire func(t *testing.T, thread string)
}

// RunShared tests stores that several processes may use at once, with leases of the given length.
func RunShared(t *testing.T, lease time.Duration, open func(t *testing.T) Shared) {
	t.Helper()
	t.Run("a thread has one session over all handles", func(t *testing.T) {
		t.Parallel()
		shared := open(t)
		a, b := shared.A, shared.B
		w := (&check{t, a}).open("t")
		w.say("one")
		_, err := b.Open(t.Context(), "t")
		var busy *checkpoint.BusyError
		require.ErrorAs(t, err, &busy)
		require.ErrorIs(t, err, checkpoint.ErrBusy)
		require.NotEmpty(t, busy.Holder)
		require.WithinDuration(t, time.Now().Add(lease), busy.Until, 30*time.Second)
		require.ErrorIs(t, b.Delete(t.Context(), "t"), checkpoint.ErrBusy)
		w.close()
		other := (&check{t, b}).open("t")
		require.Equal(t, 1, other.load().Log.List().Len())
		other.close()
	})
	t.Run("a lease is renewed", func(t *testing.T) {
		t.Parallel()
		shared := open(t)
		a, b := shared.A, shared.B
		w := (&check{t, a}).open("t")
		for range 3 {
			require.Never(t, func() bool {
				session, err := b.Open(t.Context(), "t")
				if err == nil {
					_ = session.Close()
				}
				return err == nil
			}, lease, lease/4)
			w.say("more")
		}
		select {
		case <-w.session.Lost():
			t.Fatal("the lease was lost")
		default:
		}
		w.close()
	})
	t.Run("who has lost a lease and was not told writes nothing", func(t *testing.T) {
		t.Parallel()
		fenced(t, open(t))
	})
	t.Run("threads whose process died are found", func(t *testing.T) {
		t.Parallel()
		orphaned(t, open(t))
	})
	t.Run("what was rolled back stays so", func(t *testing.T) {
		t.Parallel()
		rolledBack(t, open(t))
	})
	t.Run("a lease that is not renewed expires", func(t *testing.T) {
		t.Parallel()
		shared := open(t)
		a, b := shared.A, shared.B
		old := (&check{t, a}).open("t")
		old.say("one")
		require.NoError(t, old.session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1, Started: 1}))
		shared.Expire(t, "t")
		other := (&check{t, b}).open("t")
		require.Len(t, other.load().Executions, 1)
		other.goBack(1)
		other.say("two")

		select {
		case <-old.session.Lost():
		case <-time.After(10 * lease):
			t.Fatal("the one that has lost the thread is not told")
		}
		_, err := old.session.Save(t.Context(), old.commit(checkpoint.Record{}))
		require.ErrorIs(t, err, checkpoint.ErrLost)
		require.ErrorIs(t, old.session.Journal(t.Context(), &checkpoint.Execution{CallID: "2", N: 1}), checkpoint.ErrLost)
		old.close()
		require.EqualValues(t, 2, other.load().Newest)
		require.Empty(t, other.load().Executions)
		other.say("three")
		other.close()
	})
}

// fenced takes a thread from a session that has not noticed yet.
func fenced(t *testing.T, shared Shared) {
	t.Helper()
	old := (&check{t, shared.A}).open("t")
	old.say("one")
	shared.Expire(t, "t")
	other := (&check{t, shared.B}).open("t")
	_, err := old.session.Save(t.Context(), old.commit(checkpoint.Record{}))
	require.ErrorIs(t, err, checkpoint.ErrLost)
	require.ErrorIs(t, old.session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1}), checkpoint.ErrLost)
	require.EqualValues(t, 1, other.load().Newest)
	require.Empty(t, other.load().Executions)
	old.close()
	other.goBack(1)
	other.say("two")
	other.close()
}

// rolledBack rolls a thread back whose session hangs.
func rolledBack(t *testing.T, shared Shared) {
	t.Helper()
	old := (&check{t, shared.A}).open("t")
	old.say("one")
	old.say("two")
	b := &check{t, shared.B}
	require.ErrorIs(t, b.store.Rollback(t.Context(), "t", 1), checkpoint.ErrBusy)
	require.EqualValues(t, 2, old.load().Newest)
	shared.Expire(t, "t")
	b.rollBack("t", 1)
	_, err := old.session.Save(t.Context(), old.commit(checkpoint.Record{}))
	require.ErrorIs(t, err, checkpoint.ErrLost)
	require.ErrorIs(t, old.session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1}), checkpoint.ErrLost)
	old.close()
	require.Equal(t, []checkpoint.ID{1}, b.idsOf("t"))
	other := b.open("t")
	other.ids.n = 9
	other.goBack(1)
	require.EqualValues(t, 3, other.say("three"))
	other.close()
}
