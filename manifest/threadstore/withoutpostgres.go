//go:build no_postgres

package threadstore

import (
	"context"

	"github.com/agenthost/agenthost/internal/leftout"
)

func (a Address) openPostgres(context.Context) (*Store, error) {
	return nil, &leftout.Error{Part: "PostgreSQL", Tag: "no_postgres"}
}
