package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// These conditions tell apart who has a thread.
const (
	isClosed  = `t.lease IS NULL`
	isRunning = `t.lease IS NOT NULL AND t.until >= {now}`
	isDead    = `t.lease IS NOT NULL AND t.until < {now}`
)

// selection is one statement that finds threads, and its arguments.
type selection struct {
	text string
	args []any
}

// arg adds an argument and returns its place.
func (s *selection) arg(value any) string {
	s.args = append(s.args, value)
	return fmt.Sprint("$", len(s.args))
}

// newest returns the expression for a column of a thread's newest checkpoint; NULL if the thread was never saved. A join would let
// the planner read all checkpoints.
func newest(column string) string {
	return `(SELECT ` + column + ` FROM agenthost_checkpoints WHERE thread = t.no ORDER BY id DESC LIMIT 1)`
}

// at returns the expression for a column of a checkpoint that was found.
func at(column string) string {
	return `(SELECT ` + column + ` FROM agenthost_checkpoints WHERE thread = p.no AND id = p.head)`
}

// find returns the statement for a query. It reads no more rows of an index than it needs: closed threads are found by their
// state, the few that have a lease by that.
func find(q *checkpoint.Query) selection {
	var s selection
	shared := s.shared(q)
	limit := s.arg(q.Most())
	part := func(condition, state string) string {
		return `SELECT t.no, t.name, t.created, ` + state + ` AS state, ` + newest("id") + ` AS head
			FROM agenthost_threads t WHERE ` + condition + shared + ` ORDER BY t.name LIMIT ` + limit
	}
	var parts string
	switch q.State {
	case "":
		parts = part(`TRUE`, `CASE WHEN `+isClosed+` THEN t.state WHEN `+isRunning+` THEN 'running' ELSE `+newest("state")+` END`)
	case checkpoint.Running:
		parts = part(isRunning, `'running'`)
	case checkpoint.Orphaned:
		parts = part(isDead+` AND `+newest("state")+` = 'orphaned'`, `'orphaned'`)
	default:
		state := s.arg(string(q.State))
		const all = `SELECT no, name, created, state, head FROM (`
		parts = all + part(isClosed+` AND t.state = `+state, `t.state`) + `) AS closed
			UNION ALL ` + all + part(isDead+` AND `+newest("state")+` = `+state, newest("state")) + `) AS dead`
	}
	s.text = `SELECT p.name, p.head, p.created, p.state, ` + at("parent") + `, ` + at("time") + `, ` + at("doc") + `
		FROM (` + parts + `) AS p ORDER BY p.name LIMIT ` + limit
	return s
}

// shared returns the conditions that do not depend on the state.
func (s *selection) shared(q *checkpoint.Query) string {
	var out strings.Builder
	out.WriteString(` AND ` + newest("id") + ` IS NOT NULL`)
	first, including, end := q.Names()
	if including {
		out.WriteString(` AND t.name >= ` + s.arg(first))
	} else {
		out.WriteString(` AND t.name > ` + s.arg(first))
	}
	if end != "" {
		out.WriteString(` AND t.name < ` + s.arg(end))
	}
	if !q.UpdatedSince.IsZero() {
		out.WriteString(` AND ` + newest("time") + ` >= ` + s.arg(milli(q.UpdatedSince)))
	}
	if !q.UpdatedBefore.IsZero() {
		out.WriteString(` AND ` + newest("time") + ` < ` + s.arg(milli(q.UpdatedBefore)))
	}
	return out.String()
}

// milli returns the first whole millisecond that is not before a time.
func milli(t time.Time) int64 { return t.Add(time.Millisecond - 1).UnixMilli() }

// Find returns threads, see [checkpoint.Store].
func (s *Store) Find(ctx context.Context, q checkpoint.Query) ([]checkpoint.Info, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	selected := find(&q)
	rows, err := s.db.Reads().QueryContext(ctx, s.db.SQL(selected.text), selected.args...)
	if err != nil {
		return nil, s.db.Failed(err)
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	var out []checkpoint.Info
	for rows.Next() {
		info, err := scanInfo(rows)
		if err != nil {
			return nil, s.db.Failed(err)
		}
		out = append(out, info)
	}
	return out, s.db.Failed(rows.Err())
}

// scanInfo reads a row that a selection has found.
func scanInfo(rows *sql.Rows) (info checkpoint.Info, err error) {
	var created, at int64
	var parent checkpoint.ID
	var doc []byte
	if err := rows.Scan(&info.Thread, &info.Head, &created, &info.State, &parent, &at, &doc); err != nil {
		return info, err
	}
	info.Created, info.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(at).UTC()
	if r, err := checkpoint.DecodeRecord(info.Head, parent, info.Updated, doc); err != nil {
		info.Err = err
	} else {
		info.Newest, info.Messages = r.Checkpoint, r.Messages
	}
	return info, nil
}
