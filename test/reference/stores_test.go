package reference_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/reference"
)

// databases are shared by all vectors, each of which has its own threads.
var databases struct {
	mu   sync.Mutex
	open []io.Closer
	dir  string
}

func keep(c io.Closer) {
	databases.mu.Lock()
	defer databases.mu.Unlock()
	databases.open = append(databases.open, c)
}

func closeDatabases() {
	databases.mu.Lock()
	defer databases.mu.Unlock()
	for _, c := range databases.open {
		_ = c.Close()
	}
	_ = os.RemoveAll(databases.dir)
}

var openSQLite = sync.OnceValues(func() (checkpoint.Store, error) {
	dir, err := os.MkdirTemp("", "vectors")
	if err != nil {
		return nil, err
	}
	databases.dir = dir
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "agent.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	keep(store)
	return store, nil
})

var openPostgres sync.Once

var postgresStore struct {
	checkpoint.Store

	err error
}

// sharedPostgres opens the database for the first test that needs it. Without a server, it skips the test.
func sharedPostgres(t *testing.T) checkpoint.Store {
	t.Helper()
	openPostgres.Do(func() {
		postgresStore.err = errors.New("there is no server")
		store, err := postgres.Open(context.Background(), pgtest.Address(t), postgres.Options{})
		if postgresStore.err = err; err == nil {
			postgresStore.Store = store
			keep(store)
		}
	})
	if postgresStore.Store == nil && os.Getenv("CI") == "" {
		t.Skip(postgresStore.err)
	}
	require.NoError(t, postgresStore.err)
	return postgresStore.Store
}

// apart separates the threads of one test from those of others.
type apart struct {
	checkpoint.Store

	prefix string
}

func (a apart) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	return a.Store.Open(ctx, a.prefix+thread)
}

// runStores runs a vector with threads in each store, and with each durability.
func runStores(t *testing.T, v *reference.Vector) {
	t.Helper()
	for name, open := range map[string]func(t *testing.T) checkpoint.Store{
		"sqlite": func(t *testing.T) checkpoint.Store {
			t.Helper()
			store, err := openSQLite()
			require.NoError(t, err)
			return store
		},
		"postgres": sharedPostgres,
	} {
		for _, durability := range []host.Durability{host.DurabilityRound, host.DurabilityStep, host.DurabilityExit} {
			t.Run(name+" "+string(durability), func(t *testing.T) {
				t.Parallel()
				store := open(t)
				runVector(t, v, reference.Native(), func(c *host.Config) {
					c.Checkpointer, c.Durability = apart{store, t.Name() + " "}, durability
				})
			})
		}
	}
}
