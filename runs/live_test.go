package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// saved is an event that says that the thread has a checkpoint.
func saved(n int) runs.Event {
	e := happened(n)
	e.Type = "checkpoint"
	return e
}

func TestAReaderHasEventsBeforeTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, run := running(t)
		live := runs.NewLive()
		reader := runs.NewReader(deaf{store}, live, nil)
		defer reader.Close()
		live.Begin(run)

		var got []int
		var following sync.WaitGroup
		following.Go(func() {
			if _, err := follow(t.Context(), reader, 0, func(n int) { got = append(got, n) }); err != nil {
				t.Error(err)
			}
		})
		tell := func(events ...runs.Event) []int {
			for _, e := range events {
				live.Add(e)
			}
			synctest.Wait()
			return got
		}
		start := time.Now()
		require.Equal(t, []int{1}, tell(happened(1)))
		require.Equal(t, []int{1, 2}, tell(happened(2), saved(3), happened(4)), "a checkpoint that the store does not have could be told twice")
		written := []runs.Event{happened(1), happened(2), saved(3)}
		require.NoError(t, store.Append(t.Context(), performer, written))
		live.Saved(written)
		synctest.Wait()
		require.Equal(t, []int{1, 2, 3, 4}, got)
		require.Equal(t, []int{1, 2, 3, 4, 5}, tell(happened(5)))
		require.Equal(t, start, time.Now(), "nobody waited for the time to look")

		live.End(run.ID)
		require.NoError(t, store.Finish(t.Context(), performer, &runs.Outcome{
			Run: "r", Status: runs.Success, Events: []runs.Event{happened(4), happened(5), happened(6)},
		}))
		following.Wait()
		require.Equal(t, []int{1, 2, 3, 4, 5, 6}, got)
	})
}

func TestEventsThatTheStoreDoesNotHaveAreForTheirOwner(t *testing.T) {
	t.Parallel()
	store, run := running(t)
	live := runs.NewLive()
	reader := runs.NewReader(store, live, nil)
	defer reader.Close()
	live.Begin(run)
	live.Add(happened(1))
	for e, err := range reader.Follow(t.Context(), "bob", "r", 0) {
		require.ErrorIs(t, err, runs.ErrNoRun)
		require.Empty(t, e)
	}
}

// A later attempt begins with what the store has: what an earlier one told comes first.
func TestALaterAttemptIsReadFromTheStoreFirst(t *testing.T) {
	t.Parallel()
	store, run := running(t)
	require.NoError(t, store.Append(t.Context(), performer, []runs.Event{happened(1), saved(2)}))
	require.NoError(t, store.Release(t.Context(), performer, run.ID))
	claimed, err := store.Claim(t.Context(), performer, 1)
	require.NoError(t, err)
	again := func(n int) runs.Event {
		e := happened(n)
		e.Seq = runs.FirstSeq(2) + uint64(n)
		return e
	}
	live := runs.NewLive()
	reader := runs.NewReader(store, live, nil)
	defer reader.Close()
	live.Begin(&claimed[0])
	live.Add(again(1))
	require.NoError(t, store.Append(t.Context(), performer, []runs.Event{again(1)}))
	live.Add(again(2))
	var got []uint64
	for e, err := range reader.Follow(t.Context(), "ann", "r", 0) {
		require.NoError(t, err)
		if got = append(got, e.Seq); e.Seq == again(2).Seq {
			break
		}
	}
	require.Equal(t, []uint64{happened(1).Seq, saved(2).Seq, again(1).Seq, again(2).Seq}, got)
}

// Whenever the store gets what was told, and however far a reader is behind, it has each event once and in order.
func TestReadersOfARunThatIsPerformedHere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			store, run := running(t)
			live := runs.NewLive()
			reader := runs.NewReader(store, live, nil)
			defer reader.Close()
			live.Begin(run)
			const events = 200
			got := make([][]int, 3)
			var following sync.WaitGroup
			for i := range got {
				following.Go(func() {
					var err error
					if got[i], err = follow(t.Context(), reader, 0, nil); err != nil {
						t.Error(err)
					}
				})
			}
			var pending []runs.Event
			var want []int
			large := runs.Document(must(json.Marshal(string(bytes.Repeat([]byte("x"), 100<<10)))))
			for n := 1; n <= events; n++ {
				e := happened(n)
				if random.IntN(10) == 0 {
					e = saved(n)
				}
				if random.IntN(10) == 0 {
					e.Data = large
				}
				live.Add(e)
				pending, want = append(pending, e), append(want, n)
				if random.IntN(5) == 0 {
					require.NoError(t, store.Append(context.Background(), performer, pending))
					live.Saved(pending)
					pending = nil
				}
			}
			live.End(run.ID)
			require.NoError(t, store.Finish(t.Context(), performer, &runs.Outcome{Run: "r", Status: runs.Success, Events: pending}))
			following.Wait()
			for i := range got {
				require.Equal(t, want, got[i])
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
