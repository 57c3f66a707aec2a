package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/store"
)

// space is a namespace whose row a writing transaction has locked.
type space struct {
	tx      *sql.Tx
	path    []byte
	now     time.Time
	version uint64      // the last that was given
	usage   store.Usage // includes expired entries that still exist
}

// enter locks a namespace for a write, which gets the next version. It creates the namespace if needed.
func enter(ctx context.Context, tx *sql.Tx, path []byte, now time.Time) (*space, error) {
	s := &space{tx: tx, path: path, now: now}
	err := tx.QueryRowContext(ctx, `INSERT INTO agenthost_namespaces (path, version, bytes, entries) VALUES ($1, 1, 0, 0)
		ON CONFLICT (path) DO UPDATE SET version = agenthost_namespaces.version + 1 RETURNING version, bytes, entries`,
		path).Scan(&s.version, &s.usage.Bytes, &s.usage.Entries)
	return s, err
}

// lock locks a namespace; nil if there is none.
func lock(ctx context.Context, tx *sql.Tx, path []byte, now time.Time) (*space, error) {
	s := &space{tx: tx, path: path, now: now}
	err := tx.QueryRowContext(ctx, `UPDATE agenthost_namespaces SET version = version WHERE path = $1
		RETURNING version, bytes, entries`, path).Scan(&s.version, &s.usage.Bytes, &s.usage.Entries)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // the comment says so
	}
	return s, err
}

// leave saves the namespace's usage.
func (s *space) leave(ctx context.Context) error {
	_, err := s.tx.ExecContext(ctx, `UPDATE agenthost_namespaces SET bytes = $2, entries = $3 WHERE path = $1`,
		s.path, s.usage.Bytes, s.usage.Entries)
	return err
}

// put writes an entry.
func (s *space) put(ctx context.Context, key string, value []byte, o *store.PutOptions) error {
	old, err := s.entry(ctx, key)
	if err != nil {
		return err
	}
	if err := store.CheckVersion(o.IfVersion, old.Version); err != nil {
		return err
	}
	grown := store.Usage{Bytes: store.Size(key, len(value)), Entries: 1}
	if old.Version != 0 {
		grown.Bytes -= store.Size(key, old.Size)
		grown.Entries = 0
	}
	if err := s.grow(ctx, grown, o.Quota); err != nil {
		return err
	}
	var expires sql.NullInt64
	if at := o.Expires(s.now); !at.IsZero() {
		expires = sql.NullInt64{Int64: at.UnixMicro(), Valid: true}
	}
	_, err = s.tx.ExecContext(ctx, `INSERT INTO agenthost_entries (namespace, key, value, version, created, updated, expires, vectors)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (namespace, key) DO UPDATE SET
		value = excluded.value, version = excluded.version, updated = excluded.updated, expires = excluded.expires,
		vectors = excluded.vectors`,
		s.path, []byte(key), append([]byte{}, value...), s.version, s.now.UnixMicro(), s.now.UnixMicro(), expires, o.Vectors)
	if err != nil {
		return err
	}
	return s.leave(ctx)
}

// grow checks an addition against the quota and counts it. It removes expired entries if they are in the way.
func (s *space) grow(ctx context.Context, by store.Usage, q store.Quota) error {
	after := func() store.Usage {
		return store.Usage{Bytes: s.usage.Bytes + by.Bytes, Entries: s.usage.Entries + by.Entries}
	}
	if q.Check(s.usage, after()) != nil {
		if err := s.purge(ctx); err != nil {
			return err
		}
		if err := q.Check(s.usage, after()); err != nil {
			return err
		}
	}
	s.usage = after()
	return nil
}

// delete removes an entry if it exists.
func (s *space) delete(ctx context.Context, key string, ifVersion *uint64) error {
	old, err := s.entry(ctx, key)
	if err != nil {
		return err
	}
	if err := store.CheckVersion(ifVersion, old.Version); err != nil {
		return err
	}
	if old.Version != 0 {
		_, err := s.tx.ExecContext(ctx, `DELETE FROM agenthost_entries WHERE namespace = $1 AND key = $2`, s.path, []byte(key))
		if err != nil {
			return err
		}
		s.usage.Bytes -= store.Size(key, old.Size)
		s.usage.Entries--
	}
	return s.leave(ctx)
}

// entry returns the size and version of an entry; zero if there is none. If it has expired, it is removed along with others.
func (s *space) entry(ctx context.Context, key string) (e store.Entry, err error) {
	var expires sql.NullInt64
	err = s.tx.QueryRowContext(ctx, `SELECT length(value), version, expires FROM agenthost_entries WHERE namespace = $1 AND key = $2`,
		s.path, []byte(key)).Scan(&e.Size, &e.Version, &expires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.Entry{}, nil
	case err == nil && expires.Valid && expires.Int64 <= s.now.UnixMicro():
		return store.Entry{}, s.purge(ctx)
	}
	return e, err
}

// purge removes expired entries.
func (s *space) purge(ctx context.Context) (err error) {
	rows, err := s.tx.QueryContext(ctx, `DELETE FROM agenthost_entries WHERE namespace = $1 AND expires <= $2
		RETURNING length(key) + length(value)`, s.path, s.now.UnixMicro())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var size int64
		if err := rows.Scan(&size); err != nil {
			return err
		}
		s.usage.Bytes -= size + store.Overhead
		s.usage.Entries--
	}
	return rows.Err()
}
