package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	threads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/postgres"
	"github.com/agenthost/agenthost/test/pgtest"
)

// listen listens to a store until the test ends.
func listen(t *testing.T, store *postgres.Store) <-chan runs.Hint {
	t.Helper()
	hints, ended := make(chan runs.Hint, 10_000), make(chan error)
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- store.Listen(ctx, func(h runs.Hint) { hints <- h }) }()
	t.Cleanup(func() {
		stop()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return hints
}

// next returns the next hint of a kind.
func next(t *testing.T, hints <-chan runs.Hint, kind runs.HintKind) runs.Hint {
	t.Helper()
	for deadline := time.After(30 * time.Second); ; {
		select {
		case h := <-hints:
			if h.Kind == kind {
				return h
			}
		case <-deadline:
			t.Fatalf("there is no hint %q", kind)
		}
	}
}

func TestManyHintsReachOtherProcesses(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	a, b := open(t, address), open(t, address)
	hints := listen(t, b)
	require.Equal(t, runs.Hint{Kind: runs.HintEvents}, next(t, hints, runs.HintEvents), "it listens")
	want := map[string]bool{}
	var events []runs.Event
	for i := range 300 {
		id := strings.Repeat("x", runs.MaxID-3) + fmt.Sprintf("%03d", i) // as long as possible
		want[id] = true
		events = append(events, runs.Event{Run: id, Seq: runs.FirstSeq(1) + 1, Type: "step"})
	}
	require.NoError(t, a.Append(t.Context(), &runs.Worker{ID: "w", Lease: time.Hour}, events))
	for len(want) > 0 {
		delete(want, next(t, hints, runs.HintEvents).Run)
	}
}

func TestAConnectionThatIsLostIsMadeAgain(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	address := server.Database(t)
	database, err := threads.Open(t.Context(), address, threads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = database.Close() })
	store, err := postgres.Open(t.Context(), database, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	hints := listen(t, store)
	lost := runs.Hint{Kind: runs.HintEvents}
	require.Equal(t, lost, next(t, hints, runs.HintEvents))

	raw, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	var ended int
	require.NoError(t, raw.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE query = 'LISTEN agenthost_runs'`).Scan(&ended))
	require.Equal(t, 1, ended)
	require.Equal(t, lost, next(t, hints, runs.HintEvents), "whatever happened meanwhile")
	_, err = raw.Exec(t.Context(), `SELECT pg_notify('agenthost_runs', '{"from": "another", "hints": [{"kind": "events", "run": "r"}]}')`)
	require.NoError(t, err)
	require.Equal(t, runs.Hint{Kind: runs.HintEvents, Run: "r"}, next(t, hints, runs.HintEvents))
	_, err = raw.Exec(t.Context(), `SELECT pg_notify('agenthost_runs', 'of a later version')`)
	require.NoError(t, err)
	require.Equal(t, lost, next(t, hints, runs.HintEvents))

	require.NoError(t, server.Restart())
	require.Equal(t, lost, next(t, hints, runs.HintEvents))
	require.NoError(t, raw.Close(context.Background()))
}

func TestHintsWithinAProcessNeedNoDatabase(t *testing.T) {
	t.Parallel()
	store := open(t, pgtest.Address(t))
	hints := listen(t, store)
	require.Equal(t, runs.Hint{Kind: runs.HintQueue}, next(t, hints, runs.HintQueue))
	require.NoError(t, store.Close(), "no more hints are sent")
	r := &runs.Run{ID: "r", Thread: "t", Agent: "agent"}
	require.NoError(t, store.Submit(t.Context(), r, true, 0, nil), "the database is still open")
	require.Equal(t, runs.Hint{Kind: runs.HintQueue, Run: r.ID}, next(t, hints, runs.HintQueue))
}
