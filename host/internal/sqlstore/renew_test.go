package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/test/pgtest"
)

const lease = 3 * time.Second

// leasing runs a test with a store of each kind, whose leases have a length, and with another connection to its database.
func leasing(t *testing.T, lease time.Duration, run func(t *testing.T, s checkpoint.Store, db *sql.DB)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "agent.db")
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{Lease: lease, Wait: 4 * lease})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		run(t, s, connected(t, "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		address := pgtest.Address(t)
		s, err := postgres.Open(t.Context(), address, postgres.Options{Lease: lease})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		run(t, s, connected(t, "pgx", address))
	})
}

func connected(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement)
	require.NoError(t, err)
}

// number returns the number that a query finds.
func number(t *testing.T, db *sql.DB, query string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

// countStatements keeps each statement that renews leases, with the length of its list. All rows of a statement get the same
// time.
func countStatements(t *testing.T, db *sql.DB) {
	t.Helper()
	execute(t, db, `CREATE TABLE renewals (until BIGINT PRIMARY KEY, leases BIGINT NOT NULL)`)
	const count = `INSERT INTO renewals VALUES (NEW.until, 1) ON CONFLICT (until) DO UPDATE SET leases = renewals.leases + 1`
	if !strings.Contains(fmt.Sprintf("%T", db.Driver()), "stdlib") {
		execute(t, db, `CREATE TRIGGER renewed AFTER UPDATE ON agenthost_threads WHEN OLD.lease = NEW.lease BEGIN `+count+`; END`)
		return
	}
	execute(t, db, `CREATE FUNCTION renewed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO renewals SELECT MAX(until), count(*) FROM changed WHERE lease IS NOT NULL HAVING count(*) > 0; RETURN NULL; END $$`)
	execute(t, db, `CREATE TRIGGER renewed AFTER UPDATE ON agenthost_threads
		REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renewed()`)
}

// TestManyThreadsAreRenewedByOneStatement counts the statements that keep many threads open for longer than a lease lasts.
func TestManyThreadsAreRenewedByOneStatement(t *testing.T) {
	t.Parallel()
	leasing(t, lease, func(t *testing.T, s checkpoint.Store, db *sql.DB) {
		t.Helper()
		const threads = 400
		sessions := make([]checkpoint.Session, threads)
		for i := range sessions {
			var err error
			sessions[i], err = s.Open(t.Context(), fmt.Sprint("thread ", i))
			require.NoError(t, err)
		}
		countStatements(t, db)
		began := time.Now()
		first := number(t, db, `SELECT MAX(until) FROM agenthost_threads`)
		require.Eventually(t, func() bool {
			return number(t, db, `SELECT MIN(until) FROM agenthost_threads`) > first+lease.Milliseconds()
		}, time.Minute, 10*time.Millisecond)
		periods := int64(time.Since(began)/lease) + 1 // in each of which every lease is renewed three times
		require.LessOrEqual(t, number(t, db, `SELECT count(*) FROM renewals`), 10*periods)
		require.GreaterOrEqual(t, number(t, db, `SELECT MAX(leases) FROM renewals`), int64(threads))
		for _, session := range sessions {
			select {
			case <-session.Lost():
				t.Fatal("a lease was lost")
			default:
			}
			require.NoError(t, session.Close())
		}
	})
}

// TestAThreadThatOthersLockDelaysNobody locks the row of one thread, first for a while and then for longer than a lease lasts.
func TestAThreadThatOthersLockDelaysNobody(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	s, err := postgres.Open(t.Context(), address, postgres.Options{Lease: lease})
	require.NoError(t, err)
	db := connected(t, "pgx", address)
	locked, err := s.Open(t.Context(), "locked")
	require.NoError(t, err)
	free, err := s.Open(t.Context(), "free")
	require.NoError(t, err)
	until := func(thread string) int64 {
		return number(t, db, `SELECT until FROM agenthost_threads WHERE name = $1`, thread)
	}
	lock := func() *sql.Tx {
		tx, err := db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = tx.ExecContext(t.Context(), `SELECT FROM agenthost_threads WHERE name = 'locked' FOR SHARE`) // as a Save does
		require.NoError(t, err)
		return tx
	}
	renewed := func(thread string, since int64) {
		require.Eventually(t, func() bool { return until(thread) > since }, time.Minute, 5*time.Millisecond)
	}

	tx := lock()
	before := until("locked")
	renewed("free", until("free"))
	require.Equal(t, before, until("locked"))
	require.NoError(t, tx.Commit())
	renewed("locked", before)

	tx = lock()
	<-locked.Lost()
	before = until("free")
	renewed("free", before)
	renewed("free", until("free"))
	require.NoError(t, tx.Commit())
	select {
	case <-free.Lost():
		t.Fatal("the other lease was lost")
	default:
	}
	require.NoError(t, locked.Close())
	require.NoError(t, free.Close())
	require.NoError(t, s.Close())
}

// TestADatabaseThatHangs locks all threads, so that no statement returns. The run is told before its lease is over.
func TestADatabaseThatHangs(t *testing.T) {
	t.Parallel()
	leasing(t, 2*lease, func(t *testing.T, s checkpoint.Store, db *sql.DB) {
		t.Helper()
		session, err := s.Open(t.Context(), "thread")
		require.NoError(t, err)
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		statements := []string{"BEGIN EXCLUSIVE", "ROLLBACK"}
		if _, ok := s.(*postgres.Store); ok {
			statements = []string{"BEGIN; LOCK TABLE agenthost_threads", "ROLLBACK"}
		}
		_, err = conn.ExecContext(t.Context(), statements[0])
		require.NoError(t, err)
		var over int64 // by the database's own clock, which is this machine's
		select {
		case <-session.Lost():
			over = time.Now().UnixMilli()
		case <-time.After(time.Minute):
			t.Fatal("the run is not told")
		}
		_, err = conn.ExecContext(context.WithoutCancel(t.Context()), statements[1])
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		require.Less(t, over, number(t, db, `SELECT until FROM agenthost_threads`))
		require.NoError(t, session.Close())
	})
}

// TestRenewingReadsAnIndex checks how the databases find the rows of leases among many.
func TestRenewingReadsAnIndex(t *testing.T) {
	t.Parallel()
	for name, explain := range map[string]string{"SQLite": "EXPLAIN QUERY PLAN ", "PostgreSQL": "EXPLAIN "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := kinds[name](t)
			s := at.database(t)
			db := connected(t, at.driver, at.address)
			populate(t, db)
			var list strings.Builder
			for no := range 1000 {
				fmt.Fprintf(&list, `,[%d,"lease %d"]`, no+1, no)
			}
			args := []any{"[" + list.String()[1:] + "]", 1000}
			got := plan(t, db, explain, s.RenewSQL(), args)
			require.NotContains(t, got, "Seq Scan", got)
			require.NotContains(t, got, "SCAN t", got)
			require.NotContains(t, got, "SCAN agenthost", got)
		})
	}
}
