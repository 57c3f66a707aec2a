package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint/checkpointtest"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

func TestProcesses(t *testing.T) {
	t.Parallel()
	const lease = 1500 * time.Millisecond
	checkpointtest.RunShared(t, lease, func(t *testing.T) checkpointtest.Shared {
		t.Helper()
		path := filepath.Join(t.TempDir(), "agent.db")
		raw, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, raw.Close()) })
		return checkpointtest.Shared{
			A: open(t, path, sqlite.Options{Lease: lease}), B: open(t, path, sqlite.Options{Lease: lease}),
			Expire: func(t *testing.T, thread string) {
				t.Helper()
				_, err := raw.ExecContext(t.Context(), `UPDATE agenthost_threads SET until = 0, lease = 'dead' WHERE name = $1`, thread)
				require.NoError(t, err)
			},
		}
	})
}
