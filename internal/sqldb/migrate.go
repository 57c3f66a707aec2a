package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Fill computes for existing rows what a version of the tables has added, where a statement cannot.
type Fill struct {
	Version int // the version whose statements have just been performed
	Rows    func(ctx context.Context, tx *sql.Tx) error
}

// Migrate brings a family of tables to the present version. The files of schema/DIALECT lead from one version to the next, in the
// order of their names, each with the fills of its version; the table named versions holds the version of the database. All of it
// is one transaction. Migrate refuses a newer database with the dialect's error Newer and leaves it unchanged.
func (d *Database) Migrate(ctx context.Context, schema fs.FS, versions string, fills ...Fill) error {
	return d.Failed(d.migrate(ctx, schema, versions, fills))
}

func (d *Database) migrate(ctx context.Context, schema fs.FS, versions string, fills []Fill) error {
	dir := path.Join("schema", d.dialect.Name)
	steps, err := fs.ReadDir(schema, dir)
	if err != nil {
		return err
	}
	version, err := version(ctx, d.reads, versions)
	if err == nil && version == len(steps) {
		return nil // nothing to do: do not wait for a lock
	}
	return d.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		version, err := d.begin(ctx, tx, versions)
		if err != nil {
			return err
		}
		if version > len(steps) {
			return fmt.Errorf("%s: its tables have version %d, and this agenthost supports version %d: %w",
				d.name, version, len(steps), d.dialect.Newer)
		}
		for i, step := range steps[version:] {
			text, err := fs.ReadFile(schema, path.Join(dir, step.Name()))
			if err != nil {
				return err
			}
			if err := perform(ctx, tx, string(text), version+i+1, fills); err != nil {
				return fmt.Errorf("schema %s: %w", step.Name(), err)
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE `+versions+` SET version = $1`, len(steps)) //nolint:gosec // a constant of the caller
		return err
	})
}

// perform performs the statements that lead to a version, and its fills.
func perform(ctx context.Context, tx *sql.Tx, statements string, version int, fills []Fill) error {
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return err
	}
	for _, fill := range fills {
		if fill.Version != version {
			continue
		}
		if err := fill.Rows(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// begin keeps others from migrating, and returns the version of the tables.
func (d *Database) begin(ctx context.Context, tx *sql.Tx, versions string) (int, error) {
	if d.dialect.Lock != "" {
		if _, err := tx.ExecContext(ctx, d.dialect.Lock); err != nil {
			return 0, err
		}
	}
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+versions+` (version BIGINT NOT NULL)`); err != nil {
		return 0, err
	}
	now, err := version(ctx, tx, versions)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = tx.ExecContext(ctx, `INSERT INTO `+versions+` (version) VALUES (0)`) //nolint:gosec // as above
	}
	return now, err
}

func version(ctx context.Context, q Querier, versions string) (version int, err error) {
	err = q.QueryRowContext(ctx, `SELECT version FROM `+versions).Scan(&version)
	return version, err
}
