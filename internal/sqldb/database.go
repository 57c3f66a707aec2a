package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// Database is an open database. Its methods are safe for concurrent use.
type Database struct {
	name    string
	dialect *Dialect
	writes  *sql.DB
	reads   *sql.DB // may be the same
	texts   *strings.Replacer
	known   []error
	group   *group // nil: each change has a transaction of its own
}

// Config configures the use of a database.
type Config struct {
	Name    string // shown in errors, such as `sqlite "agent.db"`; without passwords
	Dialect *Dialect
	Writes  *sql.DB // for transactions that write
	Reads   *sql.DB // for the others; may be the same
	// Group lets changes at the same time share a transaction, so that they wait for the disk once. It is for a database whose Writes
	// has one connection.
	Group bool
}

// idleConnections is the maximum number of idle connections.
const idleConnections = 8

// New returns a database. It makes no connection.
func New(config Config) *Database {
	config.Writes.SetMaxIdleConns(idleConnections)
	d := config.Dialect
	var together *group
	if config.Group {
		together = &group{db: config.Writes, options: &sql.TxOptions{Isolation: d.Writing}}
	}
	return &Database{
		group: together,
		name:  config.Name, dialect: d, writes: config.Writes, reads: config.Reads,
		texts: strings.NewReplacer("{now}", d.Now, "{share}", d.Share, "{alone}", d.Alone, "{skip}", d.Skip, "{each}", d.Each),
		known: []error{d.Newer},
	}
}

// Knowing returns the same database for a caller with errors of its own: Failed leaves them as they are.
func (d *Database) Knowing(errs ...error) *Database {
	same := *d
	same.known = append(slices.Clip(d.known), errs...)
	return &same
}

// Close closes the connections.
func (d *Database) Close() error {
	err := d.writes.Close()
	if d.reads != d.writes {
		err = errors.Join(err, d.reads.Close())
	}
	return d.Failed(err)
}

// Name returns the name of the database, which has no password.
func (d *Database) Name() string { return d.name }

// Compound reports whether one statement can change several tables, see [Dialect].
func (d *Database) Compound() bool { return d.dialect.Compound }

// Writes returns the connections for single statements that write. Change is for several statements.
func (d *Database) Writes() *sql.DB { return d.writes }

// Reads returns the connections for single queries. Look is for several queries.
func (d *Database) Reads() *sql.DB { return d.reads }

// DropIdle closes idle connections: only use reveals that one died with its server.
func (d *Database) DropIdle() {
	d.writes.SetMaxIdleConns(-1)
	d.writes.SetMaxIdleConns(idleConnections)
}

// Change performs do in a writing transaction: all of it or nothing. do must use the context that it gets. With [Config.Group], do is not
// interrupted when ctx ends.
func (d *Database) Change(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	if d.group != nil {
		return d.Failed(d.group.change(ctx, do))
	}
	tx, err := d.writes.BeginTx(ctx, &sql.TxOptions{Isolation: d.dialect.Writing})
	if err != nil {
		return d.Failed(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit; otherwise the error of do matters
	if err := do(ctx, tx); err != nil {
		return d.Failed(err)
	}
	return d.Failed(tx.Commit())
}

// Write performs do, which is a single statement that writes, or several of which each may be performed without the others.
func (d *Database) Write(ctx context.Context, do func(ctx context.Context, q Executor) error) error {
	if d.group != nil {
		return d.Change(ctx, func(ctx context.Context, tx *sql.Tx) error { return do(ctx, tx) })
	}
	return d.Failed(do(ctx, d.writes))
}

// Look performs do in a transaction that only reads: all its queries see one snapshot.
func (d *Database) Look(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: d.dialect.Snapshot})
	if err != nil {
		return d.Failed(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was changed
	return d.Failed(do(tx))
}

// SQL replaces {now}, {share}, {alone}, {skip} and {each} in a statement with the dialect's text.
func (d *Database) SQL(text string) string { return d.texts.Replace(text) }

// Querier is a database or a transaction.
type Querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Executor is a database or a transaction that may write.
type Executor interface {
	Querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}
