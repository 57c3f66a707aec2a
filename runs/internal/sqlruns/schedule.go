package sqlruns

import (
	"context"
	"database/sql"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

const scheduleColumns = `s.owner, s.id, s.assistant, s.thread, s.cron, s.zone, s.request, s.metadata, s.enabled, s.keep_runs, s.end_at, s.next_at,
	s.created, s.updated`

// scanSchedule reads the columns of a schedule, and others after them.
func scanSchedule(row scanner, others ...any) (runs.Schedule, error) {
	var s runs.Schedule
	var end, next, created, updated int64
	err := row.Scan(append([]any{
		&s.Owner, &s.ID, &s.Assistant, &s.Thread, &s.Cron, &s.Zone,
		document{&s.Request},
		decoded[runs.Metadata]{&s.Metadata},
		&s.Enabled, &s.KeepRuns,
		&end, &next, &created, &updated,
	}, others...)...)
	s.End, s.Next, s.Created, s.Updated = moment(end), moment(next), moment(created), moment(updated)
	return s, err
}

func scanPlainSchedule(row scanner) (runs.Schedule, error) { return scanSchedule(row) }

// scheduleValues returns the values of the columns owner, id, assistant, thread, cron, zone, request, metadata, enabled, keep_runs, end_at,
// next_at and updated.
func scheduleValues(s *runs.Schedule) ([]any, error) {
	metadata, err := metadataText(s.Metadata)
	return []any{
		s.Owner, s.ID, s.Assistant, s.Thread, s.Cron, s.Zone, textOf(s.Request), metadata, s.Enabled, s.KeepRuns, micros(s.End), micros(s.Next),
		micros(s.Updated),
	}, err
}

// CreateSchedule adds a schedule, see [runs.Schedules].
func (s *Store) CreateSchedule(ctx context.Context, schedule *runs.Schedule) error {
	row, err := rule.CreateSchedule(schedule, s.now())
	if err != nil {
		return err
	}
	values, err := scheduleValues(row)
	if err != nil {
		return err
	}
	n, err := s.exec(ctx, s.db.Writes(), `INSERT INTO agenthost_run_schedules
		(owner, id, assistant, thread, cron, zone, request, metadata, enabled, keep_runs, end_at, next_at, updated, created)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) ON CONFLICT (owner, id) DO NOTHING`, values...)
	if err != nil || n == 0 {
		return s.db.Failed(orMissing(err, runs.ErrExists))
	}
	schedule.Created, schedule.Updated = row.Created, row.Updated
	return nil
}

// Schedule returns a schedule, see [runs.Schedules].
func (s *Store) Schedule(ctx context.Context, owner, id string) (*runs.Schedule, error) {
	if err := known(owner, id, runs.ErrNoSchedule); err != nil {
		return nil, err
	}
	rows, err := collect(ctx, s, s.db.Reads(), scanPlainSchedule,
		`SELECT `+scheduleColumns+` FROM agenthost_run_schedules s WHERE s.owner = $1 AND s.id = $2`, owner, id)
	if err != nil || len(rows) == 0 {
		return nil, s.db.Failed(orMissing(err, runs.ErrNoSchedule))
	}
	return &rows[0], nil
}

// ChangeSchedule changes a schedule, see [runs.Schedules].
func (s *Store) ChangeSchedule(ctx context.Context, owner, id string, change func(s *runs.Schedule) error) (changed *runs.Schedule, err error) {
	if err := known(owner, id, runs.ErrNoSchedule); err != nil {
		return nil, err
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := collect(ctx, s, tx, scanPlainSchedule,
			`SELECT `+scheduleColumns+` FROM agenthost_run_schedules s WHERE s.owner = $1 AND s.id = $2 {alone s}`, owner, id)
		if err != nil || len(rows) == 0 {
			return orMissing(err, runs.ErrNoSchedule)
		}
		if changed, err = rule.ChangeSchedule(&rows[0], s.now(), theirs(change)); err != nil {
			return err
		}
		values, err := scheduleValues(changed)
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `UPDATE agenthost_run_schedules SET assistant = $3, thread = $4, cron = $5, zone = $6, request = $7, metadata = $8,
			enabled = $9, keep_runs = $10, end_at = $11, next_at = $12, updated = $13 WHERE owner = $1 AND id = $2`, values...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// FindSchedules returns a page of schedules, see [runs.Schedules].
func (s *Store) FindSchedules(ctx context.Context, owner string, q *runs.ScheduleQuery) (page []runs.Schedule, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	if err := runs.CheckOwner(owner); err != nil {
		return nil, 0, err
	}
	list := &search{from: "agenthost_run_schedules s"}
	list.add("owner = ?", owner)
	if q.Assistant != "" {
		list.add("assistant = ?", q.Assistant)
	}
	if q.Thread != "" {
		list.add("thread = ?", q.Thread)
	}
	if q.Enabled != nil {
		list.add("enabled = ?", *q.Enabled)
	}
	if err := list.contains(q.Metadata); err != nil {
		return nil, 0, err
	}
	order := map[runs.Sort]string{
		"": "created", runs.SortID: "id", runs.SortCreated: "created", runs.SortUpdated: "updated", runs.SortNext: "next_at",
	}[q.Sort]
	return find(ctx, s, list, scanPlainSchedule, scheduleColumns, order, &q.Page)
}

// DeleteSchedule removes a schedule, see [runs.Schedules].
func (s *Store) DeleteSchedule(ctx context.Context, owner, id string) error {
	if err := known(owner, id, runs.ErrNoSchedule); err != nil {
		return err
	}
	n, err := s.exec(ctx, s.db.Writes(), `DELETE FROM agenthost_run_schedules WHERE owner = $1 AND id = $2`, owner, id)
	if err != nil || n == 0 {
		return s.db.Failed(orMissing(err, runs.ErrNoSchedule))
	}
	return nil
}

// due is a schedule that is due, with its number.
type due struct {
	no  int64
	row runs.Schedule
}

// Fire moves schedules on, see [runs.Queue].
func (s *Store) Fire(ctx context.Context, now time.Time, limit int, next func(s *runs.Schedule) time.Time) (fired []runs.Schedule, err error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := collect(ctx, s, tx, func(row scanner) (d due, err error) {
			d.row, err = scanSchedule(row, &d.no)
			return d, err
		}, `SELECT `+scheduleColumns+`, s.no FROM agenthost_run_schedules s WHERE s.enabled AND s.next_at > 0 AND s.next_at <= $1
			ORDER BY s.next_at, s.owner, s.id LIMIT $2 {skip s}`, micros(now), limit)
		if err != nil {
			return err
		}
		for i := range rows {
			at, fires := rule.Fire(&rows[i].row, next)
			if fires {
				fired = append(fired, rows[i].row)
			}
			if _, err := s.exec(ctx, tx, `UPDATE agenthost_run_schedules SET next_at = $2 WHERE no = $1`, rows[i].no, micros(at)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return fired, nil
}
