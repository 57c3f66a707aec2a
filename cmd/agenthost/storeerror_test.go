package main

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the database of the tests

	"github.com/agenthost/agenthost/test/pgtest"
)

// database opens the database file of a bundle outside of the command.
func (b *bundle) database(options string) *sql.DB {
	b.t.Helper()
	db, err := sql.Open("sqlite", "file:"+b.path("agent.db")+options)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, db.Close()) })
	return db
}

func TestDatabasesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(t *testing.T, b *bundle)
		code  int
		says  string
	}{
		"locked": {func(t *testing.T, b *bundle) {
			t.Helper()
			db := b.database("")
			conn, err := db.Conn(t.Context())
			require.NoError(t, err)
			_, err = conn.ExecContext(t.Context(), "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
			require.NoError(t, err)
			t.Cleanup(func() {
				_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
				require.NoError(t, conn.Close())
			})
		}, exitFailed, "another process has locked the database; try again when it has finished"},
		"corrupt": {func(t *testing.T, b *bundle) {
			t.Helper()
			b.write("agent.db", strings.Repeat("this is not a database. ", 200))
			_ = os.Remove(b.path("agent.db-wal"))
		}, exitUsage, "the stored data cannot be read; restore it from a backup"},
		"newer": {func(t *testing.T, b *bundle) {
			t.Helper()
			_, err := b.database("").ExecContext(t.Context(), "UPDATE agenthost_schema SET version = 99")
			require.NoError(t, err)
		}, exitUsage, "it was written by a newer version of agenthost; use that version or a later one"},
		"a document that cannot be read": {func(t *testing.T, b *bundle) {
			t.Helper()
			_, err := b.database("").ExecContext(t.Context(), "UPDATE agenthost_checkpoints SET doc = x'c1'")
			require.NoError(t, err)
		}, exitUsage, "the stored data cannot be read"},
		"not reachable": {func(_ *testing.T, b *bundle) {
			b.write("agenthost.yaml", strings.Replace(noting, "sqlite:agent.db", "postgres://nobody@127.0.0.1:1/agent", 1))
		}, exitFailed, "the database cannot be reached; check that it is running, and check its address and password"},
		"read-only": {func(t *testing.T, b *bundle) {
			t.Helper()
			address := pgtest.Address(t)
			b.write("agenthost.yaml", strings.Replace(noting, "sqlite:agent.db", address+"&default_transaction_read_only=on", 1))
		}, exitUsage, "the database cannot be written to; check its permissions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := threads(t, noting)
			b.must(exitWaiting, "run", "--thread", "ada", "note a")
			test.spoil(t, b)
			for _, args := range [][]string{{"run", "--thread", "ada", "hi"}, {"resume", "ada"}, {"threads", "list"}, {"threads", "show", "ada"}} {
				code := b.runWith(t.Context(), "", append(args, "-f", b.path("agenthost.yaml"))...)
				require.Equal(t, test.code, code, "%v: %s", args, &b.err)
				require.Contains(t, b.err.String(), test.says)
			}
		})
	}
}
