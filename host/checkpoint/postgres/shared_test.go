package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint/checkpointtest"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestProcesses(t *testing.T) {
	t.Parallel()
	const lease = 1500 * time.Millisecond
	checkpointtest.RunShared(t, lease, func(t *testing.T) checkpointtest.Shared {
		t.Helper()
		address := pgtest.Address(t)
		return checkpointtest.Shared{
			A: open(t, address, postgres.Options{Lease: lease}), B: open(t, address, postgres.Options{Lease: lease}),
			Expire: func(t *testing.T, thread string) {
				t.Helper()
				raw, err := pgx.Connect(t.Context(), address)
				require.NoError(t, err)
				_, err = raw.Exec(t.Context(), `UPDATE agenthost_threads SET until = 0, lease = 'dead' WHERE name = $1`, thread)
				require.NoError(t, err)
				require.NoError(t, raw.Close(t.Context()))
			},
		}
	})
}
