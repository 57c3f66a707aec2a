package threadstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/store"
	valuememory "github.com/agenthost/agenthost/host/store/memory"
)

// Store is a store that was opened. Who opens it closes it.
type Store struct {
	checkpoint.Store

	Values store.Store // values beyond threads, in the same place
	close  func() error
}

// Close closes the store. Nobody may use it any more then.
func (s *Store) Close() error { return s.close() }

// InMemory returns a store that lasts as long as the process.
func InMemory() *Store {
	return &Store{Store: memory.New(), Values: valuememory.New(), close: func() error { return nil }}
}

// Open opens the store, and makes a database file or tables that are missing.
func (a Address) Open(ctx context.Context) (*Store, error) {
	switch a.kind {
	case memoryKind:
		return InMemory(), nil
	case sqliteKind:
		db, err := sqlite.Open(ctx, a.target, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		return &Store{Store: db, Values: db.Values(), close: db.Close}, nil
	case postgresKind:
		db, err := postgres.Open(ctx, a.target, postgres.Options{})
		if err != nil {
			return nil, err
		}
		return &Store{Store: db, Values: db.Values(), close: db.Close}, nil
	default:
		return nil, errors.New("no store is named")
	}
}

// OpenExisting opens a store to look into it: one in memory has nothing to be seen, and no file is made.
func (a Address) OpenExisting(ctx context.Context) (*Store, error) {
	if a.InMemory() {
		return nil, ErrInMemory
	}
	if a.kind == sqliteKind {
		if _, err := os.Stat(a.target); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("sqlite %q: there is no such file; the first run with a thread makes it", a.target)
		}
	}
	return a.Open(ctx)
}

// ErrInMemory is a store that lasts no longer than the process which has it.
var ErrInMemory = errors.New("threads are kept in memory, as long as the process lives that runs them; keep them in a database, " +
	"such as sqlite:agent.db, to look at them from another")
