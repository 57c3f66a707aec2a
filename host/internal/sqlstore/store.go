package sqlstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/internal/leases"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// Store keeps threads and values in a database. Its methods are safe for concurrent use.
type Store struct {
	db     *sqldb.Database
	lease  time.Duration
	holder string

	renewals *leases.Renewer
}

// Options configures the use of a database.
type Options struct {
	// Connect makes the first connection; nil: the first use does.
	Connect func(ctx context.Context) error
	// Lease is how long a thread stays with a run after its process died. 0 means DefaultLease.
	Lease time.Duration
}

// schema holds, for each dialect, the statements that lead from one version of the tables to the next.
//
//go:embed schema
var schema embed.FS

// New returns the store in a database and makes missing tables. If it fails, it closes the connections.
func New(ctx context.Context, db *sqldb.Database, options Options) (*Store, error) {
	s := &Store{db: db.Knowing(ours...), lease: cmp.Or(options.Lease, DefaultLease), holder: holder()}
	s.renewals = leases.New(s.lease, checkpoint.ErrLost, s.renew)
	if err := s.prepare(ctx, options.Connect); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context, connect func(ctx context.Context) error) error {
	if s.lease < MinLease {
		return fmt.Errorf("%s: the lease is %v; it must be at least %v", s.db.Name(), s.lease, MinLease)
	}
	if connect != nil {
		if err := connect(ctx); err != nil {
			return s.db.Failed(err)
		}
	}
	return s.db.Migrate(ctx, schema, "agenthost_schema", sqldb.Fill{Version: 5, Rows: settleAll})
}

// Database returns the store's database. Other packages may keep tables of their own in it. Closing the store closes it.
func (s *Store) Database() *sqldb.Database { return s.db }

// Close closes the connections. Sessions must be closed before; those that are open lose their threads.
func (s *Store) Close() error {
	s.renewals.Close()
	return s.db.Close()
}

// ours are the errors that need no further explanation.
var ours = []error{
	checkpoint.ErrBusy, checkpoint.ErrClosed, checkpoint.ErrLost, checkpoint.ErrNoThread, checkpoint.ErrNoCheckpoint,
	checkpoint.ErrThreadExists, checkpoint.ErrThreadName, checkpoint.ErrCorrupt, checkpoint.ErrNewer,
	store.ErrConflict, store.ErrQuota,
}

// token returns a unique text.
func token() string { return rand.Text() }

// holder describes this process to people.
func holder() string {
	name, err := os.Hostname()
	if err != nil {
		name = "a machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), name)
}
