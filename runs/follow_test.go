package runs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

func TestAFollower(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, run := running(t)
		live := runs.NewLive()
		reader := runs.NewReader(deaf{store}, live, nil)
		defer reader.Close()
		f := reader.NewFollower("ann", "r", 0)
		defer f.Close()
		next := func() (got []int, over bool) {
			events, over, err := f.Next(t.Context())
			require.NoError(t, err)
			for _, e := range events {
				got = append(got, int(e.Seq-runs.FirstSeq(1)))
			}
			return got, over
		}
		got, over := next()
		require.Empty(t, got)
		require.False(t, over)
		begun := time.Now()
		for n := range 3 {
			<-f.News()
			require.LessOrEqual(t, time.Since(begun), time.Duration(n+1)*time.Second, "without hints, there may be news once a second")
		}
		require.Greater(t, time.Since(begun), 2*time.Second)

		begun = time.Now()
		live.Begin(run)
		live.Add(happened(1))
		<-f.News()
		require.Equal(t, begun, time.Now())
		got, _ = next()
		require.Equal(t, []int{1}, got)
		got, _ = next()
		require.Empty(t, got)

		live.End("r")
		require.NoError(t, store.Finish(t.Context(), performer, &runs.Outcome{Run: "r", Status: runs.Success, Events: []runs.Event{happened(1), happened(2)}}))
		got, over = next()
		require.Equal(t, []int{2}, got)
		require.False(t, over, "the caller asks until there is nothing more")
		got, over = next()
		require.Empty(t, got)
		require.True(t, over)
	})
}
