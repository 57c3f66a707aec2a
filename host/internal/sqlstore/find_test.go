package sqlstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// populate fills the tables with threads of each kind, so that a plan that reads all of them is a bad one.
func populate(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO agenthost_threads (name, created, lease, until, state)
			WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
			SELECT 'thread ' || (10000 + i), 0, CASE WHEN i % 1000 = 0 THEN 'lease ' || i END,
				CASE WHEN i % 1000 = 0 THEN 0 END, CASE WHEN i % 100 = 0 THEN 'waiting' ELSE 'done' END FROM n`,
		`INSERT INTO agenthost_checkpoints (thread, id, parent, time, doc, state)
			SELECT no, id, id - 1, 0, CAST('' AS {bytes}), 'orphaned' FROM agenthost_threads
			CROSS JOIN (SELECT 1 AS id UNION ALL SELECT 2 UNION ALL SELECT 3) AS ids`,
		`ANALYZE`,
	} {
		bytes := "BLOB"
		if strings.Contains(fmt.Sprintf("%T", db.Driver()), "stdlib") {
			bytes = "bytea"
		}
		_, err := db.ExecContext(t.Context(), strings.ReplaceAll(statement, "{bytes}", bytes))
		require.NoError(t, err)
	}
}

// plan returns how the database performs a statement.
func plan(t *testing.T, db *sql.DB, explain, text string, args []any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), explain+text, args...)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	var out strings.Builder
	for rows.Next() {
		var line string
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		values[len(values)-1] = &line // the others number the lines
		require.NoError(t, rows.Scan(values...))
		fmt.Fprintln(&out, line)
	}
	require.NoError(t, rows.Err())
	return out.String()
}

// TestFindingThreadsReadsAnIndex checks how the databases find a page of threads among many: by an index, without sorting or
// reading all threads or all checkpoints.
func TestFindingThreadsReadsAnIndex(t *testing.T) {
	t.Parallel()
	for name, dialect := range map[string]struct {
		explain string
		never   []string // what no plan contains
		byName  string   // the index of names
	}{
		"SQLite":     {"EXPLAIN QUERY PLAN ", []string{"SCAN t\n", "SCAN agenthost"}, "sqlite_autoindex_agenthost_threads_1 (name>"},
		"PostgreSQL": {"EXPLAIN ", []string{"Seq Scan", "Hash"}, "agenthost_threads_name_key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := kinds[name](t)
			s := at.database(t)
			db, err := sql.Open(at.driver, at.address)
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			populate(t, db)
			for query, indexes := range map[*checkpoint.Query][]string{
				{Limit: 10}:                                                                         {dialect.byName},
				{Limit: 10, Prefix: "thread 13"}:                                                    {dialect.byName},
				{Limit: 10, State: checkpoint.Running}:                                              {"agenthost_leased"},
				{Limit: 10, State: checkpoint.Orphaned, After: "thread 12"}:                         {"agenthost_leased"},
				{Limit: 10, State: checkpoint.Waiting, After: "thread 12"}:                          {"agenthost_closed", "agenthost_leased"},
				{Limit: 10, State: checkpoint.Failed, Prefix: "x"}:                                  {"agenthost_closed", "agenthost_leased"},
				{Limit: 10, State: checkpoint.Waiting, UpdatedSince: time.Now()}:                    {"agenthost_closed", "agenthost_leased"},
				{Limit: 10, State: checkpoint.Done, UpdatedBefore: time.Now(), Prefix: "thread 13"}: {"agenthost_leased"}, // most are done: by name is as good
			} {
				text, args := s.FindSQL(query)
				got := plan(t, db, dialect.explain, text, args)
				for _, index := range indexes {
					require.Contains(t, got, index, "%+v\n%s", query, got)
				}
				for _, never := range dialect.never {
					require.NotContains(t, got, never, "%+v\n%s", query, got)
				}
			}
			found, err := s.Find(t.Context(), checkpoint.Query{State: checkpoint.Waiting, After: "thread 12", Limit: 2})
			require.NoError(t, err)
			require.Equal(t, []string{"thread 12100", "thread 12200"}, []string{found[0].Thread, found[1].Thread})
			found, err = s.Find(t.Context(), checkpoint.Query{State: checkpoint.Orphaned})
			require.NoError(t, err)
			require.Len(t, found, 10)
			require.ErrorIs(t, found[0].Err, checkpoint.ErrCorrupt)
		})
	}
}
