package threadstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/store"
	valuememory "github.com/agenthost/agenthost/host/store/memory"
)

// Store is an open store. The caller must close it.
type Store struct {
	checkpoint.Store

	Values store.Store // values that outlive threads, in the same place
	close  func() error
}

// Close closes the store. It must not be used afterwards.
func (s *Store) Close() error { return s.close() }

// InMemory returns a store that lives as long as the process.
func InMemory() *Store {
	return &Store{Store: memory.New(), Values: valuememory.New(), close: func() error { return nil }}
}

// Open opens the store, and creates a missing database file and missing tables.
func (a Address) Open(ctx context.Context) (*Store, error) {
	switch a.kind {
	case memoryKind:
		return InMemory(), nil
	case sqliteKind:
		db, err := sqlite.Open(ctx, a.target, sqlite.Options{Lease: a.lease})
		if err != nil {
			return nil, err
		}
		return &Store{Store: db, Values: db.Values(), close: db.Close}, nil
	case postgresKind:
		return a.openPostgres(ctx)
	default:
		return nil, errors.New("the address names no store; use memory, sqlite:PATH or a postgres URL")
	}
}

// OpenExisting opens a store to look into it. It creates no file, and refuses a store in memory, which is always empty.
func (a Address) OpenExisting(ctx context.Context) (*Store, error) {
	if a.InMemory() {
		return nil, ErrInMemory
	}
	if a.kind == sqliteKind {
		if _, err := os.Stat(a.target); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("sqlite %q: there is no such file; the first run creates it", a.target)
		}
	}
	return a.Open(ctx)
}

// ErrInMemory means that a store lives only as long as its process.
var ErrInMemory = errors.New("threads are kept in the memory of the process that runs them, and cannot be read from another process; " +
	"keep them in a database, such as sqlite:agent.db")
