package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/test/pgtest"
)

// TestWhatASessionWasToldIsKeptWhenItsThreadIsTaken takes a thread over while the server performs a statement of the
// session that has it, which it began before. Who takes it must see what that one is told is kept.
func TestWhatASessionWasToldIsKeptWhenItsThreadIsTaken(t *testing.T) {
	t.Parallel()
	for table, write := range map[string]func(s checkpoint.Session) error{
		"agenthost_journal": func(s checkpoint.Session) error {
			return s.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1, Started: 1})
		},
		"agenthost_checkpoints": func(s checkpoint.Session) error {
			_, err := s.Save(t.Context(), commit(0, "x"))
			return err
		},
	} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			address := pgtest.Address(t)
			store := open(t, address, postgres.Options{})
			gate, other := connect(t, address), connect(t, address)
			makeGate(t, gate, table)
			session, err := store.Open(t.Context(), "t")
			require.NoError(t, err)
			if table == "agenthost_journal" {
				_, err = session.Save(t.Context(), commit(0, "first"))
				require.NoError(t, err)
			}

			exec(t, gate, closeGate)
			wrote := make(chan error, 1)
			go func() { wrote <- write(session) }()
			require.Eventually(t, func() bool { return waiting(t, gate, "advisory") == 1 }, time.Minute, 5*time.Millisecond)

			taken := make(chan int, 1)
			go func() { taken <- take(t, other, table) }()
			require.Eventually(t, func() bool { return len(taken) > 0 || waiting(t, gate, "transactionid") > 0 }, time.Minute, 5*time.Millisecond)
			exec(t, gate, openGate)
			if err := <-wrote; err == nil {
				require.Equal(t, 1, <-taken, "the session was told that it is kept")
			} else {
				require.ErrorIs(t, err, checkpoint.ErrLost)
				require.Zero(t, <-taken)
			}
			require.NoError(t, session.Close())
		})
	}
}

// TestASaveIsTriedAgainWhileTheServerPerformsIt saves while the server still performs a Save of the same session, whose
// answer was lost. Both are kept, next to each other.
func TestASaveIsTriedAgainWhileTheServerPerformsIt(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	store := open(t, address, postgres.Options{})
	gate, lost := connect(t, address), connect(t, address)
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	first, err := session.Save(t.Context(), commit(0, "x"))
	require.NoError(t, err)
	makeGate(t, gate, "agenthost_checkpoints")
	exec(t, gate, closeGate)
	exec(t, gate, closeOthers)

	others, saved := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := lost.Exec(t.Context(), `INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc)
			SELECT thread, id + 1, id, time, doc FROM agenthost_checkpoints`)
		others <- err
	}()
	require.Eventually(t, func() bool { return waiting(t, gate, "advisory") == 1 }, time.Minute, 5*time.Millisecond)
	go func() {
		_, err := session.Save(t.Context(), commit(first, "y"))
		saved <- err
	}()
	require.Eventually(t, func() bool { return waiting(t, gate, "advisory") == 2 }, time.Minute, 5*time.Millisecond)
	exec(t, gate, openOthers)
	require.NoError(t, <-others)
	exec(t, gate, openGate)
	require.NoError(t, <-saved)
	records, err := store.History(t.Context(), "t", 0, 10)
	require.NoError(t, err)
	require.Len(t, records, 3)
	require.NoError(t, session.Close())
}

// TestCloseWaitsForASaveWhoseAnswerWasLost closes a session while the server still performs a Save that has failed for the client. The state of
// the closed thread is that of what was saved.
func TestCloseWaitsForASaveWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	store := open(t, address, postgres.Options{})
	watch, lost := connect(t, address), connect(t, address)
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	first, err := session.Save(t.Context(), commit(0, "x"))
	require.NoError(t, err)

	exec(t, lost, `BEGIN`)
	exec(t, lost, `SELECT 1 FROM agenthost_threads FOR SHARE`)
	exec(t, lost, `INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc, state)
		SELECT thread, id + 1, id, time, doc, 'waiting' FROM agenthost_checkpoints`)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = session.Save(ended, commit(first, "y"))
	require.ErrorIs(t, err, context.Canceled)

	closed := make(chan error, 1)
	go func() { closed <- session.Close() }()
	require.Eventually(t, func() bool { return waiting(t, watch, "transactionid") == 1 }, time.Minute, 5*time.Millisecond)
	exec(t, lost, `COMMIT`)
	require.NoError(t, <-closed)
	found, err := store.Find(t.Context(), checkpoint.Query{State: checkpoint.Waiting})
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// A gate is a place at which the server stops while it performs a statement of the store; another is there for those of
// others.
const (
	closeGate   = `SELECT pg_advisory_lock(1)`
	openGate    = `SELECT pg_advisory_unlock(1)`
	closeOthers = `SELECT pg_advisory_lock(2)`
	openOthers  = `SELECT pg_advisory_unlock(2)`
)

// makeGate puts them before rows of a table.
func makeGate(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	exec(t, conn, `CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN
			PERFORM pg_advisory_xact_lock_shared(CASE current_setting('application_name') WHEN 'agenthost' THEN 1 ELSE 2 END);
			RETURN NEW;
		END $$`)
	exec(t, conn, `CREATE TRIGGER gate BEFORE INSERT ON `+table+` FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`)
}

// take takes the thread, as another process does, and returns how many rows of the table it finds.
func take(t *testing.T, conn *pgx.Conn, table string) (rows int) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE agenthost_threads SET lease = 'another'`); err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows)
	})
	assert.NoError(t, err)
	return rows
}

// commit is one with a text.
func commit(parent checkpoint.ID, text string) *checkpoint.Commit {
	return &checkpoint.Commit{Record: checkpoint.Record{
		Parent: parent, Whole: parent == 0, Time: time.UnixMilli(1), Cursor: history.Cursor{Epoch: 1},
		State: wire.Map{{Key: "text", Value: wire.String(text)}},
	}}
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), statement)
	require.NoError(t, err)
}

// waiting counts who waits for a lock of a kind in the database.
func waiting(t *testing.T, conn *pgx.Conn, kind string) (n int) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = $1`, kind).Scan(&n))
	return n
}
