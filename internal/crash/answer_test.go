//go:build unix

package crash_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/pgtest"
)

// TestASaveIsTriedAgainWhileTheServerPerformsIt cuts the way to the server while it performs a Save, and saves again while
// it still does. Both are kept, next to each other.
func TestASaveIsTriedAgainWhileTheServerPerformsIt(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), pgtest.Address(t)
	p, through := newProxy(t, address)
	store, closer, err := openStore(ctx, through, time.Minute)
	require.NoError(t, err)
	defer func() { require.NoError(t, closer.Close()) }()
	session, err := store.Open(ctx, "t")
	require.NoError(t, err)
	saved := make(chan error, 1)
	save := func() {
		_, err := session.Save(ctx, &checkpoint.Commit{Record: checkpoint.Record{
			Whole: true, Time: time.UnixMilli(1), Cursor: history.Cursor{Epoch: 1},
		}})
		saved <- err
	}
	save() // the journal is empty then: a Save is one statement, which is kept whether its answer arrives or not
	require.NoError(t, <-saved)
	gate, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer func() { require.NoError(t, gate.Close(ctx)) }()
	for _, statement := range []string{
		`CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$`,
		`CREATE TRIGGER gate BEFORE INSERT ON agenthost_checkpoints FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`,
		`SELECT pg_advisory_lock(1)`,
	} {
		_, err := gate.Exec(ctx, statement)
		require.NoError(t, err)
	}
	// waiting waits until so many wait at the gate.
	waiting := func(want int) {
		require.Eventually(t, func() bool {
			var n int
			require.NoError(t, gate.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event = 'advisory'`).Scan(&n))
			return n == want
		}, stuck, 5*time.Millisecond)
	}
	go save()
	waiting(1)
	p.drop(true)
	require.ErrorIs(t, <-saved, checkpoint.ErrUnavailable)
	require.Eventually(t, func() bool { return p.refusals() > 1 }, stuck, time.Millisecond,
		"the session tries again, and the driver asks the server to stop")
	p.arm(cut{})
	go save()
	waiting(2)
	_, err = gate.Exec(ctx, `SELECT pg_advisory_unlock(1)`)
	require.NoError(t, err)
	require.NoError(t, <-saved)
	require.NoError(t, session.Close())

	records, err := store.History(ctx, "t", 0, 10)
	require.NoError(t, err)
	require.Len(t, records, 3)
}
