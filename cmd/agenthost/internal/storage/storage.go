// Package storage opens the database of a server of agents: its runs, the threads of its agents, and values that outlive threads, all in one place.
package storage

import (
	"context"
	"errors"

	sqlitethreads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/runs/sqlite"
)

// Storage is an open database. The caller must close it.
type Storage struct {
	Threads *threadstore.Store
	Runs    runs.Store

	close func() error // of the runs
}

// Open opens a database, and makes what is missing in it. The zero address is that of the memory of this process.
func Open(ctx context.Context, address threadstore.Address) (*Storage, error) {
	if address.IsZero() || address.InMemory() {
		return &Storage{Threads: threadstore.InMemory(), Runs: memory.New(memory.Options{}), close: func() error { return nil }}, nil
	}
	threads, err := address.Open(ctx)
	if err != nil {
		return nil, err
	}
	return withRuns(ctx, threads)
}

// OpenExisting opens a database that must be there.
func OpenExisting(ctx context.Context, address threadstore.Address) (*Storage, error) {
	threads, err := address.OpenExisting(ctx)
	if err != nil {
		return nil, err
	}
	return withRuns(ctx, threads)
}

// withRuns opens the runs in the database of threads, which it closes if that fails.
func withRuns(ctx context.Context, threads *threadstore.Store) (_ *Storage, err error) {
	s := &Storage{Threads: threads, close: func() error { return nil }}
	switch database := threads.Store.(type) {
	case *sqlitethreads.Store:
		s.Runs, err = sqlite.Open(ctx, database, sqlite.Options{})
	default:
		err = s.openOther(ctx, database)
	}
	if err != nil {
		return nil, errors.Join(err, threads.Close())
	}
	return s, nil
}

// errNoRuns is the error of a store of threads that cannot keep runs.
var errNoRuns = errors.New("storage: this kind of database cannot keep runs")

// Close closes the database.
func (s *Storage) Close() error { return errors.Join(s.close(), s.Threads.Close()) }
