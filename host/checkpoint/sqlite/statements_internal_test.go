package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// kept opens a database with one connection, and returns what tells which statements the connection keeps.
func kept(t *testing.T) (db *sql.DB, idle func() map[string]statement) {
	t.Helper()
	db, err := open(dsn(filepath.Join(t.TempDir(), "a.db"), &Options{}, "immediate"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE things (n INTEGER PRIMARY KEY, text TEXT); CREATE TABLE others (n INTEGER)")
	require.NoError(t, err)
	return db, func() (out map[string]statement) {
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		require.NoError(t, conn.Raw(func(raw any) error {
			own, ok := raw.(*connection)
			require.True(t, ok)
			out = own.idle
			return nil
		}))
		require.NoError(t, conn.Close())
		return out
	}
}

func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	db, idle := kept(t)
	require.Empty(t, idle(), "a script is not kept")
	const insert, query = "INSERT INTO things VALUES ($1, $2)", "SELECT text FROM things WHERE n >= $1 ORDER BY n"
	for n := range 3 {
		_, err := db.ExecContext(t.Context(), insert, n, "text "+strconv.Itoa(n))
		require.NoError(t, err)
	}
	_, err := db.ExecContext(t.Context(), insert, 0, nil)
	require.ErrorContains(t, err, "UNIQUE constraint failed")
	_, err = db.ExecContext(t.Context(), insert, 3, nil)
	require.NoError(t, err, "the statement that failed works again")
	require.Len(t, idle(), 1)

	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	read := func(rows *sql.Rows) string {
		t.Helper()
		require.True(t, rows.Next())
		var text string
		require.NoError(t, rows.Scan(&text))
		return text
	}
	outer, err := tx.QueryContext(t.Context(), query, 0)
	require.NoError(t, err)
	require.Equal(t, "text 0", read(outer))
	inner, err := tx.QueryContext(t.Context(), query, 2) //nolint:rowserrcheck // it is left before its end
	require.NoError(t, err, "while the same query is being read")
	require.Equal(t, "text 2", read(inner))
	require.Equal(t, "text 1", read(outer))
	require.NoError(t, inner.Close()) //nolint:sqlclosecheck // now
	require.Equal(t, "text 2", read(outer))
	require.NoError(t, outer.Close()) //nolint:sqlclosecheck // now
	require.NoError(t, outer.Err())
	require.NoError(t, tx.Commit())
	require.Len(t, idle(), 2)

	_, err = db.ExecContext(t.Context(), "ALTER TABLE things ADD COLUMN more TEXT DEFAULT 'x'")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), insert, 9, "y")
	require.Error(t, err, "a kept statement sees the new columns")
}

func TestSoManyStatementsAreKept(t *testing.T) {
	t.Parallel()
	db, idle := kept(t)
	for n := range 2 * maxStatements {
		_, err := db.ExecContext(t.Context(), "INSERT INTO others VALUES ("+strconv.Itoa(n)+")")
		require.NoError(t, err)
	}
	require.Len(t, idle(), maxStatements)
	_, err := db.ExecContext(t.Context(), "SELECT n FROM nowhere")
	require.ErrorContains(t, err, "no such table")
}

// Everything that database/sql asks a connection for must reach the driver.
func TestConnectionsCanWhatTheDriverCan(t *testing.T) {
	t.Parallel()
	var own any = &connection{}
	for _, missing := range []bool{
		!is[driver.ExecerContext](own), !is[driver.QueryerContext](own), !is[driver.ConnBeginTx](own), !is[driver.ConnPrepareContext](own),
		!is[driver.Pinger](own), !is[driver.SessionResetter](own), !is[driver.Validator](own),
	} {
		require.False(t, missing)
	}
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}
