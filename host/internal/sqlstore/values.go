package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// values keeps values next to the threads of a database. A write first locks the row of its namespace and no other. Writes to
// one namespace are therefore serialized, and cannot deadlock.
type values struct {
	db      *sqldb.Database
	options *store.Options
}

// Values returns a store of values beyond threads in the same database. It closes together with the database.
func (s *Store) Values(options ...store.Option) store.Store {
	return &values{s.db, store.NewOptions(options...)}
}

// live is the condition that an entry has not expired at the time $1.
const live = `(expires IS NULL OR expires > $1)`

// Get returns an entry, see [store.Store].
func (v *values) Get(ctx context.Context, ns store.Namespace, key string) (store.Entry, bool, error) {
	if err := store.CheckEntry(ctx, ns, key); err != nil {
		return store.Entry{}, false, err
	}
	rows, err := v.db.Reads().QueryContext(ctx, `SELECT key, length(value), version, created, updated, expires, TRUE, value, NULL
		FROM agenthost_entries WHERE `+live+` AND namespace = $2 AND key = $3`,
		v.options.Now().UnixMicro(), []byte(ns.Path()), []byte(key))
	if err != nil {
		return store.Entry{}, false, v.db.Failed(err)
	}
	entries, err := scanEntries(rows)
	if err != nil || len(entries) == 0 {
		return store.Entry{}, false, v.db.Failed(err)
	}
	return entries[0], true, nil
}

// List returns entries, see [store.Store]. It sums up sizes first, and does not read values that would make the page too
// large.
func (v *values) List(ctx context.Context, ns store.Namespace, q store.Query) (page store.Page[store.Entry], err error) {
	if err := store.CheckList(ctx, ns, &q); err != nil {
		return page, err
	}
	most := -1 // bytes of values
	if q.Values {
		most = store.MaxValue
	}
	vectors := 0
	if q.Vectors {
		vectors = 1
	}
	limit := q.PageLimit()
	rows, err := v.db.Reads().QueryContext(ctx, `WITH
		page AS (SELECT key, length(value) AS size FROM agenthost_entries
			WHERE `+live+` AND namespace = $2 AND key >= $3 AND key < $4 AND key > $5 ORDER BY key LIMIT $6),
		summed AS (SELECT key, size, sum(size) OVER (ORDER BY key) AS total FROM page)
		SELECT e.key, s.size, e.version, e.created, e.updated, e.expires, s.total <= $7, CASE WHEN s.total <= $7 THEN e.value END,
			CASE WHEN $8 = 1 THEN e.vectors END
		FROM summed s JOIN agenthost_entries e ON e.namespace = $2 AND e.key = s.key ORDER BY e.key`,
		v.options.Now().UnixMicro(), []byte(ns.Path()), []byte(q.Prefix), append([]byte(q.Prefix), 0xff), []byte(q.After), limit+1, most, vectors)
	if err != nil {
		return page, v.db.Failed(err)
	}
	entries, err := scanEntries(rows)
	if err != nil {
		return page, v.db.Failed(err)
	}
	for i := range entries {
		if i == limit || (q.Values && entries[i].Value == nil) {
			entries, page.More = entries[:i], true
			break
		}
	}
	page.Items = entries
	return page, nil
}

// scanEntries reads entries and closes the rows. A column before each value tells whether it was read; if not, it is nil.
func scanEntries(rows *sql.Rows) (entries []store.Entry, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e store.Entry
		var key, value, vectors sql.RawBytes
		var created, updated int64
		var expires sql.NullInt64
		var there bool // an empty value may look like none
		if err := rows.Scan(&key, &e.Size, &e.Version, &created, &updated, &expires, &there, &value, &vectors); err != nil {
			return nil, err
		}
		e.Key, e.Created, e.Updated = string(key), moment(created), moment(updated)
		if there {
			e.Value = append([]byte{}, value...)
		}
		if len(vectors) > 0 {
			e.Vectors = bytes.Clone(vectors)
		}
		if expires.Valid {
			e.Expires = moment(expires.Int64)
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

func moment(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// Drop removes a namespace and everything under it, with all entries, see [store.Store].
func (v *values) Drop(ctx context.Context, ns store.Namespace) error {
	if err := store.CheckDrop(ctx, ns); err != nil {
		return err
	}
	from, before := ns.Range()
	return v.db.Change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM agenthost_namespaces WHERE path >= $1 AND path < $2`, from, before)
		return err
	})
}

// Namespaces returns namespaces, see [store.Store].
func (v *values) Namespaces(ctx context.Context, under, after store.Namespace, limit int) (page store.Page[store.Namespace], err error) {
	if err := store.CheckNamespaces(ctx, under, after); err != nil {
		return page, err
	}
	from, before := under.Range()
	limit = store.PageLimit(limit)
	rows, err := v.db.Reads().QueryContext(ctx, `SELECT path FROM agenthost_namespaces
		WHERE path >= $2 AND path < $3 AND path > $4 AND EXISTS (SELECT 1 FROM agenthost_entries WHERE namespace = path AND `+live+`)
		ORDER BY path LIMIT $5`, v.options.Now().UnixMicro(), from, before, []byte(after.Path()), limit+1)
	if err != nil {
		return page, v.db.Failed(err)
	}
	defer func() { err = errors.Join(err, v.db.Failed(rows.Close())) }()
	for rows.Next() {
		if page.More = len(page.Items) == limit; page.More {
			break
		}
		var path sql.RawBytes
		if err := rows.Scan(&path); err != nil {
			return store.Page[store.Namespace]{}, v.db.Failed(err)
		}
		page.Items = append(page.Items, store.ParsePath(string(path)))
	}
	return page, v.db.Failed(rows.Err())
}
