package postgres_test

import (
	"database/sql"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/test/pgtest"
)

// The tables of the first version, and a file that it has written: its rows are those of SQLite.
const (
	firstSchema = "../../internal/sqlstore/schema/postgres/001.sql"
	firstFile   = "../sqlite/testdata/schema1.db"
)

// writeFirst makes the tables of the first version, and copies the rows of the file to them.
func writeFirst(t *testing.T, conn *pgx.Conn, file string) {
	t.Helper()
	schema, err := os.ReadFile(firstSchema)
	require.NoError(t, err)
	exec(t, conn, string(schema))
	exec(t, conn, "CREATE TABLE agenthost_schema (version BIGINT NOT NULL)")
	exec(t, conn, "INSERT INTO agenthost_schema (version) VALUES (1)")
	from, err := sql.Open("sqlite", "file:"+file)
	require.NoError(t, err)
	defer func() { require.NoError(t, from.Close()) }()
	for _, table := range []struct{ query, insert string }{
		{
			"SELECT no, name, created, lease, holder, until FROM agenthost_threads",
			"INSERT INTO agenthost_threads (no, name, created, lease, holder, until) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6)",
		},
		{
			"SELECT thread, id, parent, time, doc FROM agenthost_checkpoints",
			"INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc) VALUES ($1, $2, $3, $4, $5)",
		},
		{
			"SELECT thread, checkpoint, call, n, doc FROM agenthost_journal",
			"INSERT INTO agenthost_journal (thread, checkpoint, call, n, doc) VALUES ($1, $2, $3, $4, $5)",
		},
	} {
		copyRows(t, from, table.query, conn, table.insert)
	}
	exec(t, conn, "SELECT setval(pg_get_serial_sequence('agenthost_threads', 'no'), (SELECT MAX(no) FROM agenthost_threads))")
}

// copyRows inserts what a query returns.
func copyRows(t *testing.T, from *sql.DB, query string, conn *pgx.Conn, insert string) {
	t.Helper()
	rows, err := from.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, pointers := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			pointers[i] = &values[i]
		}
		require.NoError(t, rows.Scan(pointers...))
		_, err := conn.Exec(t.Context(), insert, values...)
		require.NoError(t, err)
	}
	require.NoError(t, rows.Err())
}

// TestTheFirstSchemaIsOpened opens a database that the first version has made, whatever has come since.
func TestTheFirstSchemaIsOpened(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	file := t.TempDir() + "/first.db"
	first, err := os.ReadFile(firstFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, first, 0o600))
	writeFirst(t, connect(t, address), file)
	same, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, same.Close()) }()

	store := open(t, address, postgres.Options{})
	want, err := same.Find(t.Context(), checkpoint.Query{})
	require.NoError(t, err)
	got, err := store.Find(t.Context(), checkpoint.Query{})
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, want, got)
	for _, info := range got {
		want, err := same.Load(t.Context(), info.Thread, 0)
		require.NoError(t, err)
		held, err := store.Load(t.Context(), info.Thread, 0)
		require.NoError(t, err)
		require.Equal(t, want.Log.List().Messages(), held.Log.List().Messages())
		require.Equal(t, []any{want.State, want.Record, want.Executions}, []any{held.State, held.Record, held.Executions})
	}
	require.NoError(t, store.Rollback(t.Context(), "waits", 2))
	session, err := store.Open(t.Context(), "waits")
	require.NoError(t, err)
	id, err := session.Save(t.Context(), commit(2, "x"))
	require.NoError(t, err)
	require.Equal(t, checkpoint.ID(6), id)
	require.NoError(t, session.Close())
	save(t, store)
}
