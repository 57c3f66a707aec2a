package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/internal/leases"
	"github.com/agenthost/agenthost/internal/sqldb"
)

// These statements extend the leases of a list that nobody else has taken, and tell which are still held. The first one leaves
// out rows that others have locked, such as that of a session that saves: they must not delay the rest. SQLite keeps the order of a
// CROSS JOIN; otherwise it would read the list once for each open thread.
const (
	renewLeases = `WITH mine AS MATERIALIZED (SELECT t.no FROM {each}($1) CROSS JOIN agenthost_threads t WHERE ` + listed + ` {skip})
		UPDATE agenthost_threads SET until = {now} + $2 FROM mine WHERE agenthost_threads.no = mine.no RETURNING agenthost_threads.lease`
	heldLeases = `SELECT t.lease FROM {each}($1) CROSS JOIN agenthost_threads t WHERE ` + listed
	listed     = `t.no = CAST(value ->> 0 AS BIGINT) AND t.lease = value ->> 1`
)

// renew extends leases, see [leases.Renew].
func (s *Store) renew(ctx context.Context, keys []leases.Key) (renewed, lost []string, err error) {
	list := listOf(keys)
	renewed, err = s.tokens(ctx, s.db.Writes(), renewLeases, list, s.lease.Milliseconds())
	if errors.Is(err, checkpoint.ErrUnavailable) {
		s.db.DropIdle()
	}
	if err != nil || len(renewed) == len(keys) {
		return renewed, nil, err
	}
	held, err := s.tokens(ctx, s.db.Reads(), heldLeases, list)
	if err != nil {
		return renewed, nil, nil //nolint:nilerr // what was renewed is, and the others are tried again
	}
	known := slices.Sorted(slices.Values(slices.Concat(renewed, held)))
	for _, key := range keys {
		if _, ok := slices.BinarySearch(known, key.Token); !ok {
			lost = append(lost, key.Token)
		}
	}
	return renewed, lost, nil
}

// listOf returns leases as the JSON list that the statements read.
func listOf(keys []leases.Key) string {
	out := []byte{'['}
	for i, key := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, '['), key.Row, 10)
		out = append(strconv.AppendQuote(append(out, ','), key.Token), ']') // a token has only letters and digits
	}
	return string(append(out, ']'))
}

// tokens performs a query for tokens.
func (s *Store) tokens(ctx context.Context, q sqldb.Querier, text string, args ...any) (tokens []string, err error) {
	rows, err := q.QueryContext(ctx, s.db.SQL(text), args...)
	if err != nil {
		return nil, s.db.Failed(err)
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	for rows.Next() {
		var token string
		if err := rows.Scan(&token); err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, s.db.Failed(rows.Err())
}
