package sqlruns

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"time"

	"github.com/agenthost/agenthost/internal/sqldb"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/hint"
)

// schema holds, for each dialect, the statements that lead from one version of the tables to the next.
//
//go:embed schema
var schema embed.FS

// Store keeps runs in a database.
type Store struct {
	db      *sqldb.Database
	dialect *Dialect
	texts   statements
	now     func() time.Time
	hub     hint.Hub
	spread  func(hints []runs.Hint)
	source  hint.Source
}

// Config configures a store.
type Config struct {
	Database *sqldb.Database
	Dialect  *Dialect
	Now      func() time.Time // for the times of rows; nil: the clock of the machine. Claims go by the clock of the database.
	// Spread tells other processes of hints, without waiting; nil: nobody does.
	Spread func(hints []runs.Hint)
	// Source brings the hints of other processes; nil: nobody does.
	Source hint.Source
}

// New prepares a database and makes missing tables.
func New(ctx context.Context, config *Config) (*Store, error) {
	s := &Store{
		db: config.Database.Knowing(
			runs.ErrNoThread, runs.ErrNoRun, runs.ErrNoAssistant, runs.ErrNoVersion, runs.ErrNoSchedule, runs.ErrExists, runs.ErrThreadBusy,
			runs.ErrQueueFull, runs.ErrRunOver, runs.ErrNotClaimed, runs.ErrBadQuery, runs.ErrInvalidValue,
		),
		dialect: config.Dialect, texts: statements{dialect: config.Dialect}, now: config.Now, spread: config.Spread, source: config.Source,
	}
	if s.now == nil {
		s.now = time.Now //nolint:forbidigo // what waits in a queue waits in real time
	}
	return s, s.db.Migrate(ctx, schema, "agenthost_runs_schema")
}

var _ runs.Store = (*Store)(nil)

// Shared returns true: other processes may use the same database.
func (*Store) Shared() bool { return true }

// Listen passes hints on, see [runs.Store].
func (s *Store) Listen(ctx context.Context, heard func(runs.Hint)) error {
	return s.hub.Listen(ctx, s.source, heard)
}

// tell spreads hints. It must not be called in a transaction: what they are about can be seen only afterwards.
func (s *Store) tell(hints ...runs.Hint) {
	s.hub.Send(hints...)
	if s.spread != nil && len(hints) > 0 {
		s.spread(hints)
	}
}

// querier performs statements: connections, or a transaction.
type querier = sqldb.Executor

// change performs do in a writing transaction: all of it or nothing. An error of the caller is returned as it is.
func (s *Store) change(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	err := s.db.Change(ctx, do)
	if theirs, ok := errors.AsType[callerError](err); ok {
		return theirs.error
	}
	return err
}

// callerError is an error of a function that a caller gave.
type callerError struct{ error }

// theirs marks the errors of a caller's function.
func theirs[T any](change func(row *T) error) func(row *T) error {
	return func(row *T) error {
		if err := change(row); err != nil {
			return callerError{err}
		}
		return nil
	}
}

func (s *Store) exec(ctx context.Context, q querier, statement string, args ...any) (changed int, err error) {
	result, err := q.ExecContext(ctx, s.texts.text(statement), args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

func (s *Store) row(ctx context.Context, q querier, statement string, args ...any) *sql.Row {
	return q.QueryRowContext(ctx, s.texts.text(statement), args...)
}

// scanner is a row of a result.
type scanner interface{ Scan(into ...any) error }

// collect reads all rows of a query.
func collect[T any](ctx context.Context, s *Store, q querier, scan func(row scanner) (T, error), statement string, args ...any) (out []T, err error) {
	rows, err := q.QueryContext(ctx, s.texts.text(statement), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}
