package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/store"
)

// Put writes an entry, see [store.Store].
func (v *values) Put(ctx context.Context, ns store.Namespace, key string, value []byte, o store.PutOptions) (version uint64, err error) {
	if err := store.CheckPut(ctx, ns, key, value, &o); err != nil {
		return 0, err
	}
	now := v.options.Now()
	if o.TTL > 0 {
		if err := v.sweep(ctx, now); err != nil {
			return 0, err
		}
	}
	err = v.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		s, err := enter(ctx, tx, []byte(ns.Path()), now)
		if err != nil {
			return err
		}
		version = s.version
		return s.put(ctx, key, value, &o)
	})
	if err != nil {
		return 0, err
	}
	return version, nil
}

// Delete removes an entry, see [store.Store].
func (v *values) Delete(ctx context.Context, ns store.Namespace, key string, ifVersion *uint64) error {
	if err := store.CheckEntry(ctx, ns, key); err != nil {
		return err
	}
	return v.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		s, err := lock(ctx, tx, []byte(ns.Path()), v.options.Now())
		if err != nil {
			return err
		}
		if s == nil {
			return store.CheckVersion(ifVersion, 0)
		}
		return s.delete(ctx, key, ifVersion)
	})
}

// sweep removes expired entries of the namespace whose oldest one expired first. Every write with a TTL calls it first, which
// bounds the number of expired entries by the most that were ever live at once.
func (v *values) sweep(ctx context.Context, now time.Time) error {
	var path []byte
	err := v.db.Reads().QueryRowContext(ctx, `SELECT namespace FROM agenthost_entries WHERE expires <= $1 ORDER BY expires LIMIT 1`,
		now.UnixMicro()).Scan(&path)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return v.db.Failed(err)
	}
	return v.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		s, err := lock(ctx, tx, path, now)
		if err != nil || s == nil {
			return err
		}
		if err := s.purge(ctx); err != nil {
			return err
		}
		return s.leave(ctx)
	})
}
