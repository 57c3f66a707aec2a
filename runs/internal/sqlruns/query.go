package sqlruns

import (
	"context"
	"database/sql"
	"slices"
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

func (q *search) conditions() string {
	return " FROM " + q.from + " WHERE " + strings.Join(q.where, " AND ")
}

// page returns a statement that selects a page, and its arguments.
func (q *search) page(columns, order string, p *runs.Page) (statement string, args []any) {
	direction := " DESC"
	if p.Ascending {
		direction = ""
	}
	if order != "id" {
		order += direction + ", id"
	} else {
		order += direction
	}
	return q.ordered(columns, order, p.Limit, p.Offset)
}

// ordered returns a statement that selects rows in an order, and its arguments.
func (q *search) ordered(columns, order string, limit, offset int) (statement string, args []any) {
	n := len(q.args)
	statement = "SELECT " + columns + q.conditions() + " ORDER BY " + order + " LIMIT $" + strconv.Itoa(n+1) + " OFFSET $" + strconv.Itoa(n+2)
	return statement, append(slices.Clone(q.args), runs.PageSize(limit), offset)
}

// find returns a page of a list, and how many rows there are on all pages.
func find[T any](
	ctx context.Context, s *Store, q *search, scan func(scanner) (T, error), columns, order string, p *runs.Page,
) (page []T, total int, err error) {
	err = s.db.Look(ctx, func(tx *sql.Tx) error {
		statement, args := q.page(columns, order, p)
		if page, err = collect(ctx, s, tx, scan, statement, args...); err != nil {
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
