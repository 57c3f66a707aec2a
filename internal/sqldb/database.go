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
}

// Config configures the use of a database.
type Config struct {
	Name    string // shown in errors, such as `sqlite "agent.db"`; without passwords
	Dialect *Dialect
	Writes  *sql.DB // for transactions that write
	Reads   *sql.DB // for the others; may be the same
}

// idleConnections is the maximum number of idle connections.
const idleConnections = 8

// New returns a database. It makes no connection.
func New(config Config) *Database {
	config.Writes.SetMaxIdleConns(idleConnections)
	d := config.Dialect
	return &Database{
		name: config.Name, dialect: d, writes: config.Writes, reads: config.Reads,
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

// Writes returns the connections for single statements that write. Change is for several statements.
func (d *Database) Writes() *sql.DB { return d.writes }

// Reads returns the connections for single queries. Look is for several queries.
func (d *Database) Reads() *sql.DB { return d.reads }

// DropIdle closes idle connections: only use reveals that one died with its server.
func (d *Database) DropIdle() {
	d.writes.SetMaxIdleConns(-1)
	d.writes.SetMaxIdleConns(idleConnections)
}

// Change performs do in a writing transaction: all of it or nothing.
func (d *Database) Change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.writes.BeginTx(ctx, &sql.TxOptions{Isolation: d.dialect.Writing})
	if err != nil {
		return d.Failed(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit; otherwise the error of do matters
	if err := do(tx); err != nil {
		return d.Failed(err)
	}
	return d.Failed(tx.Commit())
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
