package protocol_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

// place draws a place of a run, with numbers that do and do not fit.
func place(t *rapid.T, run uint64) protocol.Place {
	attempt := rapid.Uint64Range(1, 7).Draw(t, "attempt")
	event := rapid.OneOf(rapid.Uint64Range(1, 50), rapid.Uint64Range(1<<20-3, 1<<20+3), rapid.Uint64Range(1, math.MaxUint32)).Draw(t, "event")
	p := protocol.Place{Run: run, Event: attempt<<32 | event, Index: rapid.IntRange(0, 40).Draw(t, "index")}
	if rapid.IntRange(0, 9).Draw(t, "over") == 0 {
		p.Event, p.Index = protocol.Over, 0
	}
	return p
}

// A client that goes on behind what it has seen misses nothing, and unless many places share a number, it sees nothing twice.
func TestGoingOnMissesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := rapid.OneOf(rapid.Uint64Range(1, 100), rapid.Uint64Range(1<<27-5, 1<<27+5), rapid.Uint64Range(1, math.MaxUint64/2)).Draw(t, "run")
		newest := run + rapid.Uint64Range(0, 1000).Draw(t, "later")
		other := run
		if rapid.Bool().Draw(t, "in another run") {
			other = rapid.Uint64Range(run, newest).Draw(t, "other")
		}
		last, next := place(t, run), place(t, other)
		require.Less(t, last.Seq(), uint64(1)<<53, "JavaScript has no greater numbers")
		since := protocol.SinceOf(last.Seq(), newest)
		require.Equal(t, run, since.Run)
		if next.Behind(last) {
			require.False(t, since.Seen(next), "%v after %v", next, last)
		}
		fits := func(p protocol.Place) bool {
			return p.Event == protocol.Over || p.Event>>32 <= 3 && p.Event&math.MaxUint32 < 1<<20-1 && p.Index < 15
		}
		if !next.Behind(last) && fits(next) && fits(last) {
			require.True(t, since.Seen(next), "%v, and %v", next, last)
		}
	})
}

func TestSinceWithoutRuns(t *testing.T) {
	t.Parallel()
	require.Equal(t, uint64(0), protocol.SinceOf(12345, 0).Run)
	require.LessOrEqual(t, protocol.SinceOf(math.MaxUint64, 5).Run, uint64(5))
}
