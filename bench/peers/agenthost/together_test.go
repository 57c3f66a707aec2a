package main

import (
	"errors"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
)

// commits counts the transactions that SQLite has committed in this process.
var commits atomic.Int64

func init() { //nolint:gochecknoinits // the hook must be there before any connection
	sqlite.RegisterConnectionHook(func(connection sqlite.ExecQuerierContext, _ string) error {
		hooks, ok := connection.(sqlite.HookRegisterer)
		if !ok {
			return errors.New("a connection of SQLite has no hook for commits")
		}
		hooks.RegisterCommitHook(func() int32 {
			commits.Add(1)
			return 0
		})
		return nil
	})
}

// BenchmarkTogether performs 50 runs at once, whose threads one SQLite file keeps, for a second at a time. make profiles shows where its time goes.
// A run that is alone commits each of its changes, which is how runs/commit is known.
func BenchmarkTogether(b *testing.B) {
	const many, seconds = 50, 1
	agent, err := keptInSQLite()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = agent.close() }()
	perform := func(many int, seconds float64) (rounds, committed float64) {
		before := commits.Load()
		_, n, err := threads(agent.Agent, many, seconds)
		if err != nil {
			b.Fatal(err)
		}
		return float64(n * togetherRounds), float64(commits.Load() - before)
	}
	perform(1, 0) // makes the connections
	alone, changes := perform(1, 0)
	var rounds, committed float64
	for b.Loop() {
		r, c := perform(many, seconds)
		rounds, committed = rounds+r, committed+c
	}
	b.ReportMetric(rounds/b.Elapsed().Seconds(), "rounds/s")
	b.ReportMetric(committed/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(changes/alone, "changes/round")
	b.ReportMetric(changes/alone*rounds/committed, "runs/commit")
}
