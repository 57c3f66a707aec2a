package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// schema holds, for each dialect, the statements that lead from one version of the tables to the next.
//
//go:embed schema
var schema embed.FS

// migrate upgrades the tables to the present version. It refuses a newer database and leaves it unchanged.
func (d *Database) migrate(ctx context.Context) error {
	steps, err := fs.ReadDir(schema, path.Join("schema", d.dialect.Name))
	if err != nil {
		return err
	}
	version, err := d.version(ctx, d.reads)
	if err == nil && version == len(steps) {
		return nil // nothing to do: do not wait for a lock
	}
	return d.change(ctx, func(tx *sql.Tx) error {
		if d.dialect.Lock != "" {
			if _, err := tx.ExecContext(ctx, d.dialect.Lock); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS agenthost_schema (version BIGINT NOT NULL)`); err != nil {
			return err
		}
		version, err := d.version(ctx, tx)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if _, err := tx.ExecContext(ctx, `INSERT INTO agenthost_schema (version) VALUES (0)`); err != nil {
				return err
			}
		case err != nil:
			return err
		case version > len(steps):
			return fmt.Errorf("%s: its tables have version %d, and this agenthost supports version %d: %w",
				d.name, version, len(steps), checkpoint.ErrNewer)
		}
		for _, step := range steps[version:] {
			text, err := schema.ReadFile(path.Join("schema", d.dialect.Name, step.Name()))
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("schema %s: %w", step.Name(), err)
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE agenthost_schema SET version = $1`, len(steps))
		return err
	})
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (*Database) version(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, `SELECT version FROM agenthost_schema`).Scan(&version)
	return version, err
}
