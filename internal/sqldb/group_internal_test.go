package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver
)

// grouped opens a database with an empty table.
func grouped(t *testing.T) (*group, *sql.DB) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "a.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(50)")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), "CREATE TABLE rows (n INTEGER PRIMARY KEY)")
	require.NoError(t, err)
	return &group{db: db}, db
}

// rows returns what the table holds.
func rows(t *testing.T, db *sql.DB) (out []int) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), "SELECT n FROM rows ORDER BY n")
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	for found.Next() {
		var n int
		require.NoError(t, found.Scan(&n))
		out = append(out, n)
	}
	require.NoError(t, found.Err())
	return out
}

// adds adds a row, and then does something else.
func adds(n int, then func() error) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO rows VALUES ($1)", n); err != nil {
			return err
		}
		return then()
	}
}

func nothing() error { return nil }

// together performs first, and the others when they all wait for it, in their order. It returns their errors.
func together(g *group, first func(context.Context, *sql.Tx) error, others ...func() error) (errs []error) {
	errs = make([]error, len(others)+1)
	var all sync.WaitGroup
	errs[0] = g.change(context.Background(), func(ctx context.Context, tx *sql.Tx) error {
		for i, other := range others {
			all.Go(func() { errs[i+1] = other() })
			for queued := 0; queued <= i; runtime.Gosched() {
				g.mu.Lock()
				queued = len(g.queue)
				g.mu.Unlock()
			}
		}
		return first(ctx, tx)
	})
	all.Wait()
	return errs
}

func TestChangesShareATransaction(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	broken := errors.New("it is wrong")
	used := map[*sql.Tx]int{}
	change := func(n int, err error) func() error {
		return func() error {
			return g.change(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				used[tx]++
				return adds(n, func() error { return err })(ctx, tx)
			})
		}
	}
	errs := together(g, adds(1, nothing), change(2, nil), change(3, broken), change(4, nil), change(1, nil), change(5, nil))
	require.NoError(t, errors.Join(errs[0], errs[1], errs[3], errs[5]))
	require.ErrorIs(t, errs[2], broken)
	require.ErrorContains(t, errs[4], "UNIQUE constraint failed", "it sees what others in the transaction did")
	require.Equal(t, []int{1, 2, 4, 5}, rows(t, db))
	require.Len(t, used, 1)
	require.False(t, g.taken)
	require.Nil(t, g.open)
}

func TestTheFirstOfAGroupFailsAlone(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	broken := errors.New("it is wrong")
	errs := together(g, adds(1, func() error { return broken }), func() error { return g.change(t.Context(), adds(2, nothing)) })
	require.ErrorIs(t, errs[0], broken)
	require.NoError(t, errs[1])
	require.Equal(t, []int{2}, rows(t, db))
}

func TestATransactionHasSoManyChanges(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	used := map[*sql.Tx]int{}
	others := make([]func() error, 2*maxChanges)
	for i := range others {
		others[i] = func() error {
			return g.change(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				used[tx]++
				return adds(i, nothing)(ctx, tx)
			})
		}
	}
	require.NoError(t, errors.Join(together(g, adds(-1, nothing), others...)...))
	require.Len(t, rows(t, db), 2*maxChanges+1)
	require.Len(t, used, 3)
}

func TestAChangeThatPanicsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	panics := func(n int) func() error {
		return func() (err error) {
			defer func() {
				if recover() != nil {
					err = errors.New("recovered")
				}
			}()
			return g.change(t.Context(), adds(n, func() error { panic("oh") }))
		}
	}
	require.Error(t, panics(7)())
	errs := together(g, adds(1, nothing), panics(2), func() error { return g.change(t.Context(), adds(3, nothing)) })
	require.NoError(t, errors.Join(errs[0], errs[2]))
	require.Error(t, errs[1])
	require.Equal(t, []int{1, 3}, rows(t, db))
	require.False(t, g.taken)
}

// What ends a wait must not leave the changes uncommitted of those who rely on the one that waits.
func TestWaitsThatEnd(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	ctx, cancel := context.WithCancel(t.Context())
	errs := together(g, adds(1, func() error { cancel(); return nil }), func() error { return g.change(ctx, adds(2, nothing)) })
	require.NoError(t, errs[0])
	if errs[1] != nil { // it got the turn, or saw the end of the context first
		require.ErrorIs(t, errs[1], context.Canceled)
	}
	require.False(t, g.taken)
	require.Nil(t, g.open)
	require.ErrorIs(t, g.change(ctx, adds(3, nothing)), context.Canceled)
	require.NotContains(t, rows(t, db), 3)
	require.NoError(t, g.change(t.Context(), adds(4, nothing)))
}

// SQLite rolls back a whole transaction by itself when the disk is full: all whose changes were in it must know.
func TestATransactionThatIsLost(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	lost := func() error {
		return g.change(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT OR ROLLBACK INTO rows VALUES (1)")
			return err
		})
	}
	errs := together(g, adds(1, nothing), lost, func() error { return g.change(t.Context(), adds(3, nothing)) })
	require.ErrorContains(t, errs[0], "a transaction was rolled back that another change shared: ")
	require.ErrorContains(t, errs[1], "UNIQUE constraint failed")
	require.NoError(t, errs[2])
	require.Equal(t, []int{3}, rows(t, db))
}

// Many changes, of which some fail and some are given up: what was told is true.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	g, db := grouped(t)
	broken := errors.New("it is wrong")
	var mu sync.Mutex
	var told []int
	var all sync.WaitGroup
	for client := range 16 {
		all.Go(func() {
			for i := range 50 {
				n := client*1000 + i
				ctx, cancel := context.WithCancel(t.Context())
				if n%7 == 0 {
					go cancel()
				}
				err := g.change(ctx, adds(n, func() error {
					if n%5 == 0 {
						return broken
					}
					return nil
				}))
				cancel()
				if err == nil {
					mu.Lock()
					told = append(told, n)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	slices.Sort(told)
	require.Equal(t, told, rows(t, db))
	require.False(t, g.taken)
	require.Nil(t, g.open)
}
