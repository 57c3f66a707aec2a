//go:build no_postgres

package storage

import (
	"context"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// openOther refuses a database that is not SQLite.
func (s *Storage) openOther(context.Context, checkpoint.Store) error { return errNoRuns }
