package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

// hold makes a connection that keeps others from writing.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	require.NoError(t, err)
	return func() { require.NoError(t, db.Close()) }
}

func TestADatabaseThatIsLocked(t *testing.T) {
	t.Parallel()
	const wait = 200 * time.Millisecond
	path := filepath.Join(t.TempDir(), "a.db")
	store := open(t, path, sqlite.Options{Wait: wait})
	require.NoError(t, write(store, 1, 10))
	session, err := store.Open(t.Context(), "other")
	require.NoError(t, err)
	_, err = session.Save(t.Context(), commit(0, 10))
	require.NoError(t, err)

	release := hold(t, path)
	for name, try := range map[string]func() error{
		"open":   func() error { return write(store, 1, 10) },
		"delete": func() error { return store.Delete(t.Context(), "t") },
		"fork":   func() error { return store.Fork(t.Context(), "t", 0, "u") },
		"save": func() error {
			_, err := session.Save(t.Context(), commit(0, 10))
			return err
		},
		"journal": func() error { return session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1}) },
	} {
		began := time.Now()
		err := try()
		require.ErrorIs(t, err, checkpoint.ErrLocked, name)
		require.ErrorContains(t, err, "another process has locked the database; try again when it has finished (")
		require.GreaterOrEqual(t, time.Since(began), wait/2, "%s: it has not waited", name)
		require.Less(t, time.Since(began), 20*wait, name)
	}
	id, err := newest(store)
	require.NoError(t, err, "it may be read")
	require.EqualValues(t, 1, id)
	_, err = newest(open(t, path, sqlite.Options{Wait: wait}))
	require.NoError(t, err, "it may be opened")

	release()
	require.NoError(t, session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1}))
	require.NoError(t, session.Close())
	require.NoError(t, write(store, 1, 10))
}

// TestANewDatabaseThatIsLocked waits for whoever makes it too, and no longer than it should.
func TestANewDatabaseThatIsLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	release := hold(t, path)
	const wait = 200 * time.Millisecond
	began := time.Now()
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{Wait: wait})
	require.ErrorIs(t, err, checkpoint.ErrLocked)
	require.GreaterOrEqual(t, time.Since(began), wait/2, "it has not waited")
	require.Less(t, time.Since(began), 20*wait)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sqlite.Open(ctx, path, sqlite.Options{Wait: time.Hour})
	require.ErrorIs(t, err, context.Canceled)
	time.AfterFunc(wait, release)
	require.NoError(t, write(open(t, path, sqlite.Options{Wait: time.Minute}), 1, 10))
}

// TestManyOpenANewDatabase opens one from many connections at once: only one can make it what it is.
func TestManyOpenANewDatabase(t *testing.T) {
	t.Parallel()
	for range 10 {
		path := filepath.Join(t.TempDir(), "a.db")
		var openers sync.WaitGroup
		failures := make([]error, 8)
		for i := range failures {
			openers.Go(func() {
				store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				if failures[i] = err; err == nil {
					failures[i] = store.Close()
				}
			})
		}
		openers.Wait()
		for _, err := range failures {
			require.NoError(t, err)
		}
	}
}
