package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// key is what a row is sorted by: a text or a time. Only one of them is used in a list.
type key struct {
	text string
	time time.Time
}

// row is a row of a list.
type row[T any] struct {
	id  string
	key key
	row T
}

// page sorts rows and returns one page of them.
func page[T any](rows []row[T], p *runs.Page, present func(T)) (total int) {
	slices.SortFunc(rows, func(a, b row[T]) int {
		order := cmp.Or(cmp.Compare(a.key.text, b.key.text), a.key.time.Compare(b.key.time))
		if !p.Ascending {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.id, b.id))
	})
	for _, r := range part(rows, p.Limit, p.Offset) {
		present(r.row)
	}
	return len(rows)
}

// part returns the rows of a page.
func part[T any](rows []T, limit, offset int) []T {
	rows = rows[min(offset, len(rows)):]
	return rows[:min(runs.PageSize(limit), len(rows))]
}
