package sqlruns

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/runs"
)

// search is a list with conditions. Each ? in a condition stands for its argument.
type search struct {
	from  string
	where []string
	args  []any
}

func (q *search) add(condition string, arg any) {
	q.args = append(q.args, arg)
	q.where = append(q.where, strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(q.args))))
}

// contains adds the condition that the metadata contains some.
func (q *search) contains(m runs.Metadata) error {
	if len(m) == 0 {
		return nil
	}
	text, err := metadataText(m)
	if err == nil {
		q.add("{contains metadata ?}", text)
	}
	return err
}

func (q *search) conditions() string { return " FROM " + q.from + " WHERE " + strings.Join(q.where, " AND ") }

// page returns the end of a statement that selects a page.
func (q *search) page(order string, p *runs.Page) string {
	direction := " DESC"
	if p.Ascending {
		direction = ""
	}
	if order != "id" {
		order += direction + ", id"
	} else {
		order += direction
	}
	return " ORDER BY " + order + limits(p.Limit, p.Offset)
}

// limits returns a clause instead of arguments: the numbers are few, and were checked.
func limits(limit, offset int) string {
	out := " LIMIT " + strconv.Itoa(runs.PageSize(limit))
	if offset > 0 {
		out += " OFFSET " + strconv.Itoa(offset)
	}
	return out
}

// find returns a page of a list, and how many rows there are on all pages.
func find[T any](ctx context.Context, s *Store, q *search, scan func(scanner) (T, error), columns, order string, p *runs.Page) (page []T, total int, err error) {
	err = s.db.Look(ctx, func(tx *sql.Tx) error {
		page, err = collect(ctx, s, tx, scan, "SELECT "+columns+q.conditions()+q.page(order, p), q.args...)
		if err != nil {
			return err
		}
		if n := len(page); n < runs.PageSize(p.Limit) && (n > 0 || p.Offset == 0) {
			total = p.Offset + n // it is the last page
			return nil
		}
		return s.row(ctx, tx, "SELECT count(*)"+q.conditions(), q.args...).Scan(&total)
	})
	return page, total, err
}
