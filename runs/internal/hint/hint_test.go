package hint_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/hint"
)

func TestHintsOfASlowListenerBecomeFewer(t *testing.T) {
	t.Parallel()
	var q hint.Queue
	for range 2 {
		for i := range 5000 {
			q.Add(runs.Hint{Kind: runs.HintEvents, Run: fmt.Sprint(i)}, runs.Hint{Kind: runs.HintQueue})
		}
	}
	hints := q.Take()
	require.Len(t, hints, 1001)
	require.Equal(t, []runs.Hint{{Kind: runs.HintEvents, Run: "0"}, {Kind: runs.HintQueue}, {Kind: runs.HintEvents, Run: "1"}}, hints[:3])
	require.Equal(t, runs.Hint{Kind: runs.HintEvents}, hints[1000], "the others may concern any run")
	require.Empty(t, q.Take())
	q.Add(hints[0])
	require.Equal(t, hints[:1], q.Take())
}

func TestListenersHearUntilTheirContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var hub hint.Hub
		hub.Send(runs.Hint{Kind: runs.HintQueue, Run: "nobody listens"})
		ctx, stop := context.WithCancel(t.Context())
		var first, second []runs.Hint
		ended := make(chan error, 2)
		go func() { ended <- hub.Listen(ctx, nil, func(h runs.Hint) { first = append(first, h) }) }()
		elsewhere := runs.Hint{Kind: runs.HintCancel, Run: "elsewhere"}
		source := func(ctx context.Context, heard func(...runs.Hint)) {
			heard(elsewhere)
			<-ctx.Done()
			heard(elsewhere)
		}
		go func() { ended <- hub.Listen(ctx, source, func(h runs.Hint) { second = append(second, h) }) }()
		synctest.Wait()
		here := runs.Hint{Kind: runs.HintEvents, Run: "here"}
		hub.Send(here)
		hub.Send()
		synctest.Wait()
		stop()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, <-ended, context.Canceled)
		hub.Send(here)
		require.Equal(t, append(hint.All(), here), first)
		require.Equal(t, []runs.Hint{elsewhere, here}, second)
	})
}
