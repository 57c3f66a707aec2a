//go:build !no_postgres

package threadstore

import (
	"context"

	"github.com/agenthost/agenthost/host/checkpoint/postgres"
)

func (a Address) openPostgres(ctx context.Context) (*Store, error) {
	db, err := postgres.Open(ctx, a.target, postgres.Options{Lease: a.lease, Connections: a.connections})
	if err != nil {
		return nil, err
	}
	return &Store{Store: db, Values: db.Values(), close: db.Close}, nil
}
