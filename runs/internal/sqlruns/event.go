package sqlruns

import (
	"context"
	"database/sql"
	"errors"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// batch has events by columns.
type batch struct {
	runs  []string
	seqs  []int64
	times []int64
	types []string
	data  []sql.NullString
}

func newBatch(events []runs.Event) *batch {
	b := &batch{}
	for i := range events {
		e := &events[i]
		b.runs, b.seqs, b.times = append(b.runs, e.Run), append(b.seqs, int64(e.Seq)), append(b.times, micros(e.Time))
		b.types, b.data = append(b.types, e.Type), append(b.data, textOf(e.Data))
	}
	return b
}

const (
	// appendBatch adds events in one statement. Runs that a worker appends to are locked in their order, and not claimed meanwhile.
	appendBatch = `INSERT INTO agenthost_run_events (run, seq, time, type, data)
		SELECT r.number, e.seq, e.time, e.type, e.data
		FROM unnest(CAST($1 AS text[]), CAST($2 AS bigint[]), CAST($3 AS bigint[]), CAST($4 AS text[]), CAST($5 AS text[])) AS e (run, seq, time, type, data)
		JOIN (SELECT id, number, attempt FROM agenthost_runs WHERE id = ANY(CAST($1 AS text[])) AND worker = $6 AND status = 'running'
			ORDER BY number FOR SHARE) r ON r.id = e.run AND r.attempt = e.seq >> 32
		ON CONFLICT (run, seq) DO NOTHING`
	// appendOne is the same for one event, in a transaction that keeps everybody out.
	appendOne = `INSERT INTO agenthost_run_events (run, seq, time, type, data)
		SELECT number, $2, $3, $4, $5 FROM agenthost_runs WHERE id = $1 AND worker = $6 AND status = 'running' AND attempt = $2 >> 32
		ON CONFLICT (run, seq) DO NOTHING`
)

// addEvents adds events of runs that a worker has claimed.
func (s *Store) addEvents(ctx context.Context, q querier, w *runs.Worker, events []runs.Event) error {
	if len(events) == 0 {
		return nil
	}
	b := newBatch(events)
	if s.dialect.Arrays {
		_, err := s.exec(ctx, q, appendBatch, b.runs, b.seqs, b.times, b.types, b.data, w.ID)
		return err
	}
	for i := range events {
		if _, err := s.exec(ctx, q, appendOne, b.runs[i], b.seqs[i], b.times[i], b.types[i], b.data[i], w.ID); err != nil {
			return err
		}
	}
	return nil
}

// Append adds events, see [runs.Queue].
func (s *Store) Append(ctx context.Context, w *runs.Worker, events []runs.Event) error {
	if err := w.Check(); err != nil {
		return err
	}
	if err := runs.CheckEvents(events); err != nil || len(events) == 0 {
		return err
	}
	add := func(ctx context.Context, q querier) error { return s.addEvents(ctx, q, w, events) }
	var err error
	if s.dialect.Arrays {
		err = s.db.Write(ctx, add)
	} else {
		err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error { return add(ctx, tx) })
	}
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	var hints []runs.Hint
	for i := range events {
		if run := events[i].Run; !seen[run] {
			seen[run] = true
			hints = append(hints, runs.Hint{Kind: runs.HintEvents, Run: run})
		}
	}
	s.tell(hints...)
	return nil
}

const readEvents = `SELECT e.seq, e.time, e.type, e.data
	FROM agenthost_runs r LEFT JOIN agenthost_run_events e ON e.run = r.number AND e.seq > $3
	WHERE r.id = $1 AND r.owner = $2 ORDER BY e.seq LIMIT $4`

// Events returns events of a run, see [runs.Runs].
func (s *Store) Events(ctx context.Context, owner, id string, after uint64, limit int) (events []runs.Event, err error) {
	if err := known(owner, id, runs.ErrNoRun); err != nil {
		return nil, err
	}
	rows, err := s.db.Reads().QueryContext(ctx, s.texts.text(readEvents), id, owner, int64(min(after, 1<<63-1)), rule.EventLimit(limit))
	if err != nil {
		return nil, s.db.Failed(err)
	}
	defer func() { err = errors.Join(err, s.db.Failed(rows.Close())) }()
	found, size := false, 0
	for rows.Next() {
		found = true
		e := runs.Event{Run: id}
		var seq, time sql.NullInt64
		var kind sql.NullString
		if err := rows.Scan(&seq, &time, &kind, document{&e.Data}); err != nil {
			return nil, s.db.Failed(err)
		}
		if !seq.Valid { // the run has none
			continue
		}
		if size += len(e.Data); size > runs.MaxEvents && len(events) > 0 {
			break
		}
		e.Seq, e.Time, e.Type = uint64(seq.Int64), moment(time.Int64), kind.String
		events = append(events, e)
	}
	if err := rows.Err(); err != nil || !found {
		return nil, s.db.Failed(orMissing(err, runs.ErrNoRun))
	}
	return events, nil
}
