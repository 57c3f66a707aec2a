package runstest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// Touch calls each method of a store, so that all its statements are performed, and each list with all its conditions.
func Touch(t *testing.T, s runs.Store) {
	t.Helper()
	c := &check{t: t, s: s}
	p := c.property()
	require.NoError(t, s.Release(c.ctx(), p.worker, p.running.ID))
	c.mine(p.worker, p.running)
	yes := true
	m := runs.Metadata{"a": 1.0}
	for _, page := range []runs.Page{{}, {Sort: runs.SortUpdated, Offset: 1}, {Sort: runs.SortID}} {
		_, _, err := s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Page: page})
		require.NoError(t, err)
		_, _, err = s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Page: page, Metadata: m, Status: runs.ThreadBusy})
		require.NoError(t, err)
		_, _, err = s.FindAssistants(c.ctx(), ann, &runs.AssistantQuery{Page: page, Metadata: m, Name: "a", Agent: "agent"})
		require.NoError(t, err)
		_, _, err = s.FindSchedules(c.ctx(), ann, &runs.ScheduleQuery{Page: page, Metadata: m, Enabled: &yes, Assistant: "a"})
		require.NoError(t, err)
	}
	_, err := s.FindRuns(c.ctx(), ann, p.thread.ID, &runs.RunQuery{Status: runs.Pending})
	require.NoError(t, err)
	_, err = s.Versions(c.ctx(), ann, p.assistant.ID, m, 1, 1)
	require.NoError(t, err)
	require.NoError(t, s.Submit(c.ctx(), c.newRun(c.id()), true, 100, nil))
	c.submitTo(p.thread.ID, func(r *runs.Run) { r.Strategy = runs.StrategyRollback })
	cancelled := c.submitTo(c.id())
	_, err = s.Cancel(c.ctx(), ann, cancelled.ID, runs.CancelKeep)
	require.NoError(t, err)

	queue := queueCalls(p)
	for _, last := range []string{"", "Release", "Finish"} { // what ends a claim comes after what needs one
		for _, name := range methods[runs.Ledger](methods[runs.Queue](nil)) {
			if (name == "Release" || name == "Finish") == (last != "") && (last == "" || last == name) {
				if last == "Finish" {
					c.claims(p.worker, 10)
				}
				require.NoError(t, queue[name](c.ctx(), s), name)
			}
		}
	}
	_, err = s.Prune(c.ctx(), noon.AddDate(100, 0, 0), noon.AddDate(100, 0, 0))
	require.NoError(t, err)
	calls := c.calls(func() {})
	for _, deletes := range []bool{false, true} {
		for _, name := range doors() {
			if strings.HasPrefix(name, "Delete") == deletes {
				if err := calls[name].do(context.WithoutCancel(c.ctx()), s, ann, p); err != nil {
					require.NotErrorIs(t, err, runs.ErrInvalidValue, name)
				}
			}
		}
	}
}
