//go:build !no_postgres

package storage

import (
	"context"

	"github.com/agenthost/agenthost/host/checkpoint"
	pgthreads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/runs/postgres"
)

// openOther opens the runs in a database that is not SQLite.
func (s *Storage) openOther(ctx context.Context, threads checkpoint.Store) error {
	database, ok := threads.(*pgthreads.Store)
	if !ok {
		return errNoRuns
	}
	opened, err := postgres.Open(ctx, database, postgres.Options{})
	if err != nil {
		return err
	}
	s.Runs, s.close = opened, opened.Close
	return nil
}
