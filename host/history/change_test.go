package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// What a log that was put together again from its changes shows from any place is what the log shows itself.
func TestReplay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var log, kept history.Log
		var serial bundle
		ids := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		places := []history.Cursor{{}, log.Cursor()}
		saved := history.Cursor{}
		for range rapid.IntRange(1, 12).Draw(t, "updates") {
			if next, err := log.Apply(drawUpdate(t, ids, &log), &serial); err == nil {
				log = next
			}
			places = append(places, log.Cursor())
			if rapid.Bool().Draw(t, "kept") {
				changes, reset := log.Since(saved)
				var err error
				kept, err = kept.Replay(changes, reset, log.Cursor())
				require.NoError(t, err)
				saved = log.Cursor()
			}
		}
		changes, reset := log.Since(saved)
		kept, err := kept.Replay(changes, reset, log.Cursor())
		require.NoError(t, err)
		require.Equal(t, log.Cursor(), kept.Cursor())
		require.Equal(t, log.List().Messages(), kept.List().Messages())
		for _, place := range places {
			want, got := log.View(abi.ViewNew(), place), kept.View(abi.ViewNew(), place)
			require.Equal(t, want.Items.Messages(), got.Items.Messages())
			require.Equal(t, want.Patch.Messages(), got.Patch.Messages())
			require.Equal(t, want.Remove, got.Remove)
			require.Equal(t, []any{want.From, want.Reset, want.Total}, []any{got.From, got.Reset, got.Total})
		}
		more := drawUpdate(t, ids, &log)
		one, oneErr := log.Apply(more, &serial)
		other, otherErr := kept.Apply(more, &serial)
		require.Equal(t, oneErr, otherErr)
		require.Equal(t, one.Cursor(), other.Cursor(), "it can be applied to")
	})
}

func TestReplayRefusesWhatDoesNotBelongToTheLog(t *testing.T) {
	t.Parallel()
	log := setup(t, "a", "b").Log
	entry := log.List().Entry(0)
	for name, changes := range map[string][]history.Change{
		"the past":                  {{Seq: 2, Born: 2, Entry: entry}},
		"a message of the future":   {{Seq: 3, Born: 4, Entry: entry}},
		"nothing appended":          {{Seq: 3, Born: 3}},
		"a message that is not":     {{Seq: 3, Born: 3, Entry: entry}, {Seq: 4, Born: 3, Removed: true}, {Seq: 5, Born: 3, Entry: entry}},
		"more than there should be": {{Seq: 3, Born: 3, Entry: entry}, {Seq: 9, Born: 9, Entry: entry}},
	} {
		_, err := log.Replay(changes, false, history.Cursor{Epoch: 1, Seq: 6})
		var refused *history.UpdateError
		require.ErrorAs(t, err, &refused, name)
	}
	require.Equal(t, 2, log.List().Len())
}
