package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/internal/sqldb"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// each runs a test with a database of every kind, which already holds the tables of the threads.
func each(t *testing.T, run func(t *testing.T, db *sqldb.Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		run(t, store.Database())
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		store, err := postgres.Open(t.Context(), pgtest.Address(t), postgres.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		run(t, store.Database())
	})
}

// schema is one of a second family of tables, in a number of steps.
func schema(steps ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i, step := range steps {
		for _, dialect := range []string{"sqlite", "postgres"} {
			out["schema/"+dialect+"/00"+string(rune('1'+i))+".sql"] = &fstest.MapFile{Data: []byte(step)}
		}
	}
	return out
}

const (
	first  = `CREATE TABLE others (no BIGINT PRIMARY KEY)`
	second = `ALTER TABLE others ADD COLUMN text TEXT`
)

// TestFamiliesOfTablesHaveVersionsOfTheirOwn migrates a second family beside that of the threads.
func TestFamiliesOfTablesHaveVersionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sqldb.Database) {
		t.Helper()
		version := func(table string) (n int) {
			require.NoError(t, db.Reads().QueryRowContext(t.Context(), `SELECT version FROM `+table).Scan(&n))
			return n
		}
		threads := version("agenthost_schema")
		var openers sync.WaitGroup
		failures := make([]error, 8)
		for i := range failures {
			openers.Go(func() { failures[i] = db.Migrate(t.Context(), schema(first), "others_schema") })
		}
		openers.Wait()
		require.NoError(t, errors.Join(failures...))
		require.Equal(t, 1, version("others_schema"))
		require.ErrorContains(t, db.Migrate(t.Context(), schema(first, second, "CREATE NONSENSE"), "others_schema"), "schema 003.sql: ")
		require.Equal(t, 1, version("others_schema"), "all steps or none")
		require.NoError(t, db.Migrate(t.Context(), schema(first, second), "others_schema"))
		require.NoError(t, db.Migrate(t.Context(), schema(first, second), "others_schema"))
		_, err := db.Writes().ExecContext(t.Context(), `INSERT INTO others (no, text) VALUES (1, 'x')`)
		require.NoError(t, err)

		err = db.Migrate(t.Context(), schema(first), "others_schema")
		require.ErrorIs(t, err, checkpoint.ErrNewer)
		require.EqualError(t, err, db.Name()+": its tables have version 2, and this agenthost supports version 1: "+checkpoint.ErrNewer.Error())
		require.Equal(t, []int{2, threads}, []int{version("others_schema"), version("agenthost_schema")})
	})
}

func TestChangesAreWholeAndErrorsNameTheDatabase(t *testing.T) {
	t.Parallel()
	errOurs := errors.New("the family's own")
	each(t, func(t *testing.T, db *sqldb.Database) {
		t.Helper()
		require.NoError(t, db.Migrate(t.Context(), schema(first), "others_schema"))
		ours := db.Knowing(errOurs)
		fails := func(db *sqldb.Database, failure error) error {
			return db.Change(t.Context(), func(_ context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), `INSERT INTO others (no) VALUES (1)`)
				return errors.Join(err, failure)
			})
		}
		require.EqualError(t, fails(ours, errOurs), "the family's own")
		require.EqualError(t, fails(db, errOurs), db.Name()+": the family's own", "the first database does not learn it")
		require.EqualError(t, fails(ours, checkpoint.ErrNoThread), checkpoint.ErrNoThread.Error())
		require.NoError(t, db.Look(t.Context(), func(tx *sql.Tx) error {
			var rows int
			require.NoError(t, tx.QueryRowContext(t.Context(), `SELECT count(*) FROM others`).Scan(&rows))
			require.Zero(t, rows)
			return nil
		}))
		require.NoError(t, fails(ours, nil))
		failed := ours.Failed(fails(ours, nil))
		require.Regexp(t, `^(sqlite|postgres) "[^"]+"[^:]*: [^:]+:? .*(UNIQUE|unique)`, failed.Error())
		require.NotContains(t, failed.Error()[len(db.Name()):], db.Name(), "it is named once")
	})
}
