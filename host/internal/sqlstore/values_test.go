package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/internal/sqlstore"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/storetest"
	"github.com/agenthost/agenthost/test/pgtest"
)

// place is where a database is, and how to open it, as often as wanted.
type place struct {
	driver, address string
	open            func(ctx context.Context) (*sqlstore.Store, error)
}

func inSQLite(t *testing.T) place {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.db")
	return place{"sqlite", path, func(ctx context.Context) (*sqlstore.Store, error) {
		s, err := sqlite.Open(ctx, path, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		return s.Store, nil
	}}
}

func inPostgres(t *testing.T) place {
	t.Helper()
	address := pgtest.Address(t)
	return place{"pgx", address, func(ctx context.Context) (*sqlstore.Store, error) {
		s, err := postgres.Open(ctx, address, postgres.Options{})
		if err != nil {
			return nil, err
		}
		return s.Store, nil
	}}
}

// kinds are the kinds of databases.
var kinds = map[string]func(*testing.T) place{"SQLite": inSQLite, "PostgreSQL": inPostgres}

func (p place) database(t *testing.T) *sqlstore.Store {
	t.Helper()
	db, err := p.open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// turns is one store that several processes have open: its operations are theirs in turn.
type turns struct {
	stores []store.Store
	next   atomic.Int64
}

func (s *turns) turn() store.Store { return s.stores[int(s.next.Add(1))%len(s.stores)] }

func (s *turns) Get(ctx context.Context, ns store.Namespace, key string) (store.Entry, bool, error) {
	return s.turn().Get(ctx, ns, key)
}

func (s *turns) Put(ctx context.Context, ns store.Namespace, key string, value []byte, o store.PutOptions) (uint64, error) {
	return s.turn().Put(ctx, ns, key, value, o)
}

func (s *turns) Delete(ctx context.Context, ns store.Namespace, key string, ifVersion *uint64) error {
	return s.turn().Delete(ctx, ns, key, ifVersion)
}

func (s *turns) List(ctx context.Context, ns store.Namespace, q store.Query) (store.Page[store.Entry], error) {
	return s.turn().List(ctx, ns, q)
}

func (s *turns) Drop(ctx context.Context, ns store.Namespace) error { return s.turn().Drop(ctx, ns) }

func (s *turns) Namespaces(ctx context.Context, under, after store.Namespace, limit int) (store.Page[store.Namespace], error) {
	return s.turn().Namespaces(ctx, under, after, limit)
}

func TestValues(t *testing.T) {
	t.Parallel()
	for name, in := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
				t.Helper()
				at := in(t)
				return &turns{stores: []store.Store{at.database(t).Values(store.Clock(now)), at.database(t).Values(store.Clock(now))}}
			})
		})
	}
}

func TestValuesOutliveTheProcess(t *testing.T) {
	t.Parallel()
	for name, in := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := in(t)
			ns := store.Namespace{"users", "42"}
			for n := range 3 {
				db, err := at.open(t.Context())
				require.NoError(t, err)
				count, version, err := store.Get[int](t.Context(), db.Values(), ns, "count")
				require.NoError(t, err)
				require.Equal(t, n, count)
				_, err = store.Put(t.Context(), db.Values(), ns, "count", n+1, store.PutOptions{IfVersion: &version, TTL: time.Hour})
				require.NoError(t, err)
				require.NoError(t, db.Close())
			}
		})
	}
}

// TestWritesRemoveWhatExpired checks that what expires anywhere makes room for what else expires.
func TestWritesRemoveWhatExpired(t *testing.T) {
	t.Parallel()
	for name, in := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := in(t)
			var passed atomic.Int64
			s := at.database(t).Values(store.Clock(func() time.Time { return time.Unix(1_700_000_000+passed.Load(), 0) }))
			put := func(name, key string, ttl time.Duration) {
				_, err := s.Put(t.Context(), store.Namespace{name}, key, []byte("x"), store.PutOptions{TTL: ttl})
				require.NoError(t, err)
			}
			for i := range 10 {
				put("one", fmt.Sprint(i), time.Second)
				put("two", fmt.Sprint(i), 2*time.Second)
			}
			put("two", "stays", time.Hour)
			passed.Store(2)
			db, err := sql.Open(at.driver, at.address)
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			entries := func() (n int) {
				require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM agenthost_entries`).Scan(&n))
				return n
			}
			require.Equal(t, 21, entries())
			put("three", "a", 0)
			require.Equal(t, 22, entries(), "who writes for ever removes nothing")
			put("three", "a", time.Hour)
			require.Equal(t, 12, entries(), "the first to expire goes first")
			put("three", "a", time.Hour)
			put("three", "a", time.Hour)
			require.Equal(t, 2, entries())
			var left int
			require.NoError(t, db.QueryRowContext(t.Context(), `SELECT entries FROM agenthost_namespaces WHERE bytes = $1`,
				store.Size("stays", 1)).Scan(&left))
			require.Equal(t, 1, left)
		})
	}
}

// TestErrorsOfValuesAreTheStores checks that what a store refuses is not told as a failure of the database.
func TestErrorsOfValuesAreTheStores(t *testing.T) {
	t.Parallel()
	for name, in := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := in(t)
			db, ns := at.database(t), store.Namespace{"users", "42"}
			_, err := db.Values().Put(t.Context(), ns, "a", nil, store.PutOptions{IfVersion: new(uint64(1))})
			require.Equal(t, store.ErrConflict, err)
			_, err = db.Values().Put(t.Context(), ns, "a", nil, store.PutOptions{Quota: store.Quota{Bytes: 1}})
			require.EqualError(t, err, "the quota of the store is exceeded: the entries would take 65 bytes; the limit is 1")
			require.Equal(t, store.ErrConflict, db.Values().Delete(t.Context(), ns, "a", new(uint64(1))))
		})
	}
}
