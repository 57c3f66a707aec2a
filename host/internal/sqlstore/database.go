package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/store"
)

// Database is a database with this package's tables. Its methods are safe for concurrent use.
type Database struct {
	name    string // shown in errors
	dialect *Dialect
	writes  *sql.DB
	reads   *sql.DB // may be the same
	lease   time.Duration
	holder  string
	texts   *strings.Replacer
}

// Config configures the use of a database.
type Config struct {
	Name    string // shown in errors, such as `sqlite "agent.db"`; without passwords
	Dialect *Dialect
	Writes  *sql.DB // for transactions that write
	Reads   *sql.DB // for the others; may be the same
	// Connect makes the first connection; nil: the first use does.
	Connect func(ctx context.Context) error
	// Lease is how long a thread stays with a run after its process died. 0 means DefaultLease.
	Lease time.Duration
}

// New prepares a database and makes missing tables. If it fails, it closes the connections.
func New(ctx context.Context, config Config) (*Database, error) {
	config.Writes.SetMaxIdleConns(idleConnections)
	d := &Database{
		name: config.Name, dialect: config.Dialect, writes: config.Writes, reads: config.Reads, lease: config.Lease, holder: holder(),
	}
	if d.lease == 0 {
		d.lease = DefaultLease
	}
	d.texts = strings.NewReplacer("{now}", d.dialect.Now, "{share}", d.dialect.Share, "{alone}", d.dialect.Alone)
	err := d.prepare(ctx, config.Connect)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Database) prepare(ctx context.Context, connect func(ctx context.Context) error) error {
	if d.lease < MinLease {
		return fmt.Errorf("%s: the lease is %v; it must be at least %v", d.name, d.lease, MinLease)
	}
	if connect != nil {
		if err := connect(ctx); err != nil {
			return d.failed(err)
		}
	}
	return d.failed(d.migrate(ctx))
}

// Close closes the connections. Sessions must be closed before.
func (d *Database) Close() error {
	err := d.writes.Close()
	if d.reads != d.writes {
		err = errors.Join(err, d.reads.Close())
	}
	return d.failed(err)
}

// idleConnections is the maximum number of idle connections.
const idleConnections = 8

// dropIdle closes idle connections.
func (d *Database) dropIdle() {
	d.writes.SetMaxIdleConns(-1)
	d.writes.SetMaxIdleConns(idleConnections)
}

// change performs do in a writing transaction: all of it or nothing.
func (d *Database) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.writes.BeginTx(ctx, &sql.TxOptions{Isolation: d.dialect.Writing})
	if err != nil {
		return d.failed(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit; otherwise the error of do matters
	if err := do(tx); err != nil {
		return d.failed(err)
	}
	return d.failed(tx.Commit())
}

// sql replaces {now}, {share} and {alone} in a statement with the dialect's text.
func (d *Database) sql(text string) string { return d.texts.Replace(text) }

// failed adds the name of the database to an error and, if known, its checkpoint error.
func (d *Database) failed(err error) error {
	var ours *databaseError
	switch {
	case err == nil, errors.As(err, &ours), errors.Is(err, context.Canceled), isOurs(err):
		return err
	}
	return &databaseError{d.name, d.dialect.Classify(err), err}
}

// isOurs reports whether an error needs no further explanation.
func isOurs(err error) bool {
	for _, known := range []error{
		checkpoint.ErrBusy, checkpoint.ErrClosed, checkpoint.ErrLost, checkpoint.ErrNoThread, checkpoint.ErrNoCheckpoint,
		checkpoint.ErrThreadExists, checkpoint.ErrThreadName, checkpoint.ErrCorrupt, checkpoint.ErrNewer,
		store.ErrConflict, store.ErrQuota,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// databaseError is an error of a database.
type databaseError struct {
	database string
	meaning  error // of package checkpoint; nil: not known
	err      error
}

func (e *databaseError) Error() string {
	if e.meaning == nil {
		return fmt.Sprintf("%s: %v", e.database, e.err)
	}
	return fmt.Sprintf("%s: %v (%v)", e.database, e.meaning, e.err)
}

func (e *databaseError) Unwrap() []error {
	if e.meaning == nil {
		return []error{e.err}
	}
	return []error{e.meaning, e.err}
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
