// Package postgres keeps runs, and what surrounds them, in the PostgreSQL database of a store of threads. Any number of processes on any
// number of machines may use it at once.
//
// Hints spread by LISTEN and NOTIFY. A notification is never part of a transaction that writes, because it locks all commits of the
// server for a moment: hints are sent afterwards, together, by a statement of their own. To listen takes a connection of its own, which a
// pooler in transaction mode does not give; without it everybody who waits still looks from time to time.
package postgres

import (
	"context"
	"time"

	threads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/runs/internal/sqlruns"
)

// Store keeps runs in a database. Close it before the store of threads.
type Store struct {
	*sqlruns.Store

	notices *notices
}

// Options configures a store. The zero value is the default.
type Options struct {
	Now func() time.Time // gives the times of rows; nil: the clock of the machine
}

// Open opens the database of a store of threads, and makes missing tables.
func Open(ctx context.Context, database *threads.Store, options Options) (*Store, error) {
	n, err := newNotices(ctx, database.Database().Writes())
	if err != nil {
		return nil, database.Database().Failed(err)
	}
	store, err := sqlruns.New(ctx, &sqlruns.Config{
		Database: database.Database(), Dialect: &dialect, Now: options.Now, Spread: n.spread, Source: n.listen,
	})
	if err != nil {
		return nil, err
	}
	return &Store{store, n}, nil
}

// Close waits until the last hints are sent, for a second at most. It leaves the database open.
func (s *Store) Close() error {
	s.notices.close()
	return nil
}

var dialect = sqlruns.Dialect{
	Micros:   "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
	Contains: "(% @> ?)",
	In:       "= ANY(?)",
	Arrays:   true,
	Skip:     "FOR NO KEY UPDATE OF % SKIP LOCKED",
	Alone:    "FOR NO KEY UPDATE OF %",
}
