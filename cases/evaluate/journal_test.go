package evaluate_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/evaluate"
)

func open(t *testing.T, dir, plan string) *evaluate.Journal {
	t.Helper()
	j, err := evaluate.OpenJournal(dir, plan)
	require.NoError(t, err)
	return j
}

func sample(title string, repeat int, ok bool) *evaluate.Sample {
	return &evaluate.Sample{Variant: evaluate.VariantOwn, Case: title, Repeat: repeat, OK: ok, Duration: time.Duration(repeat) * time.Second}
}

// TestAStoppedEvaluationGoesOn also cuts the last line off, as a process that dies does.
func TestAStoppedEvaluationGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := open(t, dir, "plan-1")
	require.False(t, j.Resumed)
	require.NoError(t, j.Add(sample("a", 1, true), nil))
	require.NoError(t, j.Add(sample("a", 2, false), nil))
	require.NoError(t, j.Close())
	latest := filepath.Join(dir, "latest.jsonl")
	text, err := os.ReadFile(latest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(latest, text[:len(text)-5], 0o600))

	j = open(t, dir, "plan-1")
	require.True(t, j.Resumed)
	require.Equal(t, []evaluate.Sample{*sample("a", 1, true)}, j.Results.Samples)
	require.NoError(t, j.Add(sample("a", 2, true), nil))
	require.NoError(t, j.Add(nil, &evaluate.Pair{Case: "a", Repeat: 1, Winner: evaluate.VariantOwn}))
	require.NoError(t, j.Done())
	require.NoError(t, j.Close())

	j = open(t, dir, "plan-1")
	require.False(t, j.Resumed, "it was performed to its end")
	require.Empty(t, j.Results.Samples)
	require.Len(t, j.Before.Samples, 2)
	require.Len(t, j.Before.Pairs, 1)
	require.NoError(t, j.Add(sample("a", 1, true), nil))
	require.NoError(t, j.Close())

	j = open(t, dir, "plan-2")
	require.False(t, j.Resumed, "it is another plan")
	require.Len(t, j.Before.Samples, 2, "the one that was stopped is not compared with")
	require.NoError(t, j.Close())

	require.NoError(t, os.WriteFile(latest, []byte("hello\n"), 0o600))
	_, err = evaluate.OpenJournal(dir, "plan-2")
	require.ErrorContains(t, err, "line 1 is not that of an evaluation")
}

func TestASummary(t *testing.T) {
	t.Parallel()
	score := 0.8
	good, bad := sample("a", 1, true), sample("b", 2, false)
	good.Score, good.Used.Usage.TotalTokens, good.Used.ModelCalls = &score, 100, 2
	bad.Differences = []cases.Difference{{Key: "message", Text: "message: a → b"}}
	broken := sample("b", 3, false)
	broken.Error = "no model"
	other := *bad
	other.Variant = evaluate.VariantAgainst
	s := evaluate.Summarize(&evaluate.Results{
		Samples: []evaluate.Sample{*good, *bad, *broken, other},
		Pairs:   []evaluate.Pair{{Winner: evaluate.VariantOwn}, {Winner: ""}, {Error: "x"}, {Winner: evaluate.VariantAgainst}, {Winner: evaluate.VariantOwn}},
	}, &evaluate.Results{Samples: []evaluate.Sample{*bad}})
	require.Len(t, s.Total, 2)
	require.Equal(t, 1, s.Total[0].Passed.Hits)
	require.Equal(t, 3, s.Total[0].Passed.Of)
	require.Equal(t, 2*time.Second, s.Total[0].Median)
	require.Equal(t, 3*time.Second, s.Total[0].Slow)
	require.EqualValues(t, 100, s.Total[0].Usage.TotalTokens)
	require.InDelta(t, 0.8, *s.Total[0].Score, 1e-9)
	require.Equal(t, 1, s.Total[0].Errors)
	require.Equal(t, []string{"message: a → b", "no model"}, s.Cases[1].Why)
	require.Len(t, s.Cases, 3)
	require.Len(t, s.Before, 1)
	require.Equal(t, 2, s.Pairs.Own.Hits)
	require.Equal(t, 3, s.Pairs.Against.Of)
	require.Equal(t, 1, s.Pairs.Ties)
	require.Equal(t, 1, s.Pairs.Errors)
}
