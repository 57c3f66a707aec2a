// Package postgres keeps threads in a PostgreSQL database, version 13 or later. Any number of processes on any number of
// machines may use it at once.
package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/internal/sqlstore"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// Store keeps threads in a database. Close it after its sessions.
type Store struct{ *sqlstore.Store }

// Options configures the use of a database. The zero value is the default.
type Options struct {
	// Lease is how long a thread stays with a run after its process died; at least 100 ms. 0 means 15 s.
	Lease time.Duration
	// Connections is the maximum number of open connections. 0 means 8.
	Connections int
}

// Open connects to a database. The address has the format of libpq: a URL such as postgres://user@host/name, or key=value
// pairs. Missing settings come from the environment (PGHOST, PGPASSWORD, …). Open creates missing tables in the first schema
// of the search path.
func Open(ctx context.Context, address string, options Options) (*Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", withoutAddress(err))
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "agenthost"
	}
	db := stdlib.OpenDB(*config)
	if options.Connections == 0 {
		options.Connections = 8
	}
	db.SetMaxOpenConns(options.Connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	name := fmt.Sprintf("postgres %q on %s", config.Database, config.Host)
	store, err := sqlstore.New(ctx, sqldb.New(sqldb.Config{Name: name, Dialect: &dialect, Writes: db, Reads: db}),
		sqlstore.Options{Lease: options.Lease})
	if err != nil {
		return nil, err
	}
	return &Store{store}, nil
}

// withoutAddress removes the address, and the password in it, from an error.
func withoutAddress(err error) error {
	if _, reason, ok := strings.Cut(err.Error(), "`: "); ok {
		return fmt.Errorf("the address is invalid: %s", reason)
	}
	return err
}

// schemaLock is the number of the advisory lock that a process holds while it changes the tables.
const schemaLock = "4713290176" // any number that others do not use

var dialect = sqldb.Dialect{
	Name:     "postgres",
	Now:      "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
	Lock:     "SELECT pg_advisory_xact_lock(" + schemaLock + ")",
	Share:    "FOR SHARE",
	Alone:    "FOR NO KEY UPDATE",
	Skip:     "FOR NO KEY UPDATE SKIP LOCKED",
	Each:     "json_array_elements",
	Compound: true,
	Writing:  sql.LevelReadCommitted,
	Snapshot: sql.LevelRepeatableRead,
	Newer:    checkpoint.ErrNewer,
	Classify: classify,
}

// classify returns the checkpoint error for an error of PostgreSQL or of the connection to it, or nil.
func classify(err error) error {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return meaning(failure.Code)
	}
	var network net.Error // also matches an ended context
	var connecting *pgconn.ConnectError
	if errors.As(err, &network) || errors.As(err, &connecting) || pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return checkpoint.ErrUnavailable
	}
	return nil
}

// meaning returns the checkpoint error for a server code, or for its class.
func meaning(code string) error {
	switch code {
	case "55P03", "57014", "40001", "40P01": // lock_not_available, query_canceled: by a time limit, serialization_failure, deadlock_detected
		return checkpoint.ErrLocked
	case "25006", "42501": // read_only_sql_transaction, insufficient_privilege
		return checkpoint.ErrReadOnly
	case "53100": // disk_full
		return checkpoint.ErrFull
	case "XX001", "XX002", "58P01": // data_corrupted, index_corrupted, undefined_file
		return checkpoint.ErrCorrupt
	case "3D000": // invalid_catalog_name: the database does not exist
		return checkpoint.ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "08", "28", "53", "57", "58": // connection, authorization, resources, operator_intervention, system_error
		return checkpoint.ErrUnavailable
	default:
		return nil
	}
}
