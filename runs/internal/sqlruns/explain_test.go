package sqlruns_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	pgthreads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	litethreads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/runs/internal/sqlruns"
	"github.com/agenthost/agenthost/runs/postgres"
	"github.com/agenthost/agenthost/runs/runstest"
	"github.com/agenthost/agenthost/runs/sqlite"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// crowd returns statements that fill the tables, so that a scan of one would take long. series selects the numbers i of a crowd.
func crowd(series func(n int) string) []string {
	return []string{
		`INSERT INTO agenthost_run_threads (owner, id, metadata, rest, status, agent, created, updated, stepped, expiry, temporary)
			SELECT 'owner' || (i % 50), 't' || i, '{"n": 1}', 'idle', 'idle', 'agent', i, i, 0, CASE WHEN i % 100 = 0 THEN 1000 END, {false} ` + series(5000),
		`INSERT INTO agenthost_runs (thread, owner, id, thread_id, agent, assistant, metadata, strategy, status, created, updated, due, attempt, after_id,
			cancel, resumable, webhook, kept, tokens)
			SELECT no, owner, 'r' || no, id, 'agent', '', '{}', 'enqueue', CASE WHEN no % 100 = 0 THEN 'pending' ELSE 'success' END, no, no, 0, 1, 0, '',
			{false}, '', no % 1000 = 0, no % 1000 = 0 FROM agenthost_run_threads`,
		`INSERT INTO agenthost_run_events (run, seq, time, type) SELECT number, 4294967296 + i, 1, 'step' FROM agenthost_runs, (SELECT i ` + series(5) + `) AS s`,
		`INSERT INTO agenthost_run_assistants (owner, id, agent, name, folded, description, metadata, version, newest, created, updated)
			SELECT 'owner' || (i % 500), 'a' || i, 'agent', '', '', '', '{}', 1, 1, i, i ` + series(2000),
		`INSERT INTO agenthost_run_assistant_versions (assistant, version, agent, name, description, metadata, updated)
			SELECT no, 1, 'agent', '', '', '{}', 1 FROM agenthost_run_assistants`,
		`INSERT INTO agenthost_run_schedules (owner, id, assistant, thread, cron, zone, metadata, enabled, keep_runs, end_at, next_at, created, updated)
			SELECT 'owner' || (i % 500), 's' || i, 'a', '', 'x', '', '{}', i % 2 = 0, {false}, 0, i, i, i ` + series(2000),
		`INSERT INTO agenthost_run_spending (owner, day, currency, amount, unknown) SELECT 'owner' || (i % 500), i, 'EUR', i, 0 ` + series(2000),
		`ANALYZE`,
	}
}

// explained returns the statements of a store that read or write its tables, and can be explained.
func explained(t *testing.T, s *sqlruns.Store) []string {
	t.Helper()
	statements := slices.DeleteFunc(sqlruns.Statements(s), func(text string) bool { return !strings.Contains(text, "agenthost_run") })
	require.Greater(t, len(statements), 50)
	slices.Sort(statements)
	return statements
}

// TestPostgresScansNoTable explains each statement without knowing its arguments.
func TestPostgresScansNoTable(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	database, err := pgthreads.Open(t.Context(), address, pgthreads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, database.Close()) })
	store, err := postgres.Open(t.Context(), database, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	runstest.Touch(t, store)
	raw, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = raw.Close(context.Background()) })
	for _, statement := range crowd(func(n int) string { return fmt.Sprintf("FROM generate_series(1, %d) AS i", n) }) {
		_, err := raw.Exec(t.Context(), strings.ReplaceAll(statement, "{false}", "false"))
		require.NoError(t, err, statement)
	}
	_, err = raw.Exec(t.Context(), `SET plan_cache_mode = force_generic_plan`)
	require.NoError(t, err)
	for i, statement := range explained(t, store.Store) {
		name := fmt.Sprint("s", i)
		_, err := raw.Exec(t.Context(), "PREPARE "+name+" AS "+statement)
		require.NoError(t, err, statement)
		var arguments int
		require.NoError(t, raw.QueryRow(t.Context(), `SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = $1`, name).Scan(&arguments))
		call := name
		if arguments > 0 {
			call += "(" + strings.Join(slices.Repeat([]string{"NULL"}, arguments), ", ") + ")"
		}
		rows, err := raw.Query(t.Context(), "EXPLAIN EXECUTE "+call, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.NotRegexp(t, `Seq Scan on agenthost_run(s|_threads|_events|_assistants|_assistant_versions|_schedules|_spending)\b`, strings.Join(plan, "\n"), statement)
	}
}

var scan = regexp.MustCompile(`^SCAN (\w+)( USING (COVERING )?INDEX \w+)?`)

// small are the tables that may be scanned: lists of arguments, the workers, and a row for each owner and day, which only an operator asks for.
var small = []string{"json_each", "CONSTANT", "agenthost_run_workers", "agenthost_run_spending"}

// TestSQLiteScansNoTable explains each statement. A scan of an index is one of the rows that a partial index has.
func TestSQLiteScansNoTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent.db")
	file, err := litethreads.Open(t.Context(), path, litethreads.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	store, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	require.NoError(t, err)
	runstest.Touch(t, store)
	raw := file.Database().Writes()
	for _, statement := range crowd(func(n int) string {
		return fmt.Sprintf("FROM (WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT i FROM s)", n)
	}) {
		_, err := raw.ExecContext(t.Context(), strings.ReplaceAll(statement, "{false}", "0"))
		require.NoError(t, err, statement)
	}
	for _, statement := range explained(t, store.Store) {
		for _, step := range litePlan(t, raw, statement) {
			if found := scan.FindStringSubmatch(step); len(found) > 0 && !slices.Contains(small, found[1]) {
				require.NotEmpty(t, found[2], "%s\n%s", step, statement)
				require.Regexp(t, `_(queue|waiting|unfinished|running|kept|next|expiring|asking)$`, found[2], "%s\n%s", step, statement)
			}
		}
	}
}

func litePlan(t *testing.T, raw *sql.DB, statement string) (plan []string) {
	t.Helper()
	arguments := 0
	for strings.Contains(statement, fmt.Sprint("$", arguments+1)) {
		arguments++
	}
	rows, err := raw.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, arguments)...)
	require.NoError(t, err, statement)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		plan = append(plan, detail)
	}
	require.NoError(t, rows.Err())
	return plan
}
