// Package sqlite keeps threads in one SQLite file. Several processes on one machine may use it at once. Do not put it in a
// directory that machines share over a network.
//
// Saved data survives a crash of the process or of the machine: each transaction waits for the disk (synchronous=FULL, with a
// write-ahead log). What is saved at the same time shares a transaction.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	driver "modernc.org/sqlite" // also registers itself
	lib "modernc.org/sqlite/lib"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/internal/sqlstore"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// Store keeps threads in a file. Close it after its sessions.
type Store struct{ *sqlstore.Store }

// Options configures the use of a file. The zero value is the default.
type Options struct {
	// Lease is how long a thread stays with a run after its process died; at least 100 ms. 0 means 15 s.
	Lease time.Duration
	// Wait is how long a transaction waits for those of other processes. 0 means 5 s.
	Wait time.Duration
	// MaxBytes is the approximate maximum size of the file. 0 means as large as the disk allows.
	MaxBytes int64
}

// Open opens a file. If there is none, it makes one that only its owner can read.
func Open(ctx context.Context, path string, options Options) (*Store, error) {
	name := fmt.Sprintf("sqlite %q", path)
	if path == "" {
		return nil, fmt.Errorf("%s: the path is empty; name a file", name)
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if options.Wait == 0 {
		options.Wait = 5 * time.Second
	}
	writes, err := open(dsn(path, &options, "immediate"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	writes.SetMaxOpenConns(1) // one transaction writes at a time; the others queue here
	reads, err := open(dsn(path, &options, "deferred"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), writes.Close())
	}
	reads.SetMaxOpenConns(4)
	db := sqldb.New(sqldb.Config{Name: name, Dialect: &dialect, Writes: writes, Reads: reads, Group: true})
	store, err := sqlstore.New(ctx, db, sqlstore.Options{
		Lease: options.Lease, Connect: func(ctx context.Context) error { return connect(ctx, writes, options.Wait) },
	})
	if err != nil {
		return nil, err
	}
	return &Store{store}, nil
}

func dsn(path string, options *Options, lock string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	query := url.Values{"_txlock": {lock}, "_pragma": {
		"busy_timeout(" + strconv.FormatInt(options.Wait.Milliseconds(), 10) + ")", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
	}}
	if options.MaxBytes > 0 {
		query.Add("_pragma", "max_page_count("+strconv.FormatInt(max(1, options.MaxBytes/pageSize), 10)+")")
	}
	return "file:" + (&url.URL{Path: absolute}).EscapedPath() + "?" + query.Encode()
}

const pageSize = 4096

var dialect = sqldb.Dialect{
	Name:     "sqlite",
	Now:      "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
	Each:     "json_each",
	Newer:    checkpoint.ErrNewer,
	Classify: classify,
}

// classify returns the checkpoint error for an error of SQLite, or nil.
func classify(err error) error {
	var failure *driver.Error
	if !errors.As(err, &failure) {
		if errors.Is(err, context.DeadlineExceeded) {
			return checkpoint.ErrLocked
		}
		return nil
	}
	if failure.Code() == lib.SQLITE_IOERR_WRITE {
		return checkpoint.ErrFull // by a quota or a process limit; a broken disk reports the same
	}
	switch failure.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return checkpoint.ErrLocked
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return checkpoint.ErrReadOnly
	case lib.SQLITE_FULL:
		return checkpoint.ErrFull
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return checkpoint.ErrCorrupt
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return checkpoint.ErrUnavailable
	default:
		return nil
	}
}
