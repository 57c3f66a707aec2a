// Package memory keeps runs, and what surrounds them, in memory for the life of the process.
package memory

import (
	"context"
	"sync"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/hint"
)

// Store keeps rows in memory. The zero value is not usable; see [New].
type Store struct {
	now   func() time.Time
	hints hint.Hub

	mu         sync.Mutex
	threads    map[string]map[string]*thread // by owner and id
	runs       map[string]*run
	open       []*run // those that are not over, in the order of their numbers
	numbers    uint64
	workers    map[string]time.Time                // until when their claims last
	assistants map[string]map[string]*assistant    // by owner and id
	schedules  map[string]map[string]runs.Schedule // by owner and id
	spending   []runs.Spending
}

// Options configures a store. The zero value is the default.
type Options struct {
	Now func() time.Time // nil: the clock of the machine
}

// New returns an empty store.
func New(options Options) *Store {
	if options.Now == nil {
		options.Now = time.Now //nolint:forbidigo // what waits in a queue waits in real time
	}
	return &Store{
		now: options.Now, threads: map[string]map[string]*thread{}, runs: map[string]*run{}, workers: map[string]time.Time{},
		assistants: map[string]map[string]*assistant{}, schedules: map[string]map[string]runs.Schedule{},
	}
}

var _ runs.Store = (*Store)(nil)

// Shared returns false: the rows are those of this process.
func (*Store) Shared() bool { return false }

// Listen passes hints on, see [runs.Store].
func (s *Store) Listen(ctx context.Context, heard func(runs.Hint)) error {
	return s.hints.Listen(ctx, nil, heard)
}

// begin locks the store for a request of an owner. Without an error, the caller must unlock it.
func (s *Store) begin(ctx context.Context, owner string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := runs.CheckOwner(owner); err != nil {
		return err
	}
	s.mu.Lock()
	return nil
}

// put adds a row to a table.
func put[T any](table map[string]map[string]T, owner, id string, row T) {
	rows := table[owner]
	if rows == nil {
		rows = map[string]T{}
		table[owner] = rows
	}
	rows[id] = row
}

// drop removes a row from a table.
func drop[T any](table map[string]map[string]T, owner, id string) {
	delete(table[owner], id)
	if len(table[owner]) == 0 {
		delete(table, owner)
	}
}
